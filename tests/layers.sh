#!/bin/sh
# The include layers. A folder may include only what its row names, and every project
# include but those of the top folder is written from the root. Then the check is held
# against includes that break the rules, because a check that cannot fail says nothing.
#
# Usage: layers.sh [SOURCE FOLDER]
set -eu
cd "${1:-$(dirname "$0")/..}"

# Who, and whom it may include. miner.h is the nouns: anyone may have them.
layers='
miner.h
base     base
field    base field
cipher   base cipher
sha3     base sha3
cores    base field cipher sha3 cores
algo     base sha3 algo
work     base algo work
simd     base sha3 algo work simd
pool     base sha3 algo work pool
fpga     base sha3 cores algo work fpga
offload  base field cipher sha3 cores work fpga offload
cli      base sha3 algo work simd pool fpga cli
offload.c base offload
miner.c  base sha3 algo work simd pool fpga cli
'

# The project's C files outside tests/, seen from the current folder. A folder where
# configure has been is no source, nor are the benches of the RTL, which are tests too.
sources() {
	ls ./*.[ch]
	for folder in */; do
		case $folder in
		tests/ | build/) ;;
		*) [ -e "$folder/config.status" ] || find "$folder" -path fpga/tb -prune -o -name '*.[ch]' -print ;;
		esac
	done
}

# Print what breaks the rules; nothing when nothing does.
violations() {
	sources | sed 's|^\./||' | grep -vxE 'config\.h|commit\.h' | sort | xargs awk -v layers="$layers" '
		BEGIN {
			n = split(layers, line, "\n")
			for (i = 1; i <= n; i++) {
				columns = split(line[i], column, " ")
				if (columns > 0)
					known[column[1]] = 1
				for (c = 2; c <= columns; c++)
					allowed[column[1], column[c]] = 1
			}
		}
		FNR == 1 {
			layer = FILENAME
			sub("/.*", "", layer)
			if (!(layer in known))
				print FILENAME ": " layer " has no row in tests/layers.sh"
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, quoted, "\"")
			target = quoted[2]
			if (target == "miner.h" || target == "config.h" || target == "commit.h")
				next
			from = target
			if (!sub("/.*", "", from))
				print FILENAME ":" FNR ": \"" target "\" is not written from the root"
			else if (!((layer, from) in allowed))
				print FILENAME ":" FNR ": " layer " may not include " from " (\"" target "\")"
		}'
}

found=$(violations)
if [ -n "$found" ]; then
	echo "$found"
	exit 1
fi

# Each line: a file, and an include it must not have.
seeds='
simd/scan.c      pool/url.h
pool/url.c       simd/cpu.h
fpga/sim.c       pool/url.h
work/board.c     simd/scan.h
work/board.h     sha3/sha256.h
algo/sha256d.c   work/board.h
sha3/sha256.c    algo/registry.h
base/hex.c       sha3/sha256.h
base/log.c       log.h
cli/options.c    tests/kat.h
miner.h          base/hex.h
'
seeded=$(mktemp -d)
trap 'rm -rf "$seeded"' EXIT
echo "$seeds" | while read -r file include; do
	[ -n "$file" ] || continue
	mkdir -p "$seeded/$(dirname "$file")"
	printf '#include "%s"\n' "$include" >"$seeded/$file"
	case $(cd "$seeded" && touch miner.c && violations) in
	"$file:1: "*) rm "$seeded/$file" ;;
	*) echo "layers.sh does not see \"$include\" in $file"; exit 1 ;;
	esac
done
