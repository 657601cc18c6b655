/*
 * The cores as OpenSSL computes them: what a CPU worker runs, and the measure that
 * anyone has. Each returns 0, or -1 logged.
 */
#ifndef CORES_OPENSSL_H
#define CORES_OPENSSL_H

#include "cores/core.h"

int openssl_chacha20(const struct batch *);
int openssl_aes128_ecb(const struct batch *);
int openssl_aes128_ctr(const struct batch *);
int openssl_sha256d(const struct batch *);
int openssl_secp256k1(const struct batch *);	/* by BN_mod_*: general, so slow */

#endif
