/*
 * A block template (BIP 22, 23, 141, 145): what a node says about the next block,
 * checked and turned into a coinbase, a job to search, and at the end the block.
 *
 * What a newcomer would get wrong: the coinbase exists in two forms. Its hash, and
 * with it the merkle root, is over the form without witness; the block carries the
 * one with it when the template has a witness commitment.
 */
#ifndef POOL_TEMPLATE_H
#define POOL_TEMPLATE_H

#include <jansson.h>
#include <stdbool.h>

#include "pool/address.h"
#include "pool/job.h"

#define COINBASE_SIG_MAX	80	/* bytes of the user's own text in the coinbase */
#define TEMPLATE_WHY		160	/* bytes, with the NUL */
#define TEMPLATE_ID		32	/* bytes, with the NUL */

/* What the miner puts into its coinbases. The two extranonces together have at most 16 bytes. */
struct coinbase_parts {
	const struct address *payout;
	const char *sig;		/* UTF-8, at most COINBASE_SIG_MAX bytes; cut when the node's own data leaves no room */
	const struct extranonce *extranonce;
};

struct template {
	char id[TEMPLATE_ID];		/* the owner's to set, and to be unlike any other's */
	char *longpollid;		/* these three are NULL when the node gave none */
	char *longpolluri;
	char *workid;
	long height;
	uint8_t header[HEADER_LEN];	/* its root is for an extranonce2 of zeros, its nonce 0 */
	uint32_t version_mask;		/* the bits of the version that the miner may choose, of ROLLED_BITS; 0: none */
	uint32_t target[8];
	uint8_t *coinbase;		/* without witness, extranonce2 zero */
	size_t coinbase_len;
	size_t xnonce2_off;
	uint8_t xnonce2_len;
	bool witness;			/* the block's coinbase has one */
	uint8_t (*branches)[32];
	size_t branch_count;
	size_t tx_count;		/* with the coinbase */
	uint8_t *body;			/* all that follows the coinbase in the block */
	size_t body_len;
};

/* The template in the result of a getblocktemplate, or NULL and why it cannot be mined, as part of a sentence. */
struct template *template_parse(const json_t *result, const struct coinbase_parts *, char why[TEMPLATE_WHY]);

/* Harmless on NULL. */
void template_free(struct template *);

/* Its job: live, not clean, difficulty in the unit of `algo`. NULL: no memory. */
struct job *template_job(const struct template *, const struct algo *);

/* The block that a share of its job is, as hex text to be freed, *len digits. NULL: no memory. */
char *template_block(const struct template *, const struct share *, size_t *len);

#endif
