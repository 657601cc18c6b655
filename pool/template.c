/* From getblocktemplate's result to a job, and from its share to a block: see template.h. */
#include "pool/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "base/secret.h"
#include "base/target.h"
#include "pool/double_sha256.h"
#include "pool/jsonrpc.h"
#include "pool/merkle.h"

#define SCRIPT_SIG_MAX	100	/* bytes: consensus, and at least 2 */
#define COMMITMENT_MAX	200	/* bytes of the commitment's output script; usual are 38 */
#define COINBASE_MAX	512	/* bytes: more than all parts at their longest */
#define TX_MIN		10	/* bytes: fewer are no transaction */
#define BODY_MAX	(16u << 20)	/* bytes of all transactions */

#define BIP9_FORM	UINT32_C(0x20000000)	/* the top three bits of a version whose others are one by one */
#define BIP9_FORM_MASK	UINT32_C(0xe0000000)

static const uint8_t zeros[32];

/* What an object has under a key; null is as good as nothing. */
static const json_t *member(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

/* Bytes written one after the other; the caller knows that they fit. */
struct bytes {
	uint8_t data[COINBASE_MAX];
	size_t len;
};

static void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put_byte(struct bytes *b, uint8_t byte)
{
	b->data[b->len++] = byte;
}

static void put_le32(struct bytes *b, uint32_t value)
{
	store_le32(b->data + b->len, value);
	b->len += 4;
}

static void put_le64(struct bytes *b, uint64_t value)
{
	store_le64(b->data + b->len, value);
	b->len += 8;
}

/* BIP 34: the height as the script number it is, which up to 16 is an opcode of its own. */
static void put_height(struct bytes *b, long height)
{
	uint8_t number[5];
	uint8_t len = 0;

	if (height <= 16) {
		put_byte(b, (uint8_t)(0x50 + height));
		return;
	}
	for (; height > 0; height >>= 8)
		number[len++] = (uint8_t)height;
	if (number[len - 1] & 0x80)
		number[len++] = 0;	/* the top bit would be a sign */
	put_byte(b, len);
	put(b, number, len);
}

/* What the node wants in the coinbase: the values, one after the other. */
static const char *put_aux(struct bytes *script, const json_t *aux)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)aux, key, value) {
		size_t len = json_string_length(value) / 2;

		if (script->len + len > SCRIPT_SIG_MAX)
			return "its coinbaseaux does not fit into a coinbase";
		if (!jsonrpc_hex(script->data + script->len, len, value))
			return "its coinbaseaux is not hex";
		script->len += len;
	}
	return NULL;
}

/* BIP 141: the commitment to the hashes with witness, for nodes that do not give it. */
static const char *make_commitment(uint8_t script[38], uint8_t (*hashes)[32], size_t count)
{
	static const uint8_t head[6] = { 0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed };
	uint8_t branches[MERKLE_DEPTH_MAX][32], pair[64] = { 0 };	/* the coinbase's own hash is zero, and so is its nonce */
	int depth = merkle_branches(branches, hashes, count);

	if (depth < 0 || merkle_climb(pair, (const uint8_t (*)[32])branches, (size_t)depth) < 0 ||
	    double_sha256(script + sizeof head, pair, sizeof pair) < 0)
		return "the crypto library cannot hash it";
	memcpy(script, head, sizeof head);
	return NULL;
}

