#!/bin/sh
# One piece of the simulated card's archive set: a model Verilated and compiled, or
# Verilator's own runtime. All of one model is compiled as one file, which takes a third
# of the time. Only this generated code, and Verilator's, is built without warnings.
#
# Usage: CXX=... CXXFLAGS=... VERILATOR=... model.sh RTL-FOLDER FOLDER/{miner_DEPTH,stream_CORES,CORE_CORES,runtime}.o
set -eu
rtl=$1
object=$2
name=$(basename "$object" .o)
folder=${object%.o}.dir
number=${name##*_}
include=$($VERILATOR --getenv VERILATOR_ROOT)/include

# CORE: offload_top with that of its cores, as many as the name says.
offload() {
	top=$rtl/offload/offload_top.v
	parameters="-GCORE=$1 -GCORES=$number"
}

case $name in
miner_*) top=$rtl/miner_top.v parameters=-GDEPTH=$number ;;
stream_*) top=$rtl/sha256d_axis.v parameters=-GCORES=$number ;;
chacha20_*) offload 1 ;;
aes128_*) offload 2 ;;
sha256d_*) offload 3 ;;
cubehash256_*) offload 4 ;;
secp256k1_*) offload 5 ;;
runtime) top= ;;
*) echo "model.sh: $object: no such model" >&2; exit 1 ;;
esac

rm -rf "$folder"
mkdir -p "$folder"
if [ -n "$top" ]; then
	# shellcheck disable=SC2086 # parameters are words
	$VERILATOR --cc -O3 --x-assign fast --x-initial fast --noassert $parameters --top "$(basename "$top" .v)" \
		--prefix "V$name" -I"$rtl" -I"$rtl/offload" -Mdir "$folder" "$top"
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
