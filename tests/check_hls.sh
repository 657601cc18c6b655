#!/bin/sh
# The HLS version of the stream core, as C++ with a shim in place of the vendor's headers: against the C reference, in
# optimised code and under the sanitizers, and with bugs put in, each of which must be noticed.
set -u
source=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
CC=${CC:-cc}
CXX=${CXX:-g++}
for tool in "$CC" "$CXX"; do
	if ! command -v "${tool%% *}" >/dev/null; then
		echo "check_hls: skipped, not found: ${tool%% *}; install g++ to test fpga/hls"
		exit 77
	fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
cd "$scratch" || exit
# shellcheck disable=SC2086
$CC -O2 -std=c11 -I"$source" -c "$source/sha3/sha256.c" -o sha256.o || exit

# CORE FLAGS: build the bench with that core and run it. Its pragmas are for the synthesis, so g++ does not know them.
bench() {
	# shellcheck disable=SC2086
	$CXX -std=c++11 -Wall -Wextra -Wno-unknown-pragmas -Werror $2 -I"$source" -I"$source/fpga/hls" -isystem "$source/fpga/hls/shim" \
		"$1" "$source/fpga/hls/hls_bench.cpp" sha256.o -o bench && ./bench
}

status=0
bench "$source/fpga/hls/sha256d_axis.cpp" -O2 || status=1
bench "$source/fpga/hls/sha256d_axis.cpp" '-O1 -fsanitize=undefined,address -fno-sanitize-recover' >log 2>&1 ||
	{ tail -n 20 log; status=1; }

# SED-EXPRESSION: a core with that bug builds and is found wrong.
seeded_bug() {
	sed "$1" "$source/fpga/hls/sha256d_axis.cpp" >buggy.cpp
	if ! cmp -s buggy.cpp "$source/fpga/hls/sha256d_axis.cpp" && ! bench buggy.cpp -O1 >log 2>&1 && grep -q '^FAILED' log; then
		return
	fi
	echo "FAILED hls_bench does not see: $1"
	tail -n 5 log
	status=1
}
seeded_bug 's/window\[9\] + sigma1/window[8] + sigma1/'
seeded_bug 's/ended = last;/ended = false;/'
seeded_bug 's/last && i == 7/last \&\& i == 6/'
[ $status = 0 ] && echo "ok every_seeded_bug_is_seen"
exit $status
