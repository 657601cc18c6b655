#!/bin/sh
# Build for an ARM architecture with Debian's cross compiler and run the result under
# qemu-user: the self-test, the choice of backends and every unit test.
#
# The libraries are unpacked into a folder of their own, not installed. As foreign
# packages (dpkg --add-architecture) they would have to be of the very version of the
# native ones, and would stay on the system.
#
# Usage: cross.sh arm64|armhf SOURCE BUILD		(BUILD is made when missing)
set -eu

case ${1-} in
arm64) triplet=aarch64-linux-gnu qemu=qemu-aarch64 ;;
armhf) triplet=arm-linux-gnueabihf qemu=qemu-arm ;;
*) echo "usage: cross.sh arm64|armhf SOURCE BUILD" >&2; exit 2 ;;
esac
arch=$1
mkdir -p "$3"
source=$(cd "$2" && pwd)
build=$(cd "$3" && pwd)
root=$build/root
unset CC CFLAGS CPPFLAGS LDFLAGS

for tool in $triplet-gcc $qemu apt-get dpkg-deb; do
	command -v "$tool" >/dev/null || { echo "skipped cross_build_for_$arch: no $tool"; exit 0; }
done

# apt-get for the foreign architecture, with a state of its own and no installed packages.
foreign_apt_get() {
	apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User= \
		-o Dir::State="$root/apt" -o Dir::State::status="$root/apt/status" -o Dir::Cache="$root/apt" "$@"
}

unpack_libraries() {
	rm -rf "$root"
	mkdir -p "$root/usr/lib" "$root/apt/lists/partial" "$root/apt/archives/partial"
	ln -s usr/lib "$root/lib"	# Debian's merged /usr: the loader is /lib/ld-linux-*
	: >"$root/apt/status"
	# An index that cannot be had (a mirror in the middle of an update) need not matter.
	foreign_apt_get update || echo "cross.sh: some package lists for $arch are missing"
	foreign_apt_get install --yes --download-only --no-install-recommends \
		libc6-dev libcurl4-openssl-dev libjansson-dev libssl-dev zlib1g-dev libcmocka-dev || return 1
	for package in "$root"/apt/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink || return 1
	done
	touch "$root/complete"
}

if [ ! -e "$root/complete" ] && ! unpack_libraries; then
	echo "skipped cross_build_for_$arch: Debian's libraries for it cannot be had"
	exit 0
fi

cd "$build"
PKG_CONFIG=pkg-config PKG_CONFIG_SYSROOT_DIR=$root \
PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig \
	"$source/configure" --quiet --host=$triplet CC="$triplet-gcc --sysroot=$root"
make -s -j 2 CFLAGS='-O2 -g -Werror' check TESTS= >/dev/null

failed=0
# FACT STATUS: say how it went; what was seen is in the file "out".
report() {
	if [ "$2" = 0 ]; then
		echo "ok ${arch}_$1"
	else
		echo "FAILED ${arch}_$1: status $2"
		sed 's/^/    /' out
		failed=1
	fi
}
# FACT CPU MODEL PROGRAM ARGUMENT...: it ends well on that CPU.
runs() {
	fact=$1 model=$2 status=0
	shift 2
	$qemu -L "$root" -cpu "$model" "$@" >out 2>&1 || status=$?
	report "$fact" "$status"
}
# FACT PATTERN: a line of the last output says so.
says() {
	status=0
	grep -qE "$2" out || status=$?
	report "$1" "$status"
}

# NAME CPU MODEL BACKEND OPTION OF ADIT...: the self-test passes with NEON in use, sha256d
# runs on the given backend by choice and lyra2rev2 on NEON.
try_cpu() {
	name=$1 cpu=$2 fastest=$3
	shift 3
	runs "self_test_passes_on_$name" "$cpu" ./adit --self-test "$@"
	cat out
	says "sha256d_has_neon_on_$name" '^sha256d neon: ok '
	says "lyra2rev2_has_neon_on_$name" '^lyra2rev2 neon: ok '
	runs "list_works_on_$name" "$cpu" ./adit --list "$@"
	cat out
	says "sha256d_chooses_${fastest}_on_$name" "^sha256d +$fastest .*chosen"
	says "lyra2rev2_chooses_neon_on_$name" '^lyra2rev2 +neon .*chosen'
}

# The loop of a kernel's function, from where its last jump back goes to that jump: what in it loads or stores, and, at its
# end, how many instructions it has.
loop_memory() {
	$triplet-objdump -d --no-show-raw-insn libsimd_neon.a | awk -v start="<$1>:" '
		$2 == start { inside = 1; next }
		NF == 0 { inside = 0 }
		!inside { next }
		{
			line[++n] = $0; name[n] = $2; at[$1] = n
			for (i = 3; i < NF; i++)
				if ($(i + 1) ~ /^</ && ($i ":") in at) {
					first = at[$i ":"]
					last = n
				}
		}
		END {
			for (i = first; i <= last && last > 0; i++)
				if (name[i] ~ /^v?(ld|st)/)
					print line[i]
			print last - first + (last > 0), "instructions"
		}'
}

status=0
loop_memory cubehash_rounds_lanes >out
grep -qxE '[1-9][0-9]+ instructions' out && [ "$(wc -l <out)" = 1 ] || status=1	# the count, and no load or store
report cubehash_keeps_its_state_in_registers_through_all_rounds "$status"

case $arch in
arm64)
	try_cpu max max armv8-sha2
	try_cpu max_without_sha2 max neon --cpu=-sha2	# qemu has no 64-bit model without it
	;;
armhf)
	try_cpu cortex-a9 cortex-a9 neon
	try_cpu max max neon
	;;
esac

export srcdir="$source"
for program in check_*; do
	case $program in
	*.*) ;;
	*) runs "$program" max "./$program" ;;
	esac
done
exit $failed