/* The form without witness. `commitment` is a script, commitment_len 0 for none. */
static const char *make_coinbase(struct template *t, const struct coinbase_parts *parts, uint64_t value, const json_t *aux,
				 const uint8_t *commitment, size_t commitment_len)
{
	struct bytes script = { .len = 0 }, tx = { .len = 0 };
	const struct extranonce *extranonce = parts->extranonce;

	put_height(&script, t->height);
	put_byte(&script, (uint8_t)(extranonce->first_len + extranonce->second_len));
	put(&script, extranonce->first, extranonce->first_len);
	size_t xnonce2_off = script.len;
	put(&script, zeros, extranonce->second_len);
	const char *why = put_aux(&script, aux);
	if (why)
		return why;
	size_t room = SCRIPT_SIG_MAX - script.len, sig_len = strlen(parts->sig);
	put(&script, parts->sig, sig_len < room ? sig_len : room);

	put_le32(&tx, 1);		/* version */
	put_byte(&tx, 1);		/* inputs */
	put(&tx, zeros, 32);		/* of nothing before */
	put_le32(&tx, UINT32_MAX);
	put_byte(&tx, (uint8_t)script.len);
	t->xnonce2_off = tx.len + xnonce2_off;
	t->xnonce2_len = extranonce->second_len;
	put(&tx, script.data, script.len);
	put_le32(&tx, UINT32_MAX);	/* sequence */
	put_byte(&tx, commitment_len > 0 ? 2 : 1);	/* outputs */
	put_le64(&tx, value);
	put_byte(&tx, parts->payout->script_len);
	put(&tx, parts->payout->script, parts->payout->script_len);
	if (commitment_len > 0) {
		put_le64(&tx, 0);
		put_byte(&tx, (uint8_t)commitment_len);
		put(&tx, commitment, commitment_len);
	}
	put_le32(&tx, 0);		/* lock time */

	t->coinbase_len = tx.len;
	t->coinbase = malloc(tx.len);
	if (!t->coinbase)
		return "no memory for its coinbase";
	memcpy(t->coinbase, tx.data, tx.len);
	return NULL;
}

/* A hash as nodes show it, into hashing order. */
static bool read_hash(uint8_t hash[32], const json_t *value)
{
	uint8_t shown[32];

	if (!jsonrpc_hex(shown, sizeof shown, value))
		return false;
	header_reverse(hash, shown);
	return true;
}

/* A transaction with witness has 00 where the count of inputs would stand, which is never 0. */
static bool has_witness(const uint8_t *tx, size_t len)
{
	return len > 4 && tx[4] == 0;
}

/* All the hashes that the trees are made of. */
struct leaves {
	uint8_t (*txids)[32];
	uint8_t (*hashes)[32];		/* with witness */
	size_t count;
	bool any_witness;
};

/* One transaction: its bytes to the end of the body, its hashes into their places. */
static const char *read_tx(struct template *t, struct leaves *leaves, const json_t *tx)
{
	const json_t *data = member(tx, "data"), *txid = member(tx, "txid"), *hash = member(tx, "hash");
	size_t len = json_string_length(data) / 2, i = leaves->count++;
	uint8_t *bytes = t->body + t->body_len;

	if (len < TX_MIN || !jsonrpc_hex(bytes, len, data))
		return "the data of a transaction is not hex";
	bool witness = has_witness(bytes, len);
	if (!txid && witness)
		return "a transaction with witness has no txid";
	if (!read_hash(leaves->txids[i], txid ? txid : hash))
		return "a transaction has no usable txid";
	if (!read_hash(leaves->hashes[i], witness ? hash : txid ? txid : hash))
		return "a transaction with witness has no hash";
	leaves->any_witness |= witness;
	t->body_len += len;
	return NULL;
}

/* The transactions, and the extension block of MWEB (LIP 3) that Litecoin's nodes add. */
static const char *read_body(struct template *t, struct leaves *leaves, const json_t *transactions, const json_t *mweb)
{
	size_t count = json_array_size(transactions), len = json_string_length(mweb) / 2 + 1;

	for (size_t i = 0; i < count && len <= BODY_MAX; i++)
		len += json_string_length(member(json_array_get(transactions, i), "data")) / 2;
	if (len > BODY_MAX)
		return "its transactions are too long";
	t->body = malloc(len);
	leaves->txids = calloc(count + 1, sizeof *leaves->txids);
	leaves->hashes = calloc(count + 1, sizeof *leaves->hashes);
	if (!t->body || !leaves->txids || !leaves->hashes)
		return "no memory for its transactions";
	for (size_t i = 0; i < count; i++) {
		const char *why = read_tx(t, leaves, json_array_get(transactions, i));

		if (why)
			return why;
	}
	t->tx_count = 1 + count;
	if (!mweb)
		return NULL;

	size_t mweb_len = json_string_length(mweb) / 2;
	t->body[t->body_len] = 1;	/* "there is one" */
	if (!jsonrpc_hex(t->body + t->body_len + 1, mweb_len, mweb))
		return "its mweb is not hex";
	t->body_len += 1 + mweb_len;
	return NULL;
}

