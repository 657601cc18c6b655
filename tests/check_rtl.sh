#!/bin/sh
# The FPGA's RTL: registers as generated, lint, benches in Icarus and Verilator, proofs by
# Yosys, and bugs put in on purpose, each of which must be noticed. The quick form is one
# job of a few minutes; `slow` is the same with 10^6 nonces a core and all ring depths.
#
# Usage: check_rtl.sh [slow]		(exits 77, skipped, without verilator, iverilog and yosys)
set -u
source=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
slow=${1-}
rtl=$source/fpga/rtl
tb=$source/fpga/tb

missing=
for tool in verilator iverilog yosys "${CC:-cc}" "${CXX:-c++}"; do
	command -v "${tool%% *}" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
	echo "check_rtl: skipped, not found:$missing; install verilator, iverilog, yosys and g++ to test the FPGA's RTL"
	exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit
"${CC:-cc}" -O2 -std=c11 -I"$source" -c "$source/sha3/sha256.c" -o sha256.o || exit

passed=0
failed=0

# FACT COMMAND...: it holds when the command succeeds. A bench prints facts of its own, which are counted instead.
fact() {
	name=$1
	shift
	if "$@" >log 2>&1; then
		grep -E '^(ok|   [0-9a-z])' log || { echo "ok $name" | tee log; }
		passed=$((passed + $(grep -c '^ok' log)))
	else
		echo "FAILED $name"
		tail -n 20 log | sed 's/^/    /'
		failed=$((failed + 1))
	fi
}

registers_are_those_of_the_table() {
	"$source/fpga/regs_gen.sh" made &&
	for file in fpga/regs.h fpga/rtl/regs.vh doc/REGISTERS.md; do
		cmp "made/$file" "$source/$file" || return
	done
}

# A table that cannot be read must not make files with gaps.
a_wrong_register_table_is_refused() {
	mkdir -p wrong/fpga && cp "$source/fpga/regs_gen.sh" wrong/fpga/ || return
	for row in 'REG(0x000, TWICE, RO, 0x00000000, "below the last")' 'REG(0x102, ODD, RO, 0x00000000, "odd")' \
		'REG(0x100, ACCESS, XX, 0x00000000, "no such access")' 'REG(0x100, SHORT, RO, "three columns")' \
		'FIELD(JOB_TAG, ELSEWHERE, 0, 1, "of another register")' 'REG(0x100, NO_MEANING, RO, 0x00000000)'; do
		{ cat "$source/fpga/regs.def"; echo "$row"; } >wrong/fpga/regs.def
		! wrong/fpga/regs_gen.sh wrong/made || { echo "taken: $row"; return 1; }
	done
}

# Print nothing and succeed, or be wrong.
silent() {
	"$@" >said 2>&1 && [ ! -s said ] || { cat said; return 1; }
}

# TOP PARAMETER...
lint() {
	top=$1
	shift
	silent verilator --lint-only -Wall "$@" --top "$top" -I"$rtl" "$rtl/$top.v"
}

# But for the remark that an always @* which reads an array waits for all of it: that is meant.
icarus_takes_the_rtl_without_a_warning() {
	for top in miner_top sha256d_axis; do
		silent iverilog -g2005 -Wall -Wno-sensitivity-entire-array -I"$rtl" -y"$rtl" \
			-o out "$rtl/$top.v" || return
	done
}

yosys_takes_the_rtl_without_a_warning() {
	for top in miner_top sha256d_axis; do
		silent yosys -q -p "read_verilog -I$rtl $rtl/*.v; hierarchy -check -top $top; proc; check -assert" || return
	done
}

# BENCH [PARAMETER=VALUE...]: a Verilog bench in Icarus, with the RTL of $rtl.
icarus() {
	bench=$1
	shift
	parameters=
	for parameter; do
		parameters="$parameters -P$bench.$parameter"
	done
	# shellcheck disable=SC2086
	iverilog -g2005-sv $parameters -I"$rtl" -I"$tb" -y"$rtl" -o out "$tb/$bench.v" && vvp -n out
}

# BENCH: the same bench in Verilator. The RTL is linted above, without any exception; a bench counts in integers
# and has the only timescale, which lint would remark on.
verilated() {
	verilator --binary --timing -j 1 -Wno-lint -Wno-style -Wno-TIMESCALEMOD -I"$rtl" -I"$tb" --top "$1" -Mdir "verilated_$1" "$tb/$1.v" >build.log 2>&1 ||
		{ cat build.log; return 1; }
	"verilated_$1/V$1"
}

