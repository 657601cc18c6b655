#!/bin/sh
# Synthesise the RTL for three families, and place and route it where the tools here can. Each design leaves the
# reports of the tools in the current folder and is made again only when the RTL changed; report.py reads them.
#
# What a newcomer would get wrong: only the HX8K's figures are measured. Yosys counts what a Zynq or a Cyclone V
# would need, and neither Vivado nor Quartus has seen it.
#
# Usage: synth.sh [small|all|DESIGN...]		(DESIGN: a name of the lists below)
set -eu
fpga=$(cd "$(dirname "$0")/.." && pwd)

# PART/TOP-NUMBERS: miner-CORESxDEPTH is miner_top, axis-CORES is sha256d_axis, search-DEPTH is search.v, board-DEPTH
# is boards/hx8k. A depth of 0 is the iterative core.
small='xc7z020/miner-1x0 xc7z020/miner-1x16 hx8k/search-4'
large='xc7z020/miner-1x4 xc7z020/miner-1x32 xc7z020/miner-1x64 xc7z020/miner-2x64 xc7z020/axis-1 xc7z020/axis-8
	5cseba6/miner-1x0 5cseba6/miner-1x4 5cseba6/miner-1x16 5cseba6/miner-1x32 5cseba6/miner-1x64
	hx8k/search-0 hx8k/search-2 hx8k/board-2'

# Sources are named from fpga/, since paths get into names and names decide ties: the same result in any folder.
yosys_run() {
	(cd "$fpga" && yosys -q -p "$1") >"$out/yosys.log" 2>&1 || { cat "$out/yosys.log"; return 1; }
}

# DESIGN: its top module, parameters and the modules that are cores, as Yosys names them.
describe() {
	numbers=${1##*-}
	case $1 in
	*/miner-*)
		top=miner_top
		parameters="-set CORES ${numbers%x*} -set DEPTH ${numbers#*x}"
		[ "${numbers#*x}" = 0 ] && cores='sha256d_iter' || cores='*sha256d_ring'
		;;
	*/axis-*) top=sha256d_axis parameters="-set CORES $numbers" cores='sha256d_block' ;;
	*/search-*) top=search parameters="-set DEPTH $numbers" cores= ;;
	*/board-*) top=hx8k parameters="-set DEPTH $numbers" cores= ;;
	*) echo "synth: no such design: $1" >&2 && return 1 ;;
	esac
	case $1 in
	*/board-*) extra='boards/hx8k/hx8k.v boards/hx8k/uart_axil.v' ;;
	*) extra=synth/search.v ;;
	esac
	read="read_verilog -Irtl rtl/*.v $extra; chparam $parameters $top;"
	# A ring of 64 as a whole is too much for Yosys' mapper to a Cyclone V; its stages, which share nothing, are not.
	case $1 in
	5cseba6/*x0) ;;
	5cseba6/*) cores="$cores *sha256d_ring_stage" ;;
	esac
	[ -z "$cores" ] || read="$read hierarchy -check -top $top; setattr -mod -set keep_hierarchy 1 $cores;"
}

# PINS SEED REPORT: place and route netlist.json into netlist.asc.
route() {
	# shellcheck disable=SC2086
	nextpnr-ice40 --hx8k --package ct256 --json netlist.json --freq 75 --seed "$2" $1 --asc netlist.asc \
		--timing-allow-fail --report "$3" >nextpnr.log 2>&1
}

# -nowidelut: a SHA core has no use for wide multiplexers, and is smaller without.
synthesise() {
	out=$PWD
	describe "$1"
	case $1 in
	xc7z020/*)
		yosys_run "$read synth_xilinx -family xc7 -top $top -flatten -noiopad -nowidelut;
			tee -o $out/stat.txt stat -tech xilinx; write_blif -gates $out/netlist.blif"
		;;
	5cseba6/*) yosys_run "$read synth_intel_alm -family cyclonev -top $top -noiopad; tee -o $out/stat.txt stat" ;;
	hx8k/*)
		yosys_run "$read synth_ice40 -top $top -json $out/netlist.json; tee -o $out/stat.txt stat"
		case $1 in
		*/board-*) pins="--pcf $fpga/boards/hx8k/hx8k.pcf" ;;
		*) pins=--pcf-allow-unconstrained ;;
		esac
		route "$pins" 1 route.json || { tail -n 20 nextpnr.log; return 1; }
		icepack netlist.asc netlist.bin
		;;
	esac
}

case ${1-small} in
small) designs=$small ;;
all) designs="$small $large" ;;
*) designs=$* ;;
esac
for design in $designs; do
	mkdir -p "$design"
	case $design in
	*/board-*) made_of="$fpga/rtl $fpga/synth/synth.sh $fpga/boards/hx8k" ;;
	*/search-*) made_of="$fpga/rtl $fpga/synth/synth.sh $fpga/synth/search.v" ;;
	*) made_of="$fpga/rtl $fpga/synth/synth.sh" ;;
	esac
	# shellcheck disable=SC2086
	if [ -e "$design/done" ] && [ -z "$(find $made_of -maxdepth 1 -type f -newer "$design/done")" ]; then
		continue
	fi
	rm -f "$design/done"
	start=$(date +%s)
	(
		cd "$design"
		synthesise "$design"
		times >times
	)
	touch "$design/done"
	echo "synth: $design, $(($(date +%s) - start)) s; CPU, user and system: $(tail -n 1 "$design/times")"
done

# Place and route begins at random: how much of its clock is luck. A seed that finds no place for all
# is left out of the list, which is what the || true is for.
if [ "${1-}" = all ]; then
	cd hx8k/search-4
	for seed in 2 3 4 5; do
		[ route-$seed.json -nt netlist.json ] || route --pcf-allow-unconstrained $seed route-$seed.json || true
	done
fi