/* An integer within [min, max], `missing` when there is none. */
static bool read_integer(int64_t *number, const json_t *root, const char *key, int64_t min, int64_t max, int64_t missing)
{
	const json_t *value = member(root, key);

	*number = value ? json_integer_value(value) : missing;
	return (!value || json_is_integer(value)) && *number >= min && *number <= max;
}

/*
 * Bits of the version are the miner's where BIP 320 sets them free and the node has no use for them. That holds for a
 * version of BIP 9's form alone: of others, merged mining for one keeps a number of the chain in these bits.
 */
static uint32_t read_version_mask(uint32_t version, const json_t *root)
{
	const json_t *required = member(root, "vbrequired"), *available = member(root, "vbavailable");
	uint32_t mask = ROLLED_BITS;
	const char *name;
	json_t *bit;

	if ((version & BIP9_FORM_MASK) != BIP9_FORM || (required && !json_is_integer(required)) ||
	    (available && !json_is_object(available)))
		return 0;
	mask &= ~(uint32_t)json_integer_value(required);
	json_object_foreach((json_t *)available, name, bit) {
		if (!json_is_integer(bit) || json_integer_value(bit) < 0 || json_integer_value(bit) > 31)
			return 0;
		mask &= ~(UINT32_C(1) << json_integer_value(bit));
	}
	return mask;
}

/* Version, previous block, time and bits; the root comes later. */
static const char *read_header(struct template *t, const json_t *root)
{
	int64_t version, mintime, curtime;
	uint8_t prevhash[32], bits[4];

	if (!read_integer(&version, root, "version", INT32_MIN, UINT32_MAX, INT64_MAX))
		return "its version is not a number of 32 bits";
	if (!read_integer(&mintime, root, "mintime", 0, UINT32_MAX, 0) ||
	    !read_integer(&curtime, root, "curtime", 0, UINT32_MAX, INT64_MAX))
		return "its time is not a number of 32 bits";
	if (!read_hash(prevhash, member(root, "previousblockhash")))
		return "its previous block is not 64 hex digits";
	if (!jsonrpc_hex(bits, sizeof bits, member(root, "bits")))
		return "its bits are not 8 hex digits";
	header_build(t->header, (uint32_t)version, zeros, zeros, (uint32_t)(curtime > mintime ? curtime : mintime), load_be32(bits));
	header_set_prevhash(t->header, prevhash);
	t->version_mask = read_version_mask((uint32_t)version, root);
	return NULL;
}

/* The harder of what the target and the bits say: either alone may be what a node checks. */
static const char *read_target(struct template *t, const json_t *value)
{
	uint8_t shown[32], bytes[32];
	uint32_t target[8];

	target_from_bits(t->target, header_nbits(t->header));
	if (value && !jsonrpc_hex(shown, sizeof shown, value))
		return "its target is not 64 hex digits";
	if (value) {
		header_reverse(bytes, shown);
		target_load(target, bytes);
		if (target_met(target, t->target))
			memcpy(t->target, target, sizeof t->target);
	}
	for (unsigned i = 0; i < 8; i++)
		if (t->target[i] != 0)
			return NULL;
	return "nothing can meet its target";
}

static bool has_rule(const json_t *rules, const char *wanted)
{
	size_t index;
	json_t *rule;

	json_array_foreach((json_t *)rules, index, rule)
		if (json_is_string(rule) && strcmp(json_string_value(rule), wanted) == 0)
			return true;
	return false;
}