# BENCH PREFIX TOP 'PARAMETER=VALUE...' 'MACRO=VALUE...' ARGUMENT: a C++ bench and the RTL it is built with.
cxx_bench() {
	folder=build_$1_$(echo "$3_$4" | tr ' =' '__')
	parameters=
	macros=
	for parameter in $4; do parameters="$parameters -G$parameter"; done
	for macro in $5; do macros="$macros -D$macro"; done
	# shellcheck disable=SC2086
	verilator --cc --exe --build -j 1 -O3 --x-assign unique --x-initial unique --noassert $parameters --top "$3" \
		--prefix "$2" -I"$rtl" -Mdir "$folder" -CFLAGS "-O2 -I$source -I$tb$macros" \
		"$rtl/$3.v" "$tb/$1.cpp" "$scratch/sha256.o" -o bench >build.log 2>&1 || { tail -n 20 build.log; return 1; }
	"$folder/bench" "$6"
}

# DEPTH NONCES: a hash core; depth 0 is the iterative one.
core() {
	if [ "$1" = 0 ]; then
		cxx_bench core_bench Vcore sha256d_iter '' CLOCKS_A_HASH=124 "$2"
	else
		cxx_bench core_bench Vcore sha256d_ring "DEPTH=$1" "CLOCKS_A_HASH=$((128 / $1))" "$2"
	fi
}

# CORES DEPTH HITS_LOG2 NONCES
miner() {
	parameters="CORES=$1 DEPTH=$2 HITS_LOG2=$3"
	cxx_bench miner_bench Vminer miner_top "$parameters" "$parameters" "$4"
}

# CORES BLOCKS
axis() { cxx_bench axis_bench Vaxis sha256d_axis "CORES=$1" "CORES=$1" "$2"; }

# MODULE FILE... : its assertions, proved by induction.
proof() {
	module=$1
	shift
	yosys -q -p "read_verilog -formal $*; prep -top $module -flatten; memory_map; opt; async2sync;
		sat -tempinduct -prove-asserts -set-assumes -set-def-inputs -seq 1 -maxsteps 20 -verify $module"
}
proof_of_fifo() {
	yosys -q -p "read_verilog -formal $rtl/fifo.v; chparam -set WIDTH 4 -set DEPTH_LOG2 2 fifo; write_rtlil fifo.il" &&
	yosys -q -p "read_rtlil fifo.il; prep -top fifo -flatten; memory_map; opt; async2sync;
		sat -tempinduct -prove-asserts -set-assumes -set-def-inputs -seq 1 -maxsteps 20 -verify fifo"
}
proof_of_nonce_counter() { proof nonce_counter "$rtl/nonce_counter.v"; }
proof_of_add32() { proof add32_formal "$rtl/add32.v" "$tb/add32_formal.v"; }

# FILE SED-EXPRESSION COMMAND...: with that one bug in the RTL the command, which else succeeds, must find it (and
# not just fail to build).
seeded_bug() {
	rm -rf buggy
	cp -r "$source/fpga/rtl" buggy
	sed "$2" "$source/fpga/rtl/$1" >"buggy/$1"
	if cmp -s "buggy/$1" "$source/fpga/rtl/$1"; then
		echo "FAILED the bug is not in $1: $2"
		failed=$((failed + 1))
		return
	fi
	file=$1
	shift 2
	rtl=$scratch/buggy
	if ! "$@" >log 2>&1 && grep -qE '^FAILED|proof did fail' log; then
		passed=$((passed + 1))
	else
		echo "FAILED $* does not see a bug in $file"
		tail -n 5 log | sed 's/^/    /'
		failed=$((failed + 1))
	fi
	rtl=$source/fpga/rtl
}

fact registers_are_those_of_the_table registers_are_those_of_the_table
fact a_wrong_register_table_is_refused a_wrong_register_table_is_refused

for depth in 0 2 4 8 16 32 64; do
	fact "lint_of_the_miner_with_depth_$depth" lint miner_top -GDEPTH=$depth
done
fact lint_of_the_miner_with_three_cores lint miner_top -GDEPTH=4 -GCORES=3
for cores in 1 2 3 8; do
	fact "lint_of_the_stream_with_${cores}_cores" lint sha256d_axis -GCORES=$cores
done
fact icarus_takes_the_rtl_without_a_warning icarus_takes_the_rtl_without_a_warning
fact yosys_takes_the_rtl_without_a_warning yosys_takes_the_rtl_without_a_warning

for module in add32 nonce_counter fifo; do
	fact "proof_of_$module" "proof_of_$module"
done
for bench in nonce_counter_tb fifo_tb axil_slave_tb; do
	fact "$bench in Icarus" icarus $bench
	fact "$bench in Verilator" verilated $bench
