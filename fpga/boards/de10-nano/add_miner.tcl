# Not run here: no Quartus. Written for qsys-script of Quartus Prime 18.1 Lite and later.
#
# Puts the miner into Terasic's golden design for the DE10-Nano (soc_system.qsys, GHRD), whose processor settings, DDR
# timing and pins are the board's and stay as they are. A PLL of its own makes the miner's clock of the board's 50 MHz.
#
# Usage: qsys-script --script=fpga/boards/de10-nano/add_miner.tcl --system-file=soc_system.qsys \
#		--search-path=fpga/boards/de10-nano,$

# What adit.dts says, too; tests/check_boards.py holds one against the other. The lightweight bridge begins at
# 0xff200000, and interrupt n of f2h_irq0 is SPI 40 + n.
set bridge 0xff200000
set miner_base 0xff240000
set miner_irq 8
set clock_mhz 80

# doc/FPGA.md has the table to choose from; four of these cores should fit.
set miner_cores 1
set miner_depth 16

package require -exact qsys 16.1

add_instance miner_pll altera_pll
set_instance_parameter_value miner_pll gui_reference_clock_frequency 50.0
set_instance_parameter_value miner_pll gui_number_of_clocks 1
set_instance_parameter_value miner_pll gui_output_clock_frequency0 $clock_mhz
set_instance_parameter_value miner_pll gui_use_locked 0
add_connection clk_0.clk miner_pll.refclk
add_connection clk_0.clk_reset miner_pll.reset

add_instance miner adit_miner
set_instance_parameter_value miner CORES $miner_cores
set_instance_parameter_value miner DEPTH $miner_depth
add_connection miner_pll.outclk0 miner.clock
add_connection clk_0.clk_reset miner.reset

add_connection hps_0.h2f_lw_axi_master miner.s_axil
set_connection_parameter_value hps_0.h2f_lw_axi_master/miner.s_axil baseAddress [format 0x%08x [expr {$miner_base - $bridge}]]
add_connection hps_0.f2h_irq0 miner.irq
set_connection_parameter_value hps_0.f2h_irq0/miner.irq irqNumber $miner_irq

save_system soc_system.qsys
