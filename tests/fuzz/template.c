/* A node's getblocktemplate result: made a job, searched for a few works, and put together as a block. */
#include "pool/template.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "algo/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct extranonce extranonce = { .first = { 1, 2, 3, 4 }, .first_len = 4, .second_len = 4 };
	char why[TEMPLATE_WHY];
	struct address payout;
	json_t *result = json_loadb((const char *)data, len, JSON_DECODE_ANY, NULL);

	if (!result)
		return 0;
	address_parse(&payout, "mfWyW5fc9NUj75YAnFgoRLrjxgLDn2MMth", "sha256d");
	const struct coinbase_parts parts = { .payout = &payout, .sig = "adit", .extranonce = &extranonce };
	struct template *template = template_parse(result, &parts, why);
	struct job *job = template ? template_job(template, algos[0]) : NULL;
	struct searched *searched = job ? searched_create() : NULL;
	struct share share = { 0 };

	for (int i = 0; searched && i < 3; i++) {
		size_t block_len;

		if (job_next(job, searched, &share.work, job->arrived))
			free(template_block(template, &share, &block_len));
	}
	searched_destroy(searched);
	job_free(job);
	template_free(template);
	json_decref(result);
	return 0;
}
