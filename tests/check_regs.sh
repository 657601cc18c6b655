#!/bin/sh
# The registers in C, in Verilog and in the manual are those of their tables, and a table with a mistake makes no files.
set -u
source=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit

registers_are_those_of_the_tables() {
	"$source/fpga/regs_gen.sh" made || return
	for file in fpga/regs.h fpga/rtl/regs.vh doc/REGISTERS.md; do
		[ -s "made/$file" ] || return
	done
	for file in $(cd made && find . -type f); do
		cmp "made/$file" "$source/$file" || return
	done
}

# A table that cannot be read must not make files with gaps; as it stands it can.
a_wrong_register_table_is_refused() {
	mkdir -p wrong/fpga && cp "$source/fpga/regs_gen.sh" "$source"/fpga/*.def wrong/fpga/ || return
	wrong/fpga/regs_gen.sh wrong/made || return
	for row in 'REG(0x000, TWICE, RO, 0x00000000, "below the last")' 'REG(0x102, ODD, RO, 0x00000000, "odd")' \
		'REG(0x100, ACCESS, XX, 0x00000000, "no such access")' 'REG(0x100, SHORT, RO, "three columns")' \
		'FIELD(JOB_TAG, ELSEWHERE, 0, 1, "of another register")' 'REG(0x100, NO_MEANING, RO, 0x00000000)'; do
		{ cat "$source/fpga/regs.def"; echo "$row"; } >wrong/fpga/regs.def
		! wrong/fpga/regs_gen.sh wrong/made || { echo "taken: $row"; return 1; }
	done
}

status=0
for fact in registers_are_those_of_the_tables a_wrong_register_table_is_refused; do
	if $fact >log 2>&1; then
		echo "ok $fact"
	else
		echo "FAILED $fact"
		tail -n 5 log
		status=1
	fi
done
exit $status
