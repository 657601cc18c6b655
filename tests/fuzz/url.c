/* A pool's URL, as typed and as a pool gives one; and what of it may be logged. */
#include "pool/url.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = strndup((const char *)data, len);
	char shown[URL_SHOWN_MAX];
	struct url url;

	if (!url_parse(&url, text)) {
		if (url.port == 0)
			abort();
		url_same_domain(url.host, "a.pool.example");
		url_same_domain("a.pool.example", url.host);
	}
	url_shown(shown, text);
	url_hide(text);
	free(text);
	return 0;
}
