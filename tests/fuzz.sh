#!/bin/sh
# Fuzz every parser of what others write, each for SECONDS: libFuzzer with ASan and
# UBSan, from the seeds in tests/fuzz/corpus/TARGET. What it finds is left in the
# build folder as crash-*; mended, it belongs into the corpus.
#
# Usage: fuzz.sh SOURCE SECONDS LIBRARY-SOURCES...	(in the build folder; "make fuzz" does)
set -eu
source=$1 seconds=$2
shift 2
: "${CLANG:=clang}"

# libFuzzer is clang's; without it nothing here can run, and that is said.
command -v "$CLANG" >/dev/null || { echo "skipped fuzz: no clang"; exit 77; }
command -v pkg-config >/dev/null || { echo "skipped fuzz: no pkg-config"; exit 77; }

mkdir -p fuzz/library
flags="-g -O1 -std=gnu11 -D_GNU_SOURCE -I. -I$source -fsanitize=address,undefined -fno-sanitize-recover=undefined"
flags="$flags $(pkg-config --cflags libcurl jansson libcrypto libssl zlib)"
libs="$(pkg-config --libs libcurl jansson libcrypto libssl zlib) -lm -lpthread"

# the library once, with the fuzzer's coverage; then a program for each target
objects=
for file in "$@"; do
	case $file in
	*.c) ;;
	*) continue ;;
	esac
	object=fuzz/library/$(echo "$file" | tr / _).o
	objects="$objects $object"
	if [ ! -e "$object" ] || [ -n "$(find "$source/$file" -newer "$object")" ]; then
		# shellcheck disable=SC2086 # words
		$CLANG $flags -fsanitize=fuzzer-no-link -c "$source/$file" -o "$object"
	fi
done

failed=0
for file in "$source"/tests/fuzz/*.c; do
	target=$(basename "$file" .c)
	# shellcheck disable=SC2086
	$CLANG $flags -fsanitize=fuzzer "$file" $objects $libs -o "fuzz/$target"
	mkdir -p "fuzz/$target.new"
	if "fuzz/$target" -close_fd_mask=3 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=20000 \
		-artifact_prefix="fuzz/$target-" "fuzz/$target.new" "$source/tests/fuzz/corpus/$target" >"fuzz/$target.log" 2>&1; then
		echo "ok fuzz_${target}_finds_nothing_in_${seconds}_s"
	else
		echo "FAILED fuzz_$target"
		tail -n 30 "fuzz/$target.log"
		failed=1
	fi
done
exit $failed
