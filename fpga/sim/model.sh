#!/bin/sh
# One piece of the simulated card's archive set: a model Verilated and compiled, or
# Verilator's own runtime. All of one model is compiled as one file, which takes a third
# of the time. Only this generated code, and Verilator's, is built without warnings.
#
# Usage: CXX=... CXXFLAGS=... VERILATOR=... model.sh RTL-FOLDER FOLDER/{miner_DEPTH,stream_CORES,runtime}.o
set -eu
rtl=$1
object=$2
name=$(basename "$object" .o)
folder=${object%.o}.dir
number=${name##*_}
include=$($VERILATOR --getenv VERILATOR_ROOT)/include

case $name in
miner_*) top=miner_top parameter=DEPTH ;;
stream_*) top=sha256d_axis parameter=CORES ;;
runtime) top= ;;
*) echo "model.sh: $object: no such model" >&2; exit 1 ;;
esac

rm -rf "$folder"
mkdir -p "$folder"
if [ -n "$top" ]; then
	$VERILATOR --cc -O3 --x-assign fast --x-initial fast --noassert "-G$parameter=$number" --top "$top" \
		--prefix "V$name" -I"$rtl" -Mdir "$folder" "$rtl/$top.v"
	set -- "$folder"/*.cpp
else
	set -- "$include/verilated.cpp" "$include/verilated_threads.cpp"
fi
for file; do
	case $file in
	/*) echo "#include \"$file\"" ;;
	*) echo "#include \"$(basename "$file")\"" ;;
	esac
done >"$folder/all.cc"
# shellcheck disable=SC2086 # flags are words
$CXX -I"$include" $CXXFLAGS -w -fPIC -c "$folder/all.cc" -o "$object"
