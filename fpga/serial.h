/* A card without a processor beside it, on a serial line: fpga/boards/hx8k. */
#ifndef FPGA_SERIAL_H
#define FPGA_SERIAL_H

#include "fpga/transport.h"

#define SERIAL_BAUD	115200	/* what fpga/boards/hx8k/hx8k.v is built for */
#define SERIAL_ANSWER_S	3.0	/* until a card that does not answer is gone */

/*
 * The serial device /dev/NAME below `root`. Only one program may have it. 0, or -1 logged: it cannot be opened or is no
 * serial line; whether a card answers is found out by using it.
 */
int transport_open_serial(struct transport *, const char *root, const char *name);

#endif
