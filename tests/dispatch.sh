#!/bin/sh
# Which backend an x86-64 CPU gets, on CPUs that are not there: qemu-user refuses the
# instructions that the model in question does not have, so a common file compiled with
# the flags of an instruction set, or a wrong reading of CPUID, ends in SIGILL here.
# No qemu-user has AVX-512, and a CPU that has it would run it anywhere: that its
# instructions are in their own library alone is read off the code.
#
# Usage: dispatch.sh ADIT		in the folder that it was built in
set -eu
adit=$1

if ! command -v qemu-x86_64 >/dev/null || [ "$(uname -m)" != x86_64 ]; then
	echo "skipped dispatch: no qemu-x86_64, or not on an x86-64"
	exit 0
fi
out=$(mktemp)
trap 'rm -f "$out" "$out.found"' EXIT

# CPU model; what sha256d gets; what lyra2rev2 gets. Which of the two sha256d gets on
# "max" depends on qemu: before version 8.2 it does not know SHA-NI.
cpus='
core2duo        sse2         sse2
Nehalem         sse2         sse2
SandyBridge     sse2         sse2
Haswell         avx2         avx2
Skylake-Server  avx2         avx2
max             avx2|sha-ni  avx2
'

failed=0
# FACT COMMAND...
expect() {
	fact=$1
	shift
	if "$@" >/dev/null; then
		echo "ok $fact"
	else
		echo "FAILED $fact"
		sed 's/^/    /' "$out"
		failed=1
	fi
}

run() {
	qemu-x86_64 -cpu "$cpu" "$adit" "$@" >"$out" 2>&1
}

previous=
while read -r cpu sha256d lyra2rev2; do
	[ -n "$cpu" ] || continue
	if [ "$sha256d" != "$previous" ]; then	# else all it has was tested on the model before
		expect "every_backend_of_${cpu}_passes" run --self-test
	fi
	previous=$sha256d
	expect "list_runs_on_$cpu" run --list
	expect "sha256d_chooses_${sha256d}_on_$cpu" grep -E "^sha256d +($sha256d) .*chosen" "$out"
	expect "lyra2rev2_chooses_${lyra2rev2}_on_$cpu" grep -E "^lyra2rev2 +($lyra2rev2) .*chosen" "$out"
done <<EOF
$cpus
EOF

# The registers that only AVX-512 has: 512 bits, the second sixteen, the masks.
has_avx512() {
	objdump -d --no-show-raw-insn "$1" >"$out" 2>&1 && grep -m 1 -E '%zmm|%[xy]mm(1[6-9]|2[0-9]|3[01])|%k[0-7]' "$out"
}
has_none() {
	for library in "$@"; do
		if [ "$library" != "$own" ] && has_avx512 "$library" >"$out.found"; then
			echo "$library:" | cat - "$out.found" >"$out"
			return 1
		fi
	done
}
own=$(dirname "$adit")/libsimd_avx512.a
if [ ! -f "$own" ]; then
	echo "skipped avx512_is_in_its_own_library_alone: the compiler has no AVX-512"
elif ! command -v objdump >/dev/null; then
	echo "skipped avx512_is_in_its_own_library_alone: no objdump"
else
	expect avx512_is_seen_in_its_own_library has_avx512 "$own"
	expect avx512_is_in_its_own_library_alone has_none "$(dirname "$adit")"/*.a
fi
exit $failed
