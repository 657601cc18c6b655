# Not run here: no Vitis HLS. Written after UG1399 for Vitis HLS 2022.1 and later.
#
# C simulation, synthesis and export as an IP block for the PYNQ-Z2's part, which can stand for sha256d_axis.v in
# boards/pynq-z2/build.tcl.
#
# Usage: vitis_hls -f fpga/hls/build.tcl		(in the source folder)

set source [file normalize [file dirname [info script]]/../..]
open_project -reset adit_hls
set_top sha256d_axis
add_files $source/fpga/hls/sha256d_axis.cpp -cflags "-I$source/fpga/hls"
add_files -tb $source/fpga/hls/hls_bench.cpp -cflags "-I$source -I$source/fpga/hls"
add_files -tb $source/sha3/sha256.c -cflags "-I$source"
open_solution -reset solution -flow_target vivado
set_part xc7z020clg400-1
create_clock -period 10
csim_design
csynth_design
export_design -format ip_catalog
exit
