/* The shapes of stratum's messages: see message.h. */
#include "tests/devpool/message.h"

#include "base/bytes.h"
#include "base/hex.h"

json_t *message_reply(json_t *id, json_t *result)
{
	return json_pack("{s:O,s:o,s:n}", "id", id, "result", result, "error");
}

json_t *message_error(json_t *id, int code, const char *text)
{
	return json_pack("{s:O,s:n,s:[i,s,n]}", "id", id, "result", "error", code, text);
}

json_t *message_notification(const char *method, json_t *params)
{
	return json_pack("{s:n,s:s,s:o}", "id", "method", method, "params", params);
}

/* Stratum's order for the previous hash: each 32-bit word of it turned round. */
static void turn_words(uint8_t out[32], const uint8_t in[32])
{
	for (int i = 0; i < 32; i += 4)
		store_be32(out + i, load_le32(in + i));
}

void message_number(char text[9], uint32_t value)
{
	uint8_t bytes[4];

	store_be32(bytes, value);
	hex_encode(text, bytes, sizeof bytes);
}

json_t *message_job(const struct job *job, bool clean)
{
	char prevhash[65], coinbase1[2 * COINBASE_MAX + 1], coinbase2[2 * COINBASE_MAX + 1], branch[65];
	char version[9], bits[9], ntime[9];
	uint8_t turned[32];
	json_t *branches = json_array();

	for (size_t i = 0; i < job->branch_count; i++) {
		hex_encode(branch, job->branches[i], 32);
		json_array_append_new(branches, json_string(branch));
	}
	turn_words(turned, job->prevhash);
	hex_encode(prevhash, turned, sizeof turned);
	hex_encode(coinbase1, job->coinbase1, job->coinbase1_len);
	hex_encode(coinbase2, job->coinbase2, job->coinbase2_len);
	message_number(version, job->version);
	message_number(bits, job->bits);
	message_number(ntime, job->ntime);
	return message_notification("mining.notify", json_pack("[s,s,s,s,o,s,s,s,b]", job->id, prevhash, coinbase1,
							       coinbase2, branches, version, bits, ntime, clean));
}

const char *message_text(json_t *params, size_t i)
{
	return json_string_value(json_array_get(params, i));
}
