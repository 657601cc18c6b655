# Not run here: no Vivado. Written for Vivado 2022.1 and later, in project mode.
#
# The design for the PYNQ-Z2: the miner and the batch core beside the processing system, one 100 MHz clock from it.
# Makes adit.bit, adit.bit.bin (for the kernel's FPGA manager) and adit.bit.bin.sha256 in the folder build/.
#
# Usage: vivado -mode batch -source fpga/boards/pynq-z2/build.tcl		(from any folder)

# What adit.dts says, too; tests/check_boards.py holds one against the other. Interrupt n of IRQ_F2P is SPI 29 + n.
set miner_base 0x43c00000
set miner_irq 0
set dma_base 0x40400000
set dma_irq 1
set window 0x10000
set clock_mhz 100
set length_bits 26

# 64 is half a hash a clock; doc/FPGA.md has the table to choose from. CORES 2 is the largest that should fit. Where the
# clock is missed, miner_balanced 1 takes an adder of four out of the longest path, for 32 LUTs a stage.
set miner_cores 1
set miner_depth 64
set miner_balanced 0
set batch_cores 4

set here [file normalize [file dirname [info script]]]
set fpga [file normalize $here/../..]
create_project -force adit build/adit -part xc7z020clg400-1
add_files [glob $fpga/rtl/*.v $fpga/rtl/*.vh]
set_property file_type {Verilog Header} [get_files *.vh]
add_files -fileset constrs_1 $here/adit.xdc
update_compile_order -fileset sources_1

create_bd_design adit

# The processing system. The design is loaded into a running Linux, so its DDR and MIO settings are those of the boot
# image and none are made here. HP0 stays at 64 bits: its width is set by the boot loader and not by the bitstream.
set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps]
set_property -dict [list \
	CONFIG.PCW_USE_M_AXI_GP0 1 \
	CONFIG.PCW_USE_S_AXI_HP0 1 \
	CONFIG.PCW_S_AXI_HP0_DATA_WIDTH 64 \
	CONFIG.PCW_USE_FABRIC_INTERRUPT 1 \
	CONFIG.PCW_IRQ_F2P_INTR 1 \
	CONFIG.PCW_EN_CLK0_PORT 1 \
	CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ $clock_mhz] $ps
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 -config {make_external "FIXED_IO, DDR"} $ps
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset

# The miner and the batch core, as they are.
create_bd_cell -type module -reference miner_top miner
set_property -dict [list \
	CONFIG.CORES $miner_cores \
	CONFIG.DEPTH $miner_depth \
	CONFIG.BALANCED $miner_balanced] [get_bd_cells miner]
create_bd_cell -type module -reference sha256d_axis batch
set_property CONFIG.CORES $batch_cores [get_bd_cells batch]

# The batch core's way to memory: simple mode, and a LENGTH wide enough for a whole buffer.
set dma [create_bd_cell -type ip -vlnv xilinx.com:ip:axi_dma dma]
set_property -dict [list \
	CONFIG.c_include_sg 0 \
	CONFIG.c_sg_length_width $length_bits \
	CONFIG.c_m_axi_mm2s_data_width 64 \
	CONFIG.c_m_axis_mm2s_tdata_width 32 \
	CONFIG.c_mm2s_burst_size 16 \
	CONFIG.c_m_axi_s2mm_data_width 64 \
	CONFIG.c_s2mm_burst_size 16] $dma
connect_bd_intf_net [get_bd_intf_pins dma/M_AXIS_MM2S] [get_bd_intf_pins batch/s_axis]
connect_bd_intf_net [get_bd_intf_pins batch/m_axis] [get_bd_intf_pins dma/S_AXIS_S2MM]

set registers [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect registers]
set_property -dict [list CONFIG.NUM_SI 1 CONFIG.NUM_MI 2] $registers
connect_bd_intf_net [get_bd_intf_pins ps/M_AXI_GP0] [get_bd_intf_pins registers/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins registers/M00_AXI] [get_bd_intf_pins miner/s_axil]
connect_bd_intf_net [get_bd_intf_pins registers/M01_AXI] [get_bd_intf_pins dma/S_AXI_LITE]

set memory [create_bd_cell -type ip -vlnv xilinx.com:ip:smartconnect memory]
set_property -dict [list CONFIG.NUM_SI 2 CONFIG.NUM_MI 1] $memory
connect_bd_intf_net [get_bd_intf_pins dma/M_AXI_MM2S] [get_bd_intf_pins memory/S00_AXI]
connect_bd_intf_net [get_bd_intf_pins dma/M_AXI_S2MM] [get_bd_intf_pins memory/S01_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M00_AXI] [get_bd_intf_pins ps/S_AXI_HP0]

# One clock, one reset; but the batch core is reset with the DMA, whose reset by the driver ends a transfer that failed, and
# would else leave in it what was not fetched.
connect_bd_net [get_bd_pins ps/FCLK_CLK0] [get_bd_pins {
	ps/M_AXI_GP0_ACLK ps/S_AXI_HP0_ACLK reset/slowest_sync_clk registers/aclk memory/aclk miner/aclk batch/aclk
	dma/s_axi_lite_aclk dma/m_axi_mm2s_aclk dma/m_axi_s2mm_aclk}]
connect_bd_net [get_bd_pins ps/FCLK_RESET0_N] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins {
	registers/aresetn memory/aresetn miner/aresetn dma/axi_resetn}]
connect_bd_net [get_bd_pins dma/mm2s_prmry_reset_out_n] [get_bd_pins batch/aresetn]

set interrupts [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat interrupts]
set_property CONFIG.NUM_PORTS 2 $interrupts
connect_bd_net [get_bd_pins miner/irq] [get_bd_pins interrupts/In$miner_irq]
connect_bd_net [get_bd_pins dma/s2mm_introut] [get_bd_pins interrupts/In$dma_irq]
connect_bd_net [get_bd_pins interrupts/dout] [get_bd_pins ps/IRQ_F2P]

# A lamp that burns while an interrupt waits for the driver.
create_bd_port -dir O led
connect_bd_net [get_bd_pins miner/irq] [get_bd_ports led]

assign_bd_address -offset $miner_base -range $window -target_address_space [get_bd_addr_spaces ps/Data] \
	[get_bd_addr_segs miner/s_axil/reg0]
assign_bd_address -offset $dma_base -range $window -target_address_space [get_bd_addr_spaces ps/Data] \
	[get_bd_addr_segs dma/S_AXI_LITE/Reg]
assign_bd_address -target_address_space [get_bd_addr_spaces dma/Data_MM2S] [get_bd_addr_segs ps/S_AXI_HP0/*]
assign_bd_address -target_address_space [get_bd_addr_spaces dma/Data_S2MM] [get_bd_addr_segs ps/S_AXI_HP0/*]
validate_bd_design
save_bd_design

make_wrapper -files [get_files adit.bd] -top -import
set_property top adit_wrapper [current_fileset]
set_property STEPS.PHYS_OPT_DESIGN.IS_ENABLED true [get_runs impl_1]
launch_runs impl_1 -to_step write_bitstream -jobs 4
wait_on_run impl_1
if {[get_property PROGRESS [get_runs impl_1]] ne "100%"} {
	error "the run failed: see build/adit/adit.runs/impl_1/runme.log"
}

# A bitstream that misses its clock hashes wrongly: none is left.
open_run impl_1
report_utilization -file build/utilization.txt
report_timing_summary -file build/timing.txt
if {[get_property STATS.WNS [get_runs impl_1]] < 0} {
	error "the design misses $clock_mhz MHz by [get_property STATS.WNS [get_runs impl_1]] ns: lower clock_mhz"
}
file copy -force build/adit/adit.runs/impl_1/adit_wrapper.bit build/adit.bit
write_cfgmem -force -format bin -interface smapx32 -disablebitswap -loadbit "up 0 build/adit.bit" build/adit.bit.bin
exec sh -c "cd build && sha256sum adit.bit.bin >adit.bit.bin.sha256"
