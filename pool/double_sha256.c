/*
 * By OpenSSL, and not by sha3/sha256.h, which is the reference that hashing is
 * checked against: what builds headers shares no code with what checks them.
 */
#include "pool/double_sha256.h"

#include <openssl/evp.h>

int double_sha256(uint8_t out[32], const uint8_t *data, size_t len)
{
	uint8_t once[32];

	if (!EVP_Digest(data, len, once, NULL, EVP_sha256(), NULL) ||
	    !EVP_Digest(once, sizeof once, out, NULL, EVP_sha256(), NULL))
		return -1;
	return 0;
}
