/*
 * A tree of files of the kernel's shape, for tests of what loads designs: folders for the FPGA
 * manager, for overlays, and for UIO devices. One test has it at a time.
 */
#ifndef TESTS_FPGA_TREE_H
#define TESTS_FPGA_TREE_H

#include <stddef.h>

#define FPGA0	"sys/class/fpga_manager/fpga0"
#define OVERLAYS "sys/kernel/config/device-tree/overlays"

extern char root[64];

/* A test's set-up and tear-down. */
int fpga_tree_make(void **state);
int fpga_tree_remove(void **state);

/* The path of what is below the root; of the latest eight. */
__attribute__((format(printf, 1, 2)))
const char *at(const char *format, ...);

void write_text(const char *path, const char *text);

/* Its first 255 bytes; "(none)": there is no such file. */
const char *content(const char *path);

void make_folders(const char *path);

/* A file below the root with its sum beside it; its path. */
const char *make_design(const char *name, const void *bytes, size_t len);

/* The files of a UIO device of that number and name. */
void make_uio(unsigned number, const char *name);

#endif
