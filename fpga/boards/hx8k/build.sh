#!/bin/sh
# The HX8K board's bitstream, hx8k.bin, by the open tools, in the current folder. It fails when the clock is missed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rtl=$here/../../rtl
hz=$(sed -n 's/.*CLOCK_HZ = \([0-9]*\).*/\1/p' "$here/hx8k.v")

yosys -q -p "read_verilog -I$rtl $rtl/*.v $here/hx8k.v $here/uart_axil.v; synth_ice40 -top hx8k -json hx8k.json"
nextpnr-ice40 --hx8k --package ct256 --json hx8k.json --pcf "$here/hx8k.pcf" --freq $((hz / 1000000)) --seed 1 --asc hx8k.asc
icepack hx8k.asc hx8k.bin
