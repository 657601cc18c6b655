#!/bin/sh
# The FPGA's RTL: lint, benches in Icarus and Verilator, proofs by
# Yosys, and bugs put in on purpose, each of which must be noticed. The quick form is one
# job of a few minutes; `slow` is the same with 10^6 nonces a core and all ring depths.
#
# Usage: check_rtl.sh [slow]		(exits 77, skipped, without verilator, iverilog and yosys)
set -u
source=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
slow=${1-}
rtl=$source/fpga/rtl
tb=$source/fpga/tb
formal=$source/fpga/formal
boards=$source/fpga/boards

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

# ARGUMENT...: Icarus takes it, without a warning but for the remark that an always @* which reads an array waits for
# all of it: that is meant.
silent_icarus() {
	silent iverilog -g2005 -Wall -Wno-sensitivity-entire-array -I"$rtl" -y"$rtl" "$@" -o out
}

icarus_takes_the_rtl_without_a_warning() {
	for top in miner_top sha256d_axis; do
		silent_icarus "$rtl/$top.v" || return
	done
}

yosys_takes_the_rtl_without_a_warning() {
	for top in miner_top sha256d_axis; do
		silent yosys -q -p "read_verilog -I$rtl $rtl/*.v; hierarchy -check -top $top; proc; check -assert" || return
	done
}

# What the boards put around the RTL; the HX8K's top is left out for its PLL, which is the vendor's.
lint_of_the_boards() {
	silent verilator --lint-only -Wall -I"$rtl" "$boards/de10-nano/adit_miner.v" &&
	for clocks in 4 600; do
		silent verilator --lint-only -Wall -GCLOCKS_A_BIT=$clocks "$boards/hx8k/uart_axil.v" || return
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
	iverilog -g2005-sv $parameters -I"$rtl" -I"$tb" -y"$rtl" -y"$rtl/offload" -y"$boards/hx8k" -o out "$tb/$bench.v" && vvp -n out
}

# BENCH: the same bench in Verilator. The RTL is linted above, without any exception; a bench counts in integers
# and has the only timescale, which lint would remark on.
verilated() {
	verilator --binary --timing -j 1 -Wno-lint -Wno-style -Wno-TIMESCALEMOD -I"$rtl" -I"$tb" -I"$boards/hx8k" \
		--top "$1" -Mdir "verilated_$1" "$tb/$1.v" >build.log 2>&1 ||
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

# DEPTH NONCES [PARAMETER=VALUE]: a hash core; depth 0 is the iterative one.
core() {
	if [ "$1" = 0 ]; then
		cxx_bench core_bench Vcore sha256d_iter '' CLOCKS_A_HASH=124 "$2"
	else
		cxx_bench core_bench Vcore sha256d_ring "DEPTH=$1 ${3-}" "CLOCKS_A_HASH=$((128 / $1))" "$2"
	fi
}

# CORES DEPTH HITS_LOG2 NONCES
miner() {
	parameters="CORES=$1 DEPTH=$2 HITS_LOG2=$3"
	cxx_bench miner_bench Vminer miner_top "$parameters" "$parameters" "$4"
}

# CORES BLOCKS
axis() { cxx_bench axis_bench Vaxis sha256d_axis "CORES=$1" "CORES=$1" "$2"; }

# The offload cores (fpga/rtl/offload), by name.
core_number() {
	case $1 in
	chacha20) echo 1 ;;
	aes128) echo 2 ;;
	sha256d) echo 3 ;;
	cubehash256) echo 4 ;;
	secp256k1) echo 5 ;;
	esac
}

# NAME CORES
lint_of_offload() {
	silent verilator --lint-only -Wall "-GCORE=$(core_number "$1")" "-GCORES=$2" --top offload_top -I"$rtl" \
		-I"$rtl/offload" "$rtl/offload/offload_top.v"
}

# NAME
other_tools_take_offload() {
	silent_icarus "-Poffload_top.CORE=$(core_number "$1")" -I"$rtl/offload" -y"$rtl/offload" "$rtl/offload/offload_top.v" &&
	silent yosys -q -p "read_verilog -I$rtl -I$rtl/offload $rtl/*.v $rtl/offload/*.v;
		chparam -set CORE $(core_number "$1") offload_top; hierarchy -check -top offload_top; proc; check -assert"
}

# NAME CORES: the published vectors in Icarus.
icarus_offload() {
	iverilog -g2005-sv "-Poffload_tb.CORE=$(core_number "$1")" "-Poffload_tb.CORES=$2" \
		"-Poffload_tb.VECTORS=\"$tb/offload/$1.txt\"" -I"$rtl" -I"$rtl/offload" -y"$rtl" -y"$rtl/offload" \
		-o out "$tb/offload_tb.v" && vvp -n out
}

