/* A payout address as a user may mistype it. */
#include "pool/address.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = strndup((const char *)data, len);
	struct address address;

	if (!address_parse(&address, text, "sha256d") && address.script_len > SCRIPT_MAX)
		abort();
	address_parse(&address, text, "lyra2rev2");
	free(text);
	return 0;
}
