#!/bin/sh
# Print the OpenCL sources as C strings, each after core.cl, which all begin with.
# Usage: embed.sh FOLDER
set -eu
echo '/* Made by fpga/cl/embed.sh from fpga/cl. */'
for file in "$1"/*.cl; do
	name=$(basename "$file" .cl)
	printf '\nstatic const char source_%s[] =\n' "$name"
	sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$/\\n"/' "$file"
	echo ';'
done