# NAME CORES ITEMS: the C++ bench. Verilator's runtime is compiled once for all of them, a model as one file; what of both
# is Verilator's (-w) is not ours to warn about.
offload() {
	folder=offload_$1_$2
	include=$(verilator --getenv VERILATOR_ROOT)/include
	references='sha256.o chacha20.o aes128.o cubehash256.o secp256k1.o'
	{
		[ -e runtime.o ] || {
			for part in verilated verilated_threads; do echo "#include \"$include/$part.cpp\""; done >runtime.cc
			"${CXX:-c++}" -O2 -w -I"$include" -c runtime.cc -o runtime.o
			for part in cipher/chacha20 cipher/aes128 sha3/cubehash256 field/secp256k1; do
				"${CC:-cc}" -O2 -std=c11 -I"$source" -c "$source/$part.c" -o "${part#*/}.o" || return
			done
		} &&
		rm -rf "$folder" &&
		verilator --cc -O3 --x-assign unique --x-initial unique --noassert "-GCORE=$(core_number "$1")" "-GCORES=$2" \
			--top offload_top --prefix Voffload -I"$rtl" -I"$rtl/offload" -Mdir "$folder" "$rtl/offload/offload_top.v" &&
		for file in "$folder"/*.cpp; do echo "#include \"${file##*/}\""; done >"$folder/all.cc" &&
		"${CXX:-c++}" $offload_flags -w -I"$include" -c "$folder/all.cc" -o "$folder/all.o" &&
		"${CXX:-c++}" $offload_flags -std=c++17 -Wall -Wextra "-DCORE=$(core_number "$1")" "-DCORES=$2" -I"$folder" \
			-isystem "$include" -I"$tb" -I"$source" "$tb/offload_bench.cpp" "$folder/all.o" runtime.o $references \
			-o "$folder/bench"
	} >build.log 2>&1 || { tail -n 20 build.log; return 1; }
	"$folder/bench" "$3" "$tb/offload/$1.txt"
}
offload_flags=-O1

# MODULE 'PARAMETER VALUE' FILE...: its assertions hold for ever, proved by induction.
proof() {
	module=$1
	parameters=$2
	shift 2
	yosys -q -p "read_verilog -formal $*; ${parameters:+chparam $parameters $module;} prep -top $module -flatten; write_rtlil proof.il" &&
	yosys -q -p "read_rtlil proof.il; memory_map; opt; async2sync;
		sat -tempinduct -prove-asserts -set-assumes $sat_flags -seq 1 -maxsteps 20 -verify"
}
# Inputs are 0 or 1. Where any_core chooses by itself, x must be left out altogether.
sat_flags=-set-def-inputs
proof_of_add32() { proof add32_formal '' "$rtl/add32.v" "$formal/add32_formal.v"; }
proof_of_axil_slave() { proof axil_slave '' "$rtl/axil_slave.v"; }
proof_of_fifo() { proof fifo '-set WIDTH 4 -set DEPTH_LOG2 2' "$rtl/fifo.v"; }
proof_of_nonce_counter() { proof nonce_counter '' "$rtl/nonce_counter.v"; }
proof_of_miner_engine() {
	sat_flags=
	proof miner_engine '-set CORES 2 -set DEPTH 64' "$rtl/miner_engine.v" "$rtl/nonce_counter.v" "$formal/any_core.v"
	status=$?
	sat_flags=-set-def-inputs
	return $status
}

# FILE SED-EXPRESSION COMMAND...: with that one bug in the RTL the command, which else succeeds, must find it (and
# not just fail to build).
seeded_bug() {
	file=rtl/$1
	[ -e "$source/fpga/$file" ] || file=boards/hx8k/$1
	rm -rf buggy
	mkdir buggy
	cp -r "$source/fpga/rtl" "$source/fpga/boards" buggy
	sed "$2" "$source/fpga/$file" >"buggy/$file"
	if cmp -s "buggy/$file" "$source/fpga/$file"; then
		echo "FAILED the bug is not in $file: $2"
		failed=$((failed + 1))
		return
	fi
	shift 2
	rtl=$scratch/buggy/rtl
	boards=$scratch/buggy/boards
	if ! "$@" >log 2>&1 && grep -qE '^FAILED|proof did fail' log; then
		passed=$((passed + 1))
	else
		echo "FAILED $* does not see a bug in $file"
		tail -n 5 log | sed 's/^/    /'
		failed=$((failed + 1))
	fi
	rtl=$source/fpga/rtl
	boards=$source/fpga/boards
}

for depth in 0 2 4 8 16 32 64; do
	fact "lint_of_the_miner_with_depth_$depth" lint miner_top -GDEPTH=$depth