done
fact 'fifo_tb of two entries' icarus fifo_tb DEPTH_LOG2=1
for depth in 0 2 16 64; do
	fact "core_tb of depth $depth" icarus core_tb DEPTH=$depth
done
fact miner_top_tb icarus miner_top_tb
fact 'miner_top_tb, iterative' icarus miner_top_tb CORES=3 DEPTH=0
fact sha256d_axis_tb icarus sha256d_axis_tb
fact 'sha256d_axis_tb of one core' icarus sha256d_axis_tb CORES=1

if [ "$slow" = slow ]; then
	for depth in 0 2 4 8 16 32 64; do
		fact "core of depth $depth" core $depth 1048576
	done
	fact 'miner of 1 ring of 16' miner 1 16 4 1048576
	fact 'miner of 3 rings of 4' miner 3 4 2 1048576
	fact 'miner of 2 rings of 64' miner 2 64 4 1048576
	fact 'miner of 4 iterative cores' miner 4 0 4 100000
	for cores in 1 2 3 8; do
		fact "stream with $cores cores" axis $cores 20000
	done
else
	fact 'core of depth 0' core 0 2000
	fact 'core of depth 2' core 2 5000
	fact 'core of depth 16' core 16 50000
	fact 'miner of 3 rings of 4' miner 3 4 2 20000
	fact 'stream with 3 cores' axis 3 300
fi

seen=$failed
seeded_bug add32.v "s/{~b, 1'b1}/{~b, 1'b0}/" proof_of_add32
seeded_bug fifo.v 's/push && !full) begin/push) begin/' proof_of_fifo
seeded_bug fifo.v 's/same_index && !empty/same_index \&\& read_q[0]/' icarus fifo_tb
seeded_bug nonce_counter.v 's/nonce_q != last_q;/nonce_q + 1 != last_q;/' proof_of_nonce_counter
seeded_bug nonce_counter.v 's/valid_q && ready) begin/valid_q) begin/' icarus nonce_counter_tb
seeded_bug axil_slave.v 's/(!bvalid_q || s_axil_bready);/1;/' icarus axil_slave_tb
seeded_bug axil_slave.v 's/&s_axil_wstrb/|s_axil_wstrb/' icarus axil_slave_tb
seeded_bug axil_slave.v 's/if (read)$/if (s_axil_arvalid)/' icarus axil_slave_tb
seeded_bug sha256_constants.vh 's/c67178f2/c67178f3/' icarus core_tb DEPTH=16
seeded_bug sha256d_ring.v 's/swap32(word7_q) <= target/swap32(word7_q) < target/' core 4 1000
seeded_bug sha256d_ring.v 's/found && (hit_valid_q || deliver_q);/1'"'b0"';/' icarus core_tb DEPTH=16
seeded_bug sha256d_ring.v 's/(hit_valid_q || deliver_q);/hit_valid_q;/' core 4 1000
seeded_bug sha256d_ring.v 's/park && !clear;/park;/' core 4 1000
seeded_bug sha256d_ring.v 's/!free && !clear && pass/!free \&\& pass/' core 4 1000
seeded_bug sha256d_ring.v 's/valid_q <= {PLACES{1.b0}};//' core 4 1000
seeded_bug sha256d_iter.v 's/deliver = done_q && !hit_valid_q/deliver = done_q/' core 0 1000
seeded_bug sha256d_iter.v 's/next_round_q == 6.d61) phase_q/next_round_q == 6'"'d60"') phase_q/' icarus core_tb DEPTH=0
seeded_bug miner_engine.v 's/&core_idle && /1 \&\& /' miner 3 4 2 1000
seeded_bug miner_engine.v 's/^\(\t*\)tag_q <= job_tag;/\1tag_q <= tag_q;/' icarus miner_top_tb
seeded_bug miner_engine.v 's/assign hit_tag   = tag_q/assign hit_tag   = job_tag/' miner 3 4 2 1000
seeded_bug miner_regs.v 's/(irq_status_q & ~irq_clear) | irq_event/irq_status_q | irq_event/' miner 3 4 2 1000
seeded_bug miner_regs.v 's/irq_status_q\[IRQ_STATUS_EXHAUSTED\] <= 1.b0/irq_status_q <= irq_status_q/' miner 3 4 2 1000
seeded_bug sha256d_block.v 's/wire stall  = digested_q && !unload;/wire stall  = 1'"'b0"';/' icarus sha256d_axis_tb
seeded_bug sha256d_axis.v 's/in_word_q <= s_axis_tlast ? 4.d0 : /in_word_q <= /' axis 3 100
[ "$failed" = "$seen" ] && echo "ok every_seeded_bug_is_seen"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
