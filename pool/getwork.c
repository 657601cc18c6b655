/*
 * getwork as a source of work: a header and a target in, the header with a nonce
 * out. The header's 80 bytes come as the first twenty words of `data`, each most
 * significant byte first, followed by SHA-256's padding; a job's id is that text.
 *
 * What a newcomer would get wrong: the target's bytes come least significant first,
 * the other way round than getblocktemplate's.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/secret.h"
#include "base/target.h"
#include "pool/node.h"

#define DATA_LEN	128	/* bytes */
#define ROLL_UNSTATED	60	/* s, when rolling is allowed without a bound */

/* where the two words that we may change stand among data's hex digits */
enum { NTIME_DIGITS = 2 * 68, NONCE_DIGITS = 2 * 76 };

static json_t *getwork_params(struct pool *pool, bool longpoll)
{
	(void)pool, (void)longpoll;
	return json_array();
}

/* X-Roll-NTime: "N" and nothing forbid it, "expire=SECONDS" bounds it, anything else allows it. */
static unsigned roll_max(const char *header)
{
	if (header[0] == '\0' || strcasecmp(header, "N") == 0)
		return 0;
	if (strncasecmp(header, "expire=", 7) != 0)
		return ROLL_UNSTATED;
	if (!isdigit((unsigned char)header[7]))
		return 0;

	unsigned long seconds = strtoul(header + 7, NULL, 10);
	return seconds < ROLL_MAX ? (unsigned)seconds : ROLL_MAX;
}

static struct job *getwork_parse(struct pool *pool, const json_t *result, const struct http_call *call, char why[TEMPLATE_WHY])
{
	const json_t *data = json_object_get(result, "data");
	uint8_t bytes[DATA_LEN], target[32];
	static const uint32_t zero[8];

	if (!jsonrpc_hex(bytes, sizeof bytes, data)) {
		snprintf(why, TEMPLATE_WHY, "its data is not 256 hex digits");
		return NULL;
	}
	if (!jsonrpc_hex(target, sizeof target, json_object_get(result, "target"))) {
		snprintf(why, TEMPLATE_WHY, "its target is not 64 hex digits");
		return NULL;
	}

	struct job *job = job_new();
	if (job)
		job->id = strdup(json_string_value(data));
	if (!job || !job->id) {
		snprintf(why, TEMPLATE_WHY, "no memory for it");
		goto refuse;
	}
	header_swap_words(job->header, bytes);
	header_set_nonce(job->header, 0);
	target_load(job->target, target);
	if (memcmp(job->target, zero, sizeof zero) == 0) {
		snprintf(why, TEMPLATE_WHY, "nothing can meet its target");
		goto refuse;
	}
	job->difficulty = target_difficulty(job->target) * pool->config.algo->diff1;
	job->ntime = header_ntime(job->header);
	job->roll_max = roll_max(call->headers[HTTP_ROLL_NTIME]);
	job->height = -1;
	if (call->headers[HTTP_LONG_POLLING][0])
		node_offer_longpoll(pool, call->headers[HTTP_LONG_POLLING]);
	return job;

refuse:
	job_free(job);
	return NULL;
}

static char *getwork_submission(struct pool *pool, const struct job *job, const struct share *share)
{
	enum { SIZE = 2 * DATA_LEN + 8 };
	char *params = malloc(SIZE), word[9];
	char *data = params + 2;	/* after the bracket and the quote */

	(void)pool;
	if (!params)
		return NULL;
	snprintf(params, SIZE, "[\"%s\"]", job->id);
	snprintf(word, sizeof word, "%08x", (unsigned)header_ntime(share->work.header));
	memcpy(data + NTIME_DIGITS, word, 8);
	snprintf(word, sizeof word, "%08x", (unsigned)share->nonce);
	memcpy(data + NONCE_DIGITS, word, 8);
	return params;
}

static bool getwork_accepts(const struct message *reply, const struct http_call *call, char reason[REASON_MAX])
{
	if (message_accepts(reply, reason))
		return true;
	if (call->headers[HTTP_REJECT_REASON][0])
		secret_show(reason, REASON_MAX, call->headers[HTTP_REJECT_REASON]);
	return false;
}

const struct node_source source_getwork = {
	.method = "getwork", .submit_method = "getwork", .longpolls_blind = true,
	.params = getwork_params, .parse = getwork_parse, .submission = getwork_submission, .accepts = getwork_accepts,
};