done
fact lint_of_the_miner_with_three_cores lint miner_top -GDEPTH=4 -GCORES=3
for depth in 2 64; do
	fact "lint_of_the_miner_with_depth_${depth}_balanced" lint miner_top -GDEPTH=$depth -GBALANCED=1
done
for cores in 1 2 3 8; do
	fact "lint_of_the_stream_with_${cores}_cores" lint sha256d_axis -GCORES=$cores
done
fact icarus_takes_the_rtl_without_a_warning icarus_takes_the_rtl_without_a_warning
fact yosys_takes_the_rtl_without_a_warning yosys_takes_the_rtl_without_a_warning
fact lint_of_the_boards lint_of_the_boards

for module in add32 nonce_counter fifo axil_slave miner_engine; do
	fact "proof_of_$module" "proof_of_$module"
done
for bench in nonce_counter_tb fifo_tb axil_slave_tb hx8k_tb; do
	fact "$bench in Icarus" icarus $bench
	fact "$bench in Verilator" verilated $bench
done
fact 'fifo_tb of two entries' icarus fifo_tb DEPTH_LOG2=1
for depth in 0 2 16 64; do
	fact "core_tb of depth $depth" icarus core_tb DEPTH=$depth
done
fact 'core_tb of depth 4, balanced' icarus core_tb DEPTH=4 BALANCED=1
fact miner_top_tb icarus miner_top_tb
fact 'miner_top_tb, iterative' icarus miner_top_tb CORES=3 DEPTH=0
fact sha256d_axis_tb icarus sha256d_axis_tb
fact 'sha256d_axis_tb of one core' icarus sha256d_axis_tb CORES=1

for core in chacha20 aes128 sha256d cubehash256 secp256k1; do
	for cores in 1 3; do
		[ "$core$cores" = aes1283 ] && continue	# there is always one
		fact "lint_of_offload_of_${cores}_$core" lint_of_offload $core $cores
		fact "offload_tb of $cores $core" icarus_offload $core $cores
	done
	fact "icarus_and_yosys_take_offload_of_$core" other_tools_take_offload $core
done
fact secp256k1_mod_tb icarus secp256k1_mod_tb
fact 'offload of 2 chacha20' offload chacha20 2 100000
fact 'offload of aes128' offload aes128 1 100000
fact 'offload of 4 cubehash256' offload cubehash256 4 100000
fact 'offload of secp256k1' offload secp256k1 1 100000

