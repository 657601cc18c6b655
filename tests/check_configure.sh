#!/bin/sh
# configure stops for each missing library with one sentence that names its packages.
# The libraries here are made up (a .pc file is all that configure asks for), so the
# result does not depend on what is installed.
#
# Usage: check_configure.sh [SOURCE FOLDER]
set -eu
source=$(cd "${1:-$(dirname "$0")/..}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir modules build

# Module, Debian package, Fedora package.
libraries='
libcurl    libcurl4-openssl-dev  libcurl-devel
jansson    libjansson-dev        jansson-devel
libcrypto  libssl-dev            openssl-devel
libssl     libssl-dev            openssl-devel
zlib       zlib1g-dev            zlib-devel
'

# One cache for all runs: its compiler answers stay true, and pkg-config is asked anew.
configure() {
	(cd build && PKG_CONFIG_LIBDIR=$scratch/modules PKG_CONFIG_PATH='' \
		"$source/configure" --quiet --cache-file=../cache "$@") >out 2>err
}

failed=0
ok() { echo "ok $1"; }
wrong() {
	echo "FAILED $1"
	sed 's/^/    /' out err
	failed=1
}

# FACT REASON DEBIAN FEDORA OPTION...: configure fails with the one sentence.
stops_with() {
	fact=$1
	sentence="$2 not found; install $3 (Debian) or $4 (Fedora)"
	shift 4
	if ! configure "$@" && [ "$(wc -l <err)" = 1 ] && grep -q "^configure: error: .*$sentence\$" err &&
	   ! grep -q 'syntax error' out err; then
		ok "$fact"
	else
		wrong "$fact"
	fi
}

echo "$libraries" | while read -r module _; do
	[ -z "$module" ] || printf 'Name: %s\nDescription: -\nVersion: 99\nLibs:\n' "$module" >"modules/$module.pc"
done
if configure && [ ! -s err ]; then ok configure_is_silent_when_all_is_there; else wrong configure_is_silent_when_all_is_there; fi

while read -r module debian fedora; do
	[ -n "$module" ] || continue
	mv "modules/$module.pc" hidden.pc
	stops_with "configure_names_the_packages_of_$module" "$module.*" "$debian" "$fedora"
	mv hidden.pc "modules/$module.pc"
done <<EOF
$libraries
EOF

# All that PATH offers but pkg-config.
mkdir bin
(IFS=:; for folder in $PATH; do ln -s "$folder"/* bin/ 2>/dev/null || continue; done)
rm -f bin/*pkg-config* bin/*pkgconf*
PATH=$scratch/bin stops_with configure_names_the_packages_of_pkg_config \
	pkg-config pkg-config pkgconf-pkg-config --cache-file=/dev/null
exit $failed
