#!/bin/sh
# Make configure from configure.ac. Only needed in a git checkout; a dist tarball has it.
set -e
cd "$(dirname "$0")"
for tool in autoconf automake aclocal pkg-config; do
	command -v $tool >/dev/null || {
		echo "autogen.sh: $tool not found; install autoconf, automake and pkg-config" >&2
		exit 1
	}
done
exec autoreconf --install --force