if [ "$slow" = slow ]; then
	for cores in 1 5 6; do
		fact "offload of $cores chacha20" offload chacha20 $cores 1000000
	done
	fact 'offload of aes128' offload aes128 1 1000000
	fact 'offload of 3 sha256d' offload sha256d 3 100000
	fact 'offload of 3 secp256k1' offload secp256k1 3 1000000
	fact 'offload of a cubehash256' offload cubehash256 1 100000
	fact 'offload of 11 cubehash256' offload cubehash256 11 1000000
	for depth in 0 2 4 8 16 32 64; do
		fact "core of depth $depth" core $depth 1048576
	done
	for depth in 2 4 64; do
		fact "core of depth $depth, balanced" core $depth 1048576 BALANCED=1
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
seeded_bug axil_slave.v 's/(!bvalid_q || s_axil_bready);/1;/' proof_of_axil_slave
seeded_bug axil_slave.v 's/rdata_q <= read_data;/rdata_q <= s_axil_wdata;/' proof_of_axil_slave
seeded_bug axil_slave.v 's/&s_axil_wstrb/|s_axil_wstrb/' icarus axil_slave_tb
seeded_bug axil_slave.v 's/if (read)$/if (s_axil_arvalid)/' icarus axil_slave_tb
seeded_bug sha256_constants.vh 's/c67178f2/c67178f3/' icarus core_tb DEPTH=16
seeded_bug sha256d_ring.v 's/swap32(word7_q) <= target/swap32(word7_q) < target/' core 4 1000
seeded_bug sha256d_ring.v 's/state\[DEPTH\]\[95:64\]/state[DEPTH][127:96]/' icarus core_tb DEPTH=2
seeded_bug sha256d_ring.v 's/32\*i+32 +: 32/32*i +: 32/' icarus core_tb DEPTH=16
seeded_bug sha256d_ring_stage.v 's/(.a(t1), .b(t2)/(.a(t1), .b(a)/' icarus core_tb DEPTH=4 BALANCED=1
seeded_bug sha256d_ring.v 's/found && (hit_valid_q || deliver_q);/1'"'b0"';/' icarus core_tb DEPTH=16
seeded_bug sha256d_ring.v 's/(hit_valid_q || deliver_q);/hit_valid_q;/' core 4 1000
seeded_bug sha256d_ring.v 's/park && !clear;/park;/' core 4 1000
seeded_bug sha256d_ring.v 's/!free && !clear && pass/!free \&\& pass/' core 4 1000
seeded_bug sha256d_ring.v 's/valid_q <= {PLACES{1.b0}};//' core 4 1000
seeded_bug sha256d_iter.v 's/deliver = done_q && !hit_valid_q/deliver = done_q/' core 0 1000
seeded_bug sha256d_iter.v 's/next_round_q == 6.d61) phase_q/next_round_q == 6'"'d60"') phase_q/' icarus core_tb DEPTH=0
seeded_bug miner_engine.v 's/&core_idle && /1 \&\& /' miner 3 4 2 1000
seeded_bug miner_engine.v 's/&core_idle && /1 \&\& /' proof_of_miner_engine
seeded_bug miner_engine.v 's/hit_ready && first_hit;/hit_ready;/' proof_of_miner_engine
seeded_bug miner_engine.v 's/assign hit_tag   = tag_q/assign hit_tag   = job_tag/' proof_of_miner_engine
seeded_bug miner_engine.v 's/^\(\t*\)tag_q <= job_tag;/\1tag_q <= tag_q;/' icarus miner_top_tb
seeded_bug miner_engine.v 's/assign hit_tag   = tag_q/assign hit_tag   = job_tag/' miner 3 4 2 1000
seeded_bug miner_regs.v 's/(irq_status_q & ~irq_clear) | irq_event/irq_status_q | irq_event/' miner 3 4 2 1000
seeded_bug miner_regs.v 's/irq_status_q\[IRQ_STATUS_EXHAUSTED\] <= 1.b0/irq_status_q <= irq_status_q/' miner 3 4 2 1000
seeded_bug sha256d_block.v 's/wire stall  = digested_q && !unload;/wire stall  = 1'"'b0"';/' icarus sha256d_axis_tb
seeded_bug sha256d_axis.v 's/in_word_q <= s_axis_tlast ? 4.d0 : /in_word_q <= /' axis 3 100
seeded_bug uart_axil.v "s/answer_left_q <= 3'd4;/answer_left_q <= 3'd3;/" icarus hx8k_tb
seeded_bug uart_axil.v "s/rx_done_q <= rx_q.1.;/rx_done_q <= 1'b1;/" icarus hx8k_tb
seeded_bug offload/chacha20_quarter.v 's/b1x\[19:0\], b1x\[31:20\]/b1x[20:0], b1x[31:21]/' icarus_offload chacha20 1
seeded_bug offload/axis_turns.v 's/if (out_ends)$/if (1)/' icarus_offload chacha20 3
seeded_bug offload/aes128_sbox.vh 's/16bb54b0/16bb54b1/' icarus_offload aes128 1
seeded_bug offload/aes128_keys.v 's/8.h1b & {8{rcon/8'"'h00 \& {8{rcon"'/' icarus_offload aes128 1
seeded_bug offload/aes128_pipe.v 's/advance = !out_valid_q || m_axis_tready/advance = 1'"'b1"'/' icarus_offload aes128 1
seeded_bug offload/aes128_pipe.v 's/end else if (take)/end else if (advance)/' icarus_offload aes128 1
seeded_bug offload/cubehash_round.v 's/i ^ 4/i ^ 8/' icarus_offload cubehash256 1
seeded_bug offload/cubehash256_block.v 's/(!final_round || out_free)/1/' icarus_offload cubehash256 1
seeded_bug offload/axis_narrow.v 's/last_q && left_q == 3.d1/last_q/' icarus_offload sha256d 1
seeded_bug offload/axis_widen.v 's/have_q != 3.d4 || m_axis_tready/1/' icarus_offload sha256d 1
seeded_bug offload/secp256k1_mod.v 's/near_q\[256\] || other\[256\]/near_q[256]/' icarus_offload secp256k1 1
seeded_bug offload/secp256k1_mod.v 's/high_15, 6.d0/high_15, 5'"'d0"'/' icarus_offload secp256k1 1
offload_flags=-O0
seeded_bug offload/item_by_registers.v 's/? word_q == 2.d3/? word_q == 2'"'d2"'/' offload secp256k1 1 1000
seeded_bug offload/chacha20_block.v 's/(pad_ready && out_beat_q == 2.d3)/pad_ready/' offload chacha20 2 1000
seeded_bug offload/stream_to_memory.v "s/5'd16 - {1'b0, at_q\[3:0\]}/5'd16/" offload chacha20 1 1000
seeded_bug offload/stream_to_memory.v "s/ \&\& unanswered_q == 2'd0\$//" offload chacha20 1 1000
[ "$failed" = "$seen" ] && echo "ok every_seeded_bug_is_seen"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
