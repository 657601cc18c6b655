/*
 * What can be given away to a device: a core turns an array of items of one size into an
 * array of items of another, each for itself, so a batch may be cut anywhere and its parts
 * computed by anyone in any order. A cipher, a hash of short messages and field arithmetic
 * are all this.
 *
 * Each core has a plain form, the reference that every device's answer is held against,
 * and, where OpenSSL has the same, OpenSSL's form as the measure of speed.
 */
#ifndef CORES_CORE_H
#define CORES_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_operation { FIELD_ADD, FIELD_SUB, FIELD_MUL };

/* What all items of a stream share; each core reads only what is its own. */
struct core_params {
	uint8_t key[32];		/* chacha20; aes128-*: the first 16 bytes */
	uint8_t iv[16];			/* chacha20: the nonce, 12 bytes; aes128-ctr: the counter of item 0, big-endian */
	enum field_operation operation;	/* secp256k1 */
};

struct batch {
	const struct core *core;
	const struct core_params *params;
	uint64_t first;			/* the number of the first item in its stream: a cipher counts with it */
	size_t items;
	const uint8_t *in;		/* items * core->item_in bytes */
	uint8_t *out;			/* items * core->item_out bytes, elsewhere */
};

struct core {
	const char *name;
	size_t item_in, item_out;	/* bytes */
	uint64_t items_max;		/* of one stream under one key and iv; 0: no bound */
	void (*plain)(const struct batch *);
	int (*openssl)(const struct batch *);	/* 0, or -1 logged; NULL: OpenSSL has no such thing */
	bool plain_is_faster;			/* than OpenSSL's general one, which then only is the measure */
};

/*
 * chacha20	64-byte blocks of text in, out = in XOR pad (RFC 8439; item n is block n)
 * aes128-ecb	16-byte blocks (FIPS 197)
 * aes128-ctr	16-byte blocks of text in, out = in XOR encrypted counter (SP 800-38A)
 * sha256d	messages of up to 55 bytes in, each as its one padded 64-byte block (sha256_pad()); digests out
 * cubehash256	32-byte messages in, digests out
 * secp256k1	pairs of field elements in, 32 big-endian bytes each; their sum, difference or product out
 */
extern const struct core cores[];	/* ended by name NULL */

/* By name; NULL: there is none of that name. */
const struct core *core_find(const char *name);

/* Items that the core takes, the same each time: of sha256d messages of all lengths, of others any bytes. */
void core_example(const struct core *, uint8_t *in, size_t items);

#endif
