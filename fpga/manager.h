/*
 * Loading a design into the FPGA while the system runs: a bitstream through the kernel's FPGA
 * manager (/sys/class/fpga_manager/fpga0: flags, firmware, state), or a device tree overlay
 * (FILE.dtbo) through configfs, which brings the bitstream and the devices that go with it.
 *
 * What a newcomer would get wrong: the kernel takes a file's name, not its bytes, and looks
 * for it in /lib/firmware; so the file is put there first. And it takes nearly anything: that
 * the file is whole must be seen before, by its checksum in FILE.sha256 (as sha256sum writes
 * it), and that it is the right one after, by the card's identity.
 */
#ifndef FPGA_MANAGER_H
#define FPGA_MANAGER_H

#include "miner.h"

#define BITSTREAM_MAX		(64u << 20)	/* bytes */
#define MANAGER_NAME		64		/* bytes of the name in /lib/firmware */

struct manager {
	const char *root;		/* of all paths, but for the files to load */
	const struct algo *loaded;	/* whose design is in the FPGA, if one was loaded by us; NULL: none */
	bool overlay;			/* it came by an overlay, which must go before the next design */
};

/*
 * Load `file` as the design for `algo`, unless it is there already. `file` is a path, or where there is none of
 * that name the name of a file in /lib/firmware below the root. No card may be in use meanwhile. 0, or -1 logged, with
 * the file's name in it: it is missing, damaged, not what the kernel takes, or the kernel refuses it.
 */
int manager_load(struct manager *, const struct algo *algo, const char *file);

#endif
