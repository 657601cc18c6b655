/*
 * The field of secp256k1: integers modulo p = 2^256 - 2^32 - 977 (SEC 2, version 2,
 * section 2.4.1). The plain reference that the hardware core is held against.
 *
 * An element is always fully reduced: 0..p-1, so equal values have equal words. All
 * operations take the same steps and touch the same memory whatever the values are,
 * so a secret may pass through them. Results may be the same object as an operand.
 */
#ifndef FIELD_SECP256K1_H
#define FIELD_SECP256K1_H

#include <stdbool.h>
#include <stdint.h>

#define SECP256K1_WORDS	8
#define SECP256K1_BYTES	32

struct secp256k1_element {
	uint32_t word[SECP256K1_WORDS];	/* little-endian: [7] most significant */
};

/* From big-endian bytes (SEC 1, section 2.3.6). False, and *e is the value modulo p, when it is not below p. */
bool secp256k1_load(struct secp256k1_element *e, const uint8_t bytes[SECP256K1_BYTES]);
void secp256k1_store(uint8_t bytes[SECP256K1_BYTES], const struct secp256k1_element *);

void secp256k1_add(struct secp256k1_element *sum, const struct secp256k1_element *, const struct secp256k1_element *);
void secp256k1_sub(struct secp256k1_element *difference, const struct secp256k1_element *from,
		   const struct secp256k1_element *);
void secp256k1_mul(struct secp256k1_element *product, const struct secp256k1_element *, const struct secp256k1_element *);
void secp256k1_square(struct secp256k1_element *, const struct secp256k1_element *);

/* 1/e modulo p; of 0 it is 0. */
void secp256k1_inverse(struct secp256k1_element *, const struct secp256k1_element *);

#endif
