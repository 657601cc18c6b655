# Not run here: no Vivado. The PYNQ-Z2's only pin of ours: LD0. The clock is the processing system's, which brings its
# own constraint.
set_property -dict {PACKAGE_PIN R14 IOSTANDARD LVCMOS33} [get_ports led]
set_false_path -to [get_ports led]
