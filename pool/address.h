/*
 * A payout address as the script that an output carries: base58check, and bech32 or
 * bech32m (BIP 173, BIP 350), of the coins and networks that address.c lists.
 *
 * What a newcomer would get wrong: the same version byte can mean different scripts
 * in two coins (50: Litecoin's script hash, Monacoin's key hash). A guess would pay
 * to a script that no one can spend, so such an address needs the algorithm to tell.
 */
#ifndef POOL_ADDRESS_H
#define POOL_ADDRESS_H

#include <stdint.h>

#define SCRIPT_MAX	42	/* bytes: a witness program of 40, its version and length */
#define ADDRESS_NAME	160	/* bytes, with the NUL */

struct address {
	uint8_t script[SCRIPT_MAX];
	uint8_t script_len;
	char name[ADDRESS_NAME];	/* whose it can be: "Bitcoin or Litecoin testnet" */
};

/* NULL when *address is set, else what is wrong, as part of a sentence. `algo` is the name of what is mined. */
const char *address_parse(struct address *, const char *text, const char *algo);

#endif
