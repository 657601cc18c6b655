/*
 * Mining on a node, or on a pool that behaves like one: JSON-RPC over HTTP. node.c
 * asks, by the clock and by long polling, and sends what was found; what is asked
 * and what an answer means is one of two sources of work: getblocktemplate, where we
 * make the block, and getwork, where we see its header only.
 *
 * What a newcomer would get wrong: a long poll is never trusted alone. It may hang
 * for ever, or answer at once for ever; plain polls go on beside it.
 */
#ifndef POOL_NODE_H
#define POOL_NODE_H

#include "pool/http.h"
#include "pool/jobs.h"
#include "pool/jsonrpc.h"
#include "pool/protocol.h"
#include "pool/template.h"

#define NODE_URL_MAX		600	/* bytes, with the NUL */
#define TEMPLATES_KEPT		4	/* shares of older ones come too late anyway */

/* One way of getting work. */
struct node_source {
	const char *method;		/* that fetches work */
	const char *submit_method;
	bool resubmits;			/* what is submitted may be sent once more when no answer came: it is known by its own hash */
	bool longpolls_blind;		/* a long poll does not say which block it follows, so one that comes before it has begun is missed */
	double relaxed_poll_s;		/* pause between plain polls at least, once long polling has proven itself */
	/* a fetch's parameters; NULL: no memory */
	json_t *(*params)(struct pool *, bool longpoll);
	/* the job in a fetch's result, not clean, or NULL and why it cannot be mined */
	struct job *(*parse)(struct pool *, const json_t *result, const struct http_call *, char why[TEMPLATE_WHY]);
	/* a share's parameters as JSON, to be freed; NULL: its work is not known any more, or no memory */
	char *(*submission)(struct pool *, const struct job *, const struct share *);
	/* is it accepted? if not, why */
	bool (*accepts)(const struct message *, const struct http_call *, char reason[REASON_MAX]);
};

extern const struct node_source source_gbt, source_getwork;

/* What getblocktemplate needs to make blocks of shares. */
struct gbt {
	struct extranonce extranonce;	/* its first part is random: another miner with the same address makes other blocks */
	struct template *kept[TEMPLATES_KEPT];
	unsigned made;			/* templates so far; the latest at (made - 1) % TEMPLATES_KEPT */
};

/* 0, or -1 logged. */
int gbt_init(struct gbt *, const char *pool_name);
void gbt_forget(struct gbt *);		/* all templates */

struct node {
	/* of the pool thread, for as long as the pool exists */
	struct jobs jobs;
	struct http http;
	char url[NODE_URL_MAX];
	const struct node_source *source;	/* what the node was last found to have */
	struct gbt gbt;
	struct throttle job;		/* log lines */

	/* anew with each connection */
	struct node_session {
		struct http_call work, longpoll, submit;
		bool ready;			/* work has come */
		bool other_tried;		/* the last fetch was refused as unknown, and now the other source's turn is */
		uint32_t next_id;		/* of our next request */
		uint8_t prevhash[32];		/* of the block that is mined on */
		bool exhausted;			/* that all is searched has been said */
		double next_poll;		/* clock_now() */

		char longpoll_url[NODE_URL_MAX];	/* empty: not offered */
		double next_longpoll;
		unsigned longpoll_vain;		/* long polls in a row that brought nothing */
		bool longpoll_proven;		/* it was the first to tell of a block */
		bool longpoll_blamed;		/* that it does not work has been said */

		double submit_again;		/* clock_now() of another try, 0: none */
		unsigned submit_tries;
		double submit_sent, submit_difficulty;
		bool submit_block;		/* the share is a block, on this one: */
		uint8_t submit_prevhash[32];
		bool after_verdict;		/* the plain poll under way was made because of one */
	} now;
};

/* A source's news of where to long poll: relative to the node's URL, or whole. NULL: nowhere. */
void node_offer_longpoll(struct pool *, const char *uri);

#endif
