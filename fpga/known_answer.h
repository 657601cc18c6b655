/* The proof a card must give before it is trusted. */
#ifndef FPGA_KNOWN_ANSWER_H
#define FPGA_KNOWN_ANSWER_H

#include "fpga/card.h"

/*
 * Through registers, queue and interrupt, as mining uses them: the algorithm's known blocks are found among their
 * neighbours and nothing else is, and the hits of ranges of a made-up header are those of the reference, the first
 * nonce, the last and more than the queue holds among them. `*tag` counts the jobs. Takes over the card's hit().
 * 0, or -1, logged but where nobody wants it any more (struct transport).
 */
int known_answer_test(struct card *, const struct algo *, uint32_t *tag);

#endif
