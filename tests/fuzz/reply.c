/* The body of a node's JSON-RPC reply: getwork's and submitblock's shapes are read from it. */
#include <stddef.h>
#include <stdint.h>

#include "pool/jsonrpc.h"

#define VALUES_MAX 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char reason[REASON_MAX];
	uint8_t bytes[128];
	struct message message;

	if (message_parse_within(&message, (const char *)data, len, VALUES_MAX))
		return 0;
	message_accepts(&message, reason);
	message_refuses(&message, reason);
	jsonrpc_hex(bytes, sizeof bytes, json_object_get(message.result, "data"));
	jsonrpc_hex(bytes, 32, json_object_get(message.result, "target"));
	message_free(&message);
	return 0;
}
