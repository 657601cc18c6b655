/*
 * getblocktemplate (BIP 22, 23) as a source of work: templates in, blocks out. A
 * share is a whole block, and the node's verdict on it null or a word: see node.h.
 */
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/secret.h"
#include "pool/node.h"

#define EXTRANONCE_HALF	4	/* bytes of each of the two extranonces */
#define RELAXED_POLL	30	/* s */

int gbt_init(struct gbt *gbt, const char *pool_name)
{
	*gbt = (struct gbt){ .extranonce = { .first_len = EXTRANONCE_HALF, .second_len = EXTRANONCE_HALF } };
	if (RAND_bytes(gbt->extranonce.first, EXTRANONCE_HALF) != 1)
		return log_error("pool %s: no random bytes", pool_name);
	return 0;
}

void gbt_forget(struct gbt *gbt)
{
	for (size_t i = 0; i < TEMPLATES_KEPT; i++) {
		template_free(gbt->kept[i]);
		gbt->kept[i] = NULL;
	}
}

static const struct template *latest(const struct gbt *gbt)
{
	return gbt->made > 0 ? gbt->kept[(gbt->made - 1) % TEMPLATES_KEPT] : NULL;
}

static json_t *gbt_params(struct pool *pool, bool longpoll)
{
	const struct node *n = pool->session;
	const struct template *t = latest(&n->gbt);
	json_t *params = json_pack("[{s:[s,s,s],s:[s,s,s]}]", "capabilities", "coinbasevalue", "longpoll", "workid",
				   "rules", "segwit", "signet", "mweb");

	if (longpoll && t && t->longpollid)
		json_object_set_new(json_array_get(params, 0), "longpollid", json_string(t->longpollid));
	return params;
}

static struct job *gbt_parse(struct pool *pool, const json_t *result, const struct http_call *call, char why[TEMPLATE_WHY])
{
	struct node *n = pool->session;
	struct gbt *gbt = &n->gbt;
	const struct coinbase_parts parts = {
		.payout = &pool->payout, .sig = pool->coinbase_sig, .extranonce = &gbt->extranonce,
	};
	struct template *t = template_parse(result, &parts, why);

	(void)call;
	if (!t)
		return NULL;
	snprintf(t->id, sizeof t->id, "%ld-%u", t->height, gbt->made + 1);
	struct job *job = template_job(t, pool->config.algo);
	if (!job) {
		snprintf(why, TEMPLATE_WHY, "no memory for it");
		template_free(t);
		return NULL;
	}
	if (!pool->config.no_version_rolling) {
		job->version_mask = t->version_mask;
		job->versions = pool->config.versions;
	}
	struct template **place = &gbt->kept[gbt->made++ % TEMPLATES_KEPT];
	template_free(*place);
	*place = t;
	node_offer_longpoll(pool, !t->longpollid ? NULL : t->longpolluri ? t->longpolluri : n->url);
	return job;
}

static char *gbt_submission(struct pool *pool, const struct job *job, const struct share *share)
{
	const struct node *n = pool->session;
	const struct template *t = NULL;
	size_t len;

	for (size_t i = 0; i < TEMPLATES_KEPT; i++)
		if (n->gbt.kept[i] && strcmp(n->gbt.kept[i]->id, job->id) == 0)
			t = n->gbt.kept[i];
	char *block = t ? template_block(t, share, &len) : NULL;
	if (!block)
		return NULL;

	json_t *extra = t->workid ? json_pack("{s:s}", "workid", t->workid) : NULL;
	char *extra_text = extra ? json_dumps(extra, JSON_COMPACT) : NULL;
	size_t size = len + (extra_text ? strlen(extra_text) : 0) + 8;
	char *params = malloc(size);
	if (params)
		snprintf(params, size, "[\"%s\"%s%s]", block, extra_text ? "," : "", extra_text ? extra_text : "");
	free(extra_text);
	json_decref(extra);
	free(block);
	return params;
}

/* BIP 22: null is yes, a string the reason why not. */
static bool gbt_accepts(const struct message *reply, const struct http_call *call, char reason[REASON_MAX])
{
	(void)call;
	if (message_refuses(reply, reason))
		return false;
	if (json_is_null(reply->result))
		return true;
	secret_show(reason, REASON_MAX, json_is_string(reply->result) ? json_string_value(reply->result) : "unknown");
	return false;
}

const struct node_source source_gbt = {
	.method = "getblocktemplate", .submit_method = "submitblock", .resubmits = true, .relaxed_poll_s = RELAXED_POLL,
	.params = gbt_params, .parse = gbt_parse, .submission = gbt_submission, .accepts = gbt_accepts,
};
