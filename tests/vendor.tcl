# Vivado's, Vitis HLS' and Platform Designer's commands for tests/check_boards.py, which has none of these tools: a
# call of any command that Tcl does not have is written to the file $CALLS, a line each with tabs between its words,
# and answers its last word.
#
# What a newcomer would get wrong: this shows that a script runs through and what it asks for, not that the tool
# would do it.
#
# Usage: CALLS=FILE WNS=NANOSECONDS tclsh vendor.tcl SCRIPT
package provide qsys 16.1
set vendor_calls [open $env(CALLS) w]

proc unknown args {
	puts $::vendor_calls [join [lmap word $args {string trim [regsub -all {\s+} $word { }]}] \t]
	return [lindex $args end]
}

# What implementation leaves behind, and says of itself.
proc launch_runs {run args} {
	unknown launch_runs $run {*}$args
	file mkdir build/adit/adit.runs/$run
	close [open build/adit/adit.runs/$run/adit_wrapper.bit w]
}
proc get_property {name object} {
	return [dict get [list PROGRESS 100% STATS.WNS $::env(WNS)] $name]
}
proc write_cfgmem args {
	unknown write_cfgmem {*}$args
	close [open [lindex $args end] w]
}

source [lindex $argv 0]
