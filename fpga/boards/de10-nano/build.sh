#!/bin/sh
# Not run here: no Quartus. Written for Quartus Prime 18.1 Lite and later.
#
# From Terasic's golden design for the DE10-Nano (the folder DE10_NANO_SoC_GHRD of its system CD) to adit.rbf and
# adit.rbf.sha256 in the current folder.
#
# Usage: build.sh GHRD-FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$PWD
cd "$1"

qsys-script --script="$here/add_miner.tcl" --system-file=soc_system.qsys --search-path="$here,$"
qsys-generate soc_system.qsys --synthesis=VERILOG --search-path="$here,$"
grep -q adit.sdc DE10_NANO_SoC_GHRD.qsf ||
	echo "set_global_assignment -name SDC_FILE $here/adit.sdc" >>DE10_NANO_SoC_GHRD.qsf
quartus_sh --flow compile DE10_NANO_SoC_GHRD

# A design that misses its clock hashes wrongly: no file is made of it.
if grep -q 'Timing requirements not met' output_files/*.sta.rpt; then
	echo "build.sh: the design misses its clock: lower clock_mhz in add_miner.tcl" >&2
	exit 1
fi

# For the FPGA manager of Linux: a raw binary, compressed, as the board's MSEL switches (01010) want it.
quartus_cpf -c -o bitstream_compression=on output_files/DE10_NANO_SoC_GHRD.sof "$out/adit.rbf"
cd "$out"
sha256sum adit.rbf >adit.rbf.sha256
