#!/bin/sh
# Make the register files from fpga/regs.def and fpga/offload.def: each one table in three
# languages. They are kept under version control, because Verilog tools and readers want them
# without a build; make runs this after each change of a table.
#
# Usage: regs_gen.sh [FOLDER]		(writes fpga/regs.h, fpga/rtl/regs.vh, doc/REGISTERS.md and
#					fpga/offload_regs.h, fpga/rtl/offload/offload_regs.vh,
#					doc/OFFLOAD_REGISTERS.md below FOLDER, else below the source folder)
set -eu
source=$(cd "$(dirname "$0")" && pwd)
out=${1:-$source/..}
mkdir -p "$out/fpga/rtl/offload" "$out/doc"

# LANGUAGE: print $table in it. A row that cannot be read is an error, not a gap.
generate() {
	awk -v language="$1" -v table="$table" -v prefix="$prefix" -v title="$title" -v about="$about" '
		function fail(why) {
			printf "%s:%d: %s\n", table, NR, why >"/dev/stderr"
			failed = 1
			exit 1
		}
		function hex(text, i, value) {
			value = 0
			text = tolower(text)
			for (i = 3; i <= length(text); i++)
				value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return value
		}
		function mask(low, width) {
			return (2 ^ width - 1) * 2 ^ low
		}
		BEGIN {
			made = "Made from fpga/" table " by fpga/regs_gen.sh; do not edit."
			if (language == "c") {
				print "/* " made " */"
				guard = (prefix == "FPGA_" ? "" : "FPGA_") prefix "REGS_H"
				print "#ifndef " guard "\n#define " guard "\n"
				printf "#define %-31s 0x1000u\t/* bytes of address space */\n", prefix "REGS_LEN"
			} else if (language == "verilog") {
				print "// " made
				print "// For inclusion inside a module: byte offsets, reset values and bit positions.\n"
				print "/* verilator lint_off UNUSED */"
			} else {
				print "# " title "\n\n" made "\n"
				print "32 bits each, at byte offsets of an AXI4-Lite window of 4 KiB. A write of fewer than four bytes is ignored; an"
				print "offset not listed reads as 0. RO read only, RW read and write, WO write only, W1C writing 1 clears, POP reading"
				print "removes the entry from its queue. " about "\n"
				print "| offset | register | access | reset | bits | meaning |"
				print "|---|---|---|---|---|---|"
			}
		}
		!/^(REG|FIELD)\(/ { next }
		{
			if (!match($0, /"([^"\\]|\\.)*"\)$/))
				fail("no meaning in quotes at the end")
			meaning = substr($0, RSTART + 1, RLENGTH - 3)
			gsub(/\\"/, "\"", meaning)
			row = substr($0, 1, RSTART - 1)
			kind = row
			sub(/\(.*/, "", kind)
			sub(/^[A-Z]*\(/, "", row)
			gsub(/ /, "", row)
			if (split(row, column, ",") != 5)
				fail("wants five columns")
		}
		kind == "REG" {
			offset = column[1]; name = column[2]; access = column[3]; reset = column[4]
			if (offset !~ /^0x[0-9a-f]+$/ || hex(offset) % 4 || hex(offset) >= 4096 || hex(offset) < next_free)
				fail("offset " offset " is no multiple of 4 above the last and below 0x1000")
			if (access !~ /^(RO|RW|WO|W1C|POP)$/ || reset !~ /^0x[0-9a-f]+$/ || length(reset) != 10)
				fail("access or reset value")
			next_free = hex(offset) + 4
			used = 0
			if (language == "c")
				printf "\n#define %-31s %su\t/* %s: %s */\n", prefix name, offset, access, meaning
			else if (language == "verilog")
				printf "localparam [11:0] REG_%s = 12%ch%s;\nlocalparam [31:0] RESET_%s = 32%ch%s;\n",
					name, 39, substr(offset, 3), name, 39, substr(reset, 3)
			else
				printf "| `%s` | %s | %s | `%s` | | %s |\n", offset, name, access, reset, meaning
		}
		kind == "FIELD" {
			field = column[1] "_" column[2]; low = column[3]; width = column[4]
			if (column[1] != name || low !~ /^[0-9]+$/ || width !~ /^[0-9]+$/ || low < used || low + width > 32)
				fail("field outside its register")
			used = low + width
			if (language == "c") {
				printf "#define %-31s 0x%08xu\t/* %s */\n", prefix field, mask(low, width), meaning
				if (width > 1)
					printf "#define %-31s %d\n", prefix field "_SHIFT", low
			} else if (language == "verilog")
				printf "localparam %s = %d;\n", field, low
			else
				printf "| | %s | | | %s | %s |\n", column[2],
					(width > 1 ? low + width - 1 ":" low : low), meaning
		}
		END {
			if (failed)
				exit 1
			if (language == "c")
				print "\n#endif"
			else if (language == "verilog")
				print "/* verilator lint_on UNUSED */"
		}' "$source/$table"
}

# LANGUAGE FILE: whole or not at all.
write() {
	generate "$1" >"$out/$2.new" || { rm -f "$out/$2.new"; exit 1; }
	mv "$out/$2.new" "$out/$2"
}

table=regs.def prefix=FPGA_ title=Registers
about='The words of a header are those of SHA-256, big-endian loads of its bytes;
nonces and the target are integers.'
write verilog fpga/rtl/regs.vh
write markdown doc/REGISTERS.md
write c fpga/regs.h

table=offload.def prefix=OFFLOAD_ title='Registers of the offload cores'
about='Bytes are as they stand in memory:
byte 0 of a key is bits 7:0 of KEY0. Items are those of cores/core.h. KEY, IV and OPERATION count from the next LOAD on.'
write verilog fpga/rtl/offload/offload_regs.vh
write markdown doc/OFFLOAD_REGISTERS.md
write c fpga/offload_regs.h