/* BIP 9: a rule with an exclamation mark is for miners that know it only. */
static bool check_rules(const json_t *rules, char why[TEMPLATE_WHY])
{
	static const char *const known[] = { "!segwit", "!signet", "!mweb", NULL };
	char shown[41];
	size_t index;
	json_t *rule;

	json_array_foreach((json_t *)rules, index, rule) {
		const char *name = json_string_value(rule);
		size_t i = 0;

		if (!name || name[0] != '!')
			continue;
		while (known[i] && strcmp(known[i], name) != 0)
			i++;
		if (!known[i]) {
			snprintf(why, TEMPLATE_WHY, "it demands the rule %s, which is not known here", secret_show(shown, sizeof shown, name));
			return false;
		}
	}
	return true;
}

/* BIP 325: a challenge is a script that the block must satisfy; only 51, true, needs no one's signature. */
static const char *check_signet(const json_t *challenge)
{
	const char *script = json_string_value(challenge);

	if (challenge && (!script || strcmp(script, "51") != 0))
		return "it is of a signet whose blocks must be signed by its owners: mining it would be in vain";
	return NULL;
}

static bool copy_text(char **copy, const json_t *value)
{
	*copy = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
	return *copy || !json_is_string(value);
}

static const char *read_texts(struct template *t, const json_t *root)
{
	if (!copy_text(&t->longpollid, member(root, "longpollid")) ||
	    !copy_text(&t->longpolluri, member(root, "longpolluri")) ||
	    !copy_text(&t->workid, member(root, "workid")))
		return "no memory for it";
	return NULL;
}

/* Branches, coinbase, and the root of both. Uses up the leaves. */
static const char *make_tree(struct template *t, const struct coinbase_parts *parts, const json_t *root, struct leaves *leaves)
{
	const json_t *given = member(root, "default_witness_commitment");
	uint8_t commitment[COMMITMENT_MAX], merkle_root[32];
	size_t commitment_len = json_string_length(given) / 2;
	const char *why = NULL;
	int64_t value;

	if (!read_integer(&value, root, "coinbasevalue", 0, INT64_MAX, -1))
		return "its coinbasevalue is missing or not a number from 0 up";
	if (given && (commitment_len == 0 || commitment_len > COMMITMENT_MAX || !jsonrpc_hex(commitment, commitment_len, given)))
		return "its witness commitment is not hex of usual length";
	if (!given && leaves->any_witness) {
		commitment_len = 38;
		why = make_commitment(commitment, leaves->hashes, leaves->count);
	}
	if (!why)
		why = make_coinbase(t, parts, (uint64_t)value, member(root, "coinbaseaux"), commitment, commitment_len);
	if (why)
		return why;

	/* some nodes give a commitment before segwit is active, when a witness is still forbidden */
	const json_t *rules = member(root, "rules");
	t->witness = leaves->any_witness || (commitment_len > 0 && (has_rule(rules, "segwit") || has_rule(rules, "!segwit")));

	t->branches = calloc(MERKLE_DEPTH_MAX, sizeof *t->branches);
	if (!t->branches)
		return "no memory for its merkle branches";
	int depth = merkle_branches(t->branches, leaves->txids, leaves->count);
	if (depth < 0 || header_merkle_root(merkle_root, t->coinbase, t->coinbase_len, (const uint8_t (*)[32])t->branches,
					    (size_t)depth) < 0)
		return "the crypto library cannot hash it";
	t->branch_count = (size_t)depth;
	header_set_root(t->header, merkle_root);
	return NULL;
}

static const char *parse(struct template *t, const json_t *root, const struct coinbase_parts *parts)
{
	struct leaves leaves = { .count = 0 };
	const char *why = check_signet(member(root, "signet_challenge"));
	int64_t height;

	if (!why)
		why = read_header(t, root);
	if (!why)
		why = read_target(t, member(root, "target"));
	if (!why && !read_integer(&height, root, "height", 1, INT32_MAX, 0))
		why = "its height is not a number from 1 to 2147483647";
	if (why)
		return why;
	t->height = (long)height;
	why = read_texts(t, root);
	if (!why)
		why = read_body(t, &leaves, member(root, "transactions"), member(root, "mweb"));
	if (!why)
		why = make_tree(t, parts, root, &leaves);
	free(leaves.txids);
	free(leaves.hashes);
	return why;
}

