#!/bin/sh
# Which backend an x86-64 CPU gets, on CPUs that are not there: qemu-user refuses the
# instructions that the model in question does not have, so a common file compiled with
# the flags of an instruction set, or a wrong reading of CPUID, ends in SIGILL here.
#
# Usage: dispatch.sh ADIT
set -eu
adit=$1

if ! command -v qemu-x86_64 >/dev/null || [ "$(uname -m)" != x86_64 ]; then
	echo "skipped dispatch: no qemu-x86_64, or not on an x86-64"
	exit 0
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# CPU model; what sha256d gets; what lyra2rev2 gets. Which of the two sha256d gets on
# "max" depends on qemu: before version 8.2 it does not know SHA-NI.
cpus='
core2duo     sse2         sse2
Nehalem      sse2         sse2
SandyBridge  sse2         sse2
Haswell      avx2         avx2
max          avx2|sha-ni  avx2
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
exit $failed
