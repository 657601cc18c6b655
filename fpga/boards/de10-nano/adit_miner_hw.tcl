# Not run here: no Quartus. Written for Platform Designer of Quartus Prime 18.1 Lite and later.
#
# The miner as a component: adit_miner.v and the RTL, one AXI4-Lite agent, one interrupt.
package require -exact qsys 16.1

set_module_property NAME adit_miner
set_module_property VERSION 1.0
set_module_property DISPLAY_NAME "adit miner"

set rtl [file normalize [file dirname [info script]]/../../rtl]
add_fileset synthesis QUARTUS_SYNTH
set_fileset_property synthesis TOP_LEVEL adit_miner
add_fileset_file adit_miner.v VERILOG PATH adit_miner.v TOP_LEVEL_FILE
foreach file [glob $rtl/*.v] {
	add_fileset_file [file tail $file] VERILOG PATH $file
}
foreach file [glob $rtl/*.vh] {
	add_fileset_file [file tail $file] VERILOG_INCLUDE PATH $file
}

add_parameter CORES INTEGER 1 "hash cores"
set_parameter_property CORES HDL_PARAMETER true
add_parameter DEPTH INTEGER 16 "round stages of each"
set_parameter_property DEPTH HDL_PARAMETER true

add_interface clock clock end
add_interface_port clock aclk clk Input 1

add_interface reset reset end
set_interface_property reset associatedClock clock
set_interface_property reset synchronousEdges BOTH
add_interface_port reset aresetn reset_n Input 1

add_interface s_axil axi4lite end
set_interface_property s_axil associatedClock clock
set_interface_property s_axil associatedReset reset
foreach {port role direction width} {
	awaddr  awaddr  Input  12  awprot  awprot  Input  3  awvalid awvalid Input  1  awready awready Output 1
	wdata   wdata   Input  32  wstrb   wstrb   Input  4  wvalid  wvalid  Input  1  wready  wready  Output 1
	bresp   bresp   Output 2   bvalid  bvalid  Output 1  bready  bready  Input  1
	araddr  araddr  Input  12  arprot  arprot  Input  3  arvalid arvalid Input  1  arready arready Output 1
	rdata   rdata   Output 32  rresp   rresp   Output 2  rvalid  rvalid  Output 1  rready  rready  Input  1
} {
	add_interface_port s_axil s_axil_$port $role $direction $width
}

add_interface irq interrupt end
set_interface_property irq associatedAddressablePoint s_axil
set_interface_property irq associatedClock clock
set_interface_property irq associatedReset reset
add_interface_port irq irq irq Output 1
