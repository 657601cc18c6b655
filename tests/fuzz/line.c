/* A line from a stratum pool: parsed, its id and verdict read, and when it is a job, mined for a few works. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "algo/registry.h"
#include "pool/job.h"
#include "pool/jsonrpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void mine(const json_t *params, uint8_t xnonce2_len)
{
	struct extranonce extranonce = { .first = { 1, 2, 3, 4 }, .first_len = 4, .second_len = xnonce2_len };
	const char *why;
	struct job *job = job_parse(params, &extranonce, 0.5, algos[0], &why);
	struct searched *searched = job ? searched_create() : NULL;
	struct work work;

	if (!searched)
		return;
	job->version_mask = 0x1fffe000;
	job->versions = VERSIONS_MAX;
	for (int i = 0; i < 3; i++)
		job_next(job, searched, &work, job->arrived + i);
	searched_destroy(searched);
	job_free(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char reason[REASON_MAX];
	struct message message;
	uint32_t id;

	if (message_parse(&message, (const char *)data, len))
		return 0;
	message_id(&message, &id);
	message_wants_reply(&message);
	message_accepts(&message, reason);
	message_refuses(&message, reason);
	if (message.method) {
		mine(message.params, 0);
		mine(message.params, XNONCE2_MAX);
	}
	message_free(&message);
	return 0;
}
