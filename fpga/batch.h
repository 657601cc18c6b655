/*
 * SHA-256d of many short messages by a card's stream (fpga/rtl/sha256d_axis.v): each is one
 * block that the host pads (sha256_pad()), 64 bytes in and 32 bytes out.
 */
#ifndef FPGA_BATCH_H
#define FPGA_BATCH_H

#include "fpga/transport.h"

#define BATCH_BLOCK	64
#define BATCH_DIGEST	32

/* Messages that one transfer can carry; 0: the card has no stream. */
size_t batch_room(const struct transport *);

/*
 * Hash the `count` blocks that stand in transport->in; their digests are then in transport->out, in the same order.
 * 0, or -1, logged but where nobody wants it any more (struct transport).
 */
int batch_hash(struct transport *, size_t count);

/*
 * The proof the stream must give before it is trusted: messages of all lengths, made up, in batches of one, of a few and
 * of as many as there is room for, each digest equal to the reference's. The same; whether it is wanted is asked before
 * each batch, too.
 */
int batch_self_test(struct transport *);

#endif
