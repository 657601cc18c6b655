/* The tree of files: see fpga_tree.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/hex.h"
#include "sha3/sha256.h"
#include "tests/fpga_tree.h"

char root[64];

static void write_file(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

const char *at(const char *format, ...)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];
	size_t len = (size_t)snprintf(path, sizeof paths[0], "%s/", root);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, sizeof paths[0] - len, format, args);
	va_end(args);
	return path;
}

const char *content(const char *path)
{
	static char text[256];
	FILE *file = fopen(path, "r");

	if (!file)
		return "(none)";
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

void make_folders(const char *path)
{
	for (char *slash = (char *)path; (slash = strchr(slash + 1, '/')); ) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	mkdir(path, 0755);
}

const char *make_design(const char *name, const void *bytes, size_t len)
{
	const char *path = at("%s", name);
	uint8_t digest[32];
	char sum[200], sum_path[300];

	write_file(path, bytes, len);
	sha256(digest, bytes, len);
	hex_encode(sum, digest, sizeof digest);
	snprintf(sum + 64, sizeof sum - 64, "  %s\n", name);
	snprintf(sum_path, sizeof sum_path, "%s.sha256", path);
	write_text(sum_path, sum);
	return path;
}

void make_uio(unsigned number, const char *name)
{
	static const uint8_t registers[0x10000] = { 0x21, 0x43, 0x65, 0x87 };

	make_folders(at("dev"));
	make_folders(at("sys/class/uio/uio%u/maps/map0", number));
	write_text(at("sys/class/uio/uio%u/name", number), name);
	write_text(at("sys/class/uio/uio%u/maps/map0/addr", number), "0x43c00000\n");
	write_text(at("sys/class/uio/uio%u/maps/map0/size", number), "0x00010000\n");
	write_text(at("sys/class/uio/uio%u/maps/map0/offset", number), "0x0\n");
	write_file(at("dev/uio%u", number), registers, sizeof registers);
}

int fpga_tree_make(void **state)
{
	char folder[] = "fpga_tree.XXXXXX";

	assert_non_null(mkdtemp(folder));
	snprintf(root, sizeof root, "%s", folder);
	make_folders(at("lib/firmware"));
	make_folders(at(FPGA0));
	make_folders(at(OVERLAYS));
	make_folders(at("elsewhere"));
	write_text(at(FPGA0 "/flags"), "");
	write_text(at(FPGA0 "/firmware"), "");
	write_text(at(FPGA0 "/state"), "operating\n");
	*state = NULL;
	return 0;
}

int fpga_tree_remove(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}
