/*
 * SHA-256d of many short messages by a card's stream (fpga/rtl/sha256d_axis.v): each is one
 * block that the host pads, 64 bytes in and 32 bytes out.
 */
#ifndef FPGA_BATCH_H
#define FPGA_BATCH_H

#include "fpga/transport.h"

#define BATCH_MESSAGE_MAX	55	/* bytes: with its padding it fills one block of SHA-256 */
#define BATCH_BLOCK		64
#define BATCH_DIGEST		32

/* FIPS 180-4, section 5.1.1. */
void batch_pad(uint8_t block[BATCH_BLOCK], const uint8_t *message, size_t len);

/* Messages that one transfer can carry; 0: the card has no stream. */
size_t batch_room(const struct transport *);

/*
 * Hash the `count` blocks that stand in transport->in; their digests are then in transport->out, in the same order.
 * 0, or -1 logged.
 */
int batch_hash(struct transport *, size_t count);

/*
 * The proof the stream must give before it is trusted: messages of all lengths, made up, in batches of one, of a few and
 * of as many as there is room for, each digest equal to the reference's. 0, or -1 logged.
 */
int batch_self_test(struct transport *);

#endif