struct template *template_parse(const json_t *result, const struct coinbase_parts *parts, char why[TEMPLATE_WHY])
{
	struct template *t = calloc(1, sizeof *t);

	if (!t) {
		snprintf(why, TEMPLATE_WHY, "no memory for it");
		return NULL;
	}
	if (!check_rules(member(result, "rules"), why))
		goto refuse;
	const char *fault = parse(t, result, parts);
	if (!fault)
		return t;
	snprintf(why, TEMPLATE_WHY, "%s", fault);

refuse:
	template_free(t);
	return NULL;
}

void template_free(struct template *t)
{
	if (!t)
		return;
	free(t->longpollid);
	free(t->longpolluri);
	free(t->workid);
	free(t->coinbase);
	free(t->branches);
	free(t->body);
	free(t);
}

struct job *template_job(const struct template *t, const struct algo *algo)
{
	struct job *job = job_new();

	if (!job)
		return NULL;
	job->id = strdup(t->id);
	job->coinbase = malloc(t->coinbase_len);
	job->branches = calloc(t->branch_count + 1, sizeof *job->branches);
	if (!job->id || !job->coinbase || !job->branches) {
		job_free(job);
		return NULL;
	}
	memcpy(job->coinbase, t->coinbase, t->coinbase_len);
	memcpy(job->branches, t->branches, t->branch_count * sizeof *job->branches);
	memcpy(job->header, t->header, HEADER_LEN);
	memcpy(job->target, t->target, sizeof job->target);
	job->coinbase_len = t->coinbase_len;
	job->xnonce2_off = t->xnonce2_off;
	job->xnonce2_len = t->xnonce2_len;
	job->branch_count = t->branch_count;
	job->ntime = header_ntime(t->header);
	job->height = t->height;
	job->difficulty = target_difficulty(t->target) * algo->diff1;
	return job;
}

/* Bitcoin's variable-length integer. */
static size_t write_varint(uint8_t out[5], size_t value)
{
	if (value < 0xfd) {
		out[0] = (uint8_t)value;
		return 1;
	}
	if (value <= 0xffff) {
		out[0] = 0xfd;
		out[1] = (uint8_t)value;
		out[2] = (uint8_t)(value >> 8);
		return 3;
	}
	out[0] = 0xfe;
	store_le32(out + 1, (uint32_t)value);
	return 5;
}

static char *append(char *text, const void *bytes, size_t len)
{
	hex_encode(text, bytes, len);
	return text + 2 * len;
}

char *template_block(const struct template *t, const struct share *share, size_t *len)
{
	/* of the coinbase: where marker and flag go, and where the witness, one of 32 zero bytes */
	static const uint8_t marker[2] = { 0, 1 }, witness_head[2] = { 1, 32 };
	enum { VERSION_LEN = 4, LOCK_LEN = 4 };
	const uint8_t *coinbase = t->coinbase, *after = coinbase + t->xnonce2_off + t->xnonce2_len;
	const uint8_t *lock = coinbase + t->coinbase_len - LOCK_LEN;
	uint8_t header[HEADER_LEN], count[5];
	char *block = malloc(2 * (HEADER_LEN + sizeof count + sizeof marker + t->coinbase_len + sizeof witness_head + 32 +
				  t->body_len) + 1), *end = block;

	if (!block)
		return NULL;
	memcpy(header, share->work.header, HEADER_LEN);
	header_set_nonce(header, share->nonce);
	end = append(end, header, HEADER_LEN);
	end = append(end, count, write_varint(count, t->tx_count));
	end = append(end, coinbase, VERSION_LEN);
	if (t->witness)
		end = append(end, marker, sizeof marker);
	end = append(end, coinbase + VERSION_LEN, t->xnonce2_off - VERSION_LEN);
	end = append(end, share->work.xnonce2, t->xnonce2_len);
	end = append(end, after, (size_t)(lock - after));
	if (t->witness) {
		end = append(end, witness_head, sizeof witness_head);
		end = append(end, zeros, 32);
	}
	end = append(end, lock, LOCK_LEN);
	end = append(end, t->body, t->body_len);
	*len = (size_t)(end - block);
	return block;
}
