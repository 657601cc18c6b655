/*
 * From a node's template to the block that is sent back. The golden block was put
 * together by an independent program from the same template.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/hex.h"
#include "base/target.h"
#include "pool/jobs.h"
#include "pool/merkle.h"
#include "pool/template.h"

#define PAYOUT "bcrt1qqqqsyqcyq5rqwzqfpg9scrgwpugpzysnard0ew"
#define PREVHASH "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
#define TX1 "010000000111111111111111111111111111111111111111111111111111111111111111110000000000ffffffff01e803000000000000015100000000"
#define TX2 "0200000000010122222222222222222222222222222222222222222222222222222222222222220100000000fdffffff01d007000000000000" \
	"160014000102030405060708090a0b0c0d0e0f101112130102beef00000000"
#define TXID1 "99296a9c40f5e307530147cc99133f35ae866b280d362d7c487bfd30ea1d72d8"
#define TXID2 "e84afb84c7d68a81976a069ba74dfb11e72343580bd56fe51d2a737595d3c537"
#define HASH2 "8bee94f99363c4704bc5e870d92028118e73c7a6a773d4c6f1429c79f56e2ed2"
#define COMMITMENT "6a24aa21a9ed87d44931c8958588dd44eede6fa1adca03eb76a03d2df499b3dbba6f215f4a4a"

#define GOLDEN_HEADER "0000002006226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f" \
	"27bd8573b4911d5c16f3d4ed2b82768ccdd0bee47d387a91d4bff19cd18550f764f15365f0ff0f1ed4a01b00"
#define GOLDEN_NONCE 1810644u
#define GOLDEN_BLOCK GOLDEN_HEADER \
	"03010000000001010000000000000000000000000000000000000000000000000000000000000000ffffffff1202c80008a1b2c3d400000007" \
	"2f616469742fffffffff02b0f6052a01000000160014000102030405060708090a0b0c0d0e0f101112130000000000000000266a24aa21a9ed" \
	"87d44931c8958588dd44eede6fa1adca03eb76a03d2df499b3dbba6f215f4a4a01200000000000000000000000000000000000000000000000" \
	"00000000000000000000000000" TX1 TX2

static struct address payout;
static struct extranonce extranonce = { .first = { 0xa1, 0xb2, 0xc3, 0xd4 }, .first_len = 4, .second_len = 4 };

/* The template of the case catalogue: one plain transaction and one with witness. */
static json_t *make_json(void)
{
	json_t *root = json_pack("{s:i, s:[s,s,s], s:s, s:[{s:s,s:s,s:s},{s:s,s:s,s:s}], s:{}, s:I, s:s, s:s, s:i, s:i, s:s, s:i, s:s}",
		"version", 0x20000000, "rules", "csv", "!segwit", "taproot", "previousblockhash", PREVHASH,
		"transactions", "data", TX1, "txid", TXID1, "hash", TXID1, "data", TX2, "txid", TXID2, "hash", HASH2,
		"coinbaseaux", "coinbasevalue", (json_int_t)5000001200, "longpollid", "lp-1",
		"target", "00000ffff0000000000000000000000000000000000000000000000000000000",
		"mintime", 1700000000, "curtime", 1700000100, "bits", "1e0ffff0", "height", 200,
		"default_witness_commitment", COMMITMENT);

	assert_non_null(root);
	return root;
}

static struct template *parse_with(const json_t *root, const char *sig, char why[TEMPLATE_WHY])
{
	const struct coinbase_parts parts = { .payout = &payout, .sig = sig, .extranonce = &extranonce };

	return template_parse(root, &parts, why);
}

/* The template must be good; the JSON is used up. */
static struct template *parse(json_t *root)
{
	char why[TEMPLATE_WHY];
	struct template *t = parse_with(root, "/adit/", why);

	if (!t)
		fail_msg("refused: %s", why);
	snprintf(t->id, sizeof t->id, "1");
	json_decref(root);
	return t;
}

/* The standard one with one member replaced; `value` NULL takes it out. */
static json_t *make_with(const char *key, json_t *value)
{
	json_t *root = make_json();

	if (value)
		json_object_set_new(root, key, value);
	else
		json_object_del(root, key);
	return root;
}

static void assert_bytes(const uint8_t *bytes, size_t len, const char *want)
{
	char text[2 * 256 + 1];

	assert_true(len <= 256);
	hex_encode(text, bytes, len);
	assert_string_equal(text, want);
}

/* The input script, which stands after version, count of inputs and outpoint. */
static const uint8_t *script_of(const struct template *t, size_t *len)
{
	*len = t->coinbase[41];
	return t->coinbase + 42;
}

/* Of each test anew. */
static struct searched *searched;

static int setup(void **state)
{
	(void)state;
	searched = searched_create();
	return searched ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	searched_destroy(searched);
	return 0;
}

#define TEMPLATE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct share first_share(struct job *job)
{
	struct share share = { .nonce = 0 };

	assert_true(job_next(job, searched, &share.work, job->arrived));
	return share;
}

static void template_and_share_give_the_golden_block(void **state)
{
	struct template *t = parse(make_json());
	struct job *job = template_job(t, algo_find("sha256d"));
	struct share share = { .nonce = GOLDEN_NONCE };
	uint8_t digest[32];
	uint32_t value[8];
	size_t len;

	(void)state;
	for (unsigned i = 0; i <= 7; i++)
		share = first_share(job);
	share.nonce = GOLDEN_NONCE;
	char *block = template_block(t, &share, &len);
	assert_string_equal(block, GOLDEN_BLOCK);
	assert_int_equal(len, strlen(GOLDEN_BLOCK));

	store_le32(share.work.header + 76, GOLDEN_NONCE);
	algo_find("sha256d")->hash(digest, share.work.header, NULL);
	target_load(value, digest);
	assert_true(target_met(value, job->target));
	assert_int_equal(job->height, 200);
	assert_int_equal(job->ntime, 1700000100);
	free(block);
	job_free(job);
	template_free(t);
}

static void branches_are_over_txids(void **state)
{
	struct template *t = parse(make_json());

	(void)state;
	assert_int_equal(t->branch_count, 2);
	assert_bytes(t->branches[0], 32, "d8721dea30fd7b487c2d360d286b86ae353f1399cc47015307e3f5409c6a2999");
	assert_bytes(t->branches[1], 32, "21e946192cae85a4b8f9c63157ffbaa9fc3b262fe0df27323999451207eda37a");
	template_free(t);
}

/* All numbers of leaves: climbing by the branches gives the root of the whole tree, made here level by level. */
static void branches_lead_to_the_root_of_any_tree(void **state)
{
	enum { MOST = 70 };
	uint8_t level[MOST + 2][32], nodes[MOST][32], branches[MERKLE_DEPTH_MAX][32], node[32];

	(void)state;
	for (size_t count = 0; count < MOST; count++) {
		for (size_t i = 0; i <= count; i++)
			memset(level[i], (int)i + 1, 32);
		memcpy(node, level[0], 32);
		memcpy(nodes, level[1], 32 * count);

		for (size_t n = count + 1; n > 1; n = (n + 1) / 2) {
			if (n % 2)
				memcpy(level[n], level[n - 1], 32);
			for (size_t i = 0; i < n; i += 2) {
				uint8_t pair[64];

				memcpy(pair, level[i], 32);
				memcpy(pair + 32, level[i + 1], 32);
				assert_int_equal(header_merkle_root(level[i / 2], pair, 64, NULL, 0), 0);
			}
		}
		int depth = merkle_branches(branches, nodes, count);
		assert_true(depth >= 0);
		assert_int_equal(merkle_climb(node, (const uint8_t (*)[32])branches, (size_t)depth), 0);
		assert_memory_equal(node, level[0], 32);
	}
}

static void heights_are_pushed_as_bip34_says(void **state)
{
	static const struct { int height; const char *push; } rows[] = {
		{ 1, "51" }, { 16, "60" }, { 17, "0111" }, { 100, "0164" }, { 127, "017f" }, { 128, "028000" }, { 255, "02ff00" },
		{ 256, "020001" }, { 32767, "02ff7f" }, { 65536, "03000001" }, { 840000, "0340d10c" }, { 8388607, "03ffff7f" },
		{ 8388608, "0400008000" }, { 2147483647, "04ffffff7f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct template *t = parse(make_with("height", json_integer(rows[i].height)));
		size_t len;
		const uint8_t *script = script_of(t, &len);

		assert_bytes(script, strlen(rows[i].push) / 2, rows[i].push);
		assert_true(len >= 2 && len <= 100);
		template_free(t);
	}
}

static void a_missing_commitment_is_made_when_there_is_witness(void **state)
{
	struct template *given = parse(make_json());
	struct template *made = parse(make_with("default_witness_commitment", NULL));

	(void)state;
	assert_true(made->witness);
	assert_int_equal(made->coinbase_len, given->coinbase_len);
	assert_memory_equal(made->coinbase, given->coinbase, given->coinbase_len);
	template_free(made);
	template_free(given);
}

/* A node with a commitment, but without the rule and transactions of segwit, would refuse a witness. */
static void witness_waits_for_segwit(void **state)
{
	json_t *root = make_with("rules", json_array());

	(void)state;
	json_object_set_new(root, "transactions", json_array());
	struct template *t = parse(root);
	assert_false(t->witness);
	template_free(t);

	t = parse(make_with("transactions", json_array()));
	assert_true(t->witness);
	template_free(t);

	t = parse(make_with("rules", NULL));
	assert_true(t->witness);
	template_free(t);
}

static void aux_data_and_signature_share_the_script(void **state)
{
	char why[TEMPLATE_WHY], sig[COINBASE_SIG_MAX + 1];
	json_t *root = make_with("coinbaseaux", json_pack("{s:s}", "flags", "2f503253482f"));
	size_t len;

	(void)state;
	struct template *t = parse_with(root, "", why);
	const uint8_t *script = script_of(t, &len);
	assert_bytes(script, len, "02c80008a1b2c3d4000000002f503253482f");
	template_free(t);

	memset(sig, 's', COINBASE_SIG_MAX);
	sig[COINBASE_SIG_MAX] = '\0';
	t = parse_with(root, sig, why);		/* 3 + 9 + 6 + 80 */
	script_of(t, &len);
	assert_int_equal(len, 98);
	template_free(t);

	char flags[2 * 30 + 1];
	memset(flags, '7', sizeof flags - 1);
	flags[sizeof flags - 1] = '\0';
	json_object_set_new(root, "coinbaseaux", json_pack("{s:s}", "flags", flags));
	t = parse_with(root, sig, why);		/* the signature is cut */
	script_of(t, &len);
	assert_int_equal(len, 100);
	template_free(t);
	json_decref(root);
}

static void what_may_be_missing_may_be_missing(void **state)
{
	static const char *const keys[] = { "coinbaseaux", "longpollid", "mintime", "rules", "target", "transactions" };

	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct template *t = parse(make_with(keys[i], NULL));

		assert_int_equal(t->tx_count, strcmp(keys[i], "transactions") == 0 ? 1 : 3);
		template_free(t);
	}
}

static void txid_may_be_missing_without_witness_only(void **state)
{
	char why[TEMPLATE_WHY];
	json_t *root = make_json();
	json_t *list = json_object_get(root, "transactions");

	(void)state;
	json_object_del(json_array_get(list, 0), "txid");
	struct template *t = parse_with(root, "", why);
	assert_non_null(t);
	assert_bytes(t->branches[0], 32, "d8721dea30fd7b487c2d360d286b86ae353f1399cc47015307e3f5409c6a2999");
	template_free(t);

	json_object_del(json_array_get(list, 1), "txid");
	assert_null(parse_with(root, "", why));
	json_decref(root);
}

static void time_is_not_before_mintime(void **state)
{
	struct template *t = parse(make_with("mintime", json_integer(1700000200)));

	(void)state;
	assert_int_equal(header_ntime(t->header), 1700000200);
	template_free(t);
}

/* Nodes may check either; and 00000ffff0... is what 1e0ffff0 says. */
static void the_harder_of_target_and_bits_counts(void **state)
{
	struct template *plain = parse(make_json());
	struct template *hard = parse(make_with("bits", json_string("1d00ffff")));
	struct template *easy = parse(make_with("bits", json_string("207fffff")));

	(void)state;
	assert_int_equal(hard->target[6], 0xffff0000);
	assert_int_equal(hard->target[7], 0);
	assert_memory_equal(easy->target, plain->target, sizeof plain->target);
	template_free(plain);
	template_free(hard);
	template_free(easy);
}

/* There are encoders that write null for what they have nothing to say of. */
static void null_is_as_good_as_nothing(void **state)
{
	static const char *const optional[] = {
		"rules", "transactions", "coinbaseaux", "longpollid", "longpolluri", "workid", "target", "mintime",
		"default_witness_commitment", "signet_challenge", "mweb",
	};

	(void)state;
	for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
		struct template *missing = parse(make_with(optional[i], NULL)), *null = parse(make_with(optional[i], json_null()));

		assert_memory_equal(null->header, missing->header, sizeof null->header);
		assert_memory_equal(null->target, missing->target, sizeof null->target);
		assert_int_equal(null->coinbase_len, missing->coinbase_len);
		assert_memory_equal(null->coinbase, missing->coinbase, null->coinbase_len);
		assert_int_equal(null->body_len, missing->body_len);
		assert_int_equal(null->witness, missing->witness);
		template_free(missing);
		template_free(null);
	}
}

static void mweb_follows_the_transactions(void **state)
{
	struct template *t = parse(make_with("mweb", json_string("0badf00d")));

	(void)state;
	assert_bytes(t->body + t->body_len - 5, 5, "010badf00d");
	template_free(t);
}

static void unusable_templates_are_refused(void **state)
{
	const struct { const char *key; json_t *value; } rows[] = {
		{ "version", NULL }, { "version", json_string("20000000") }, { "version", json_integer(INT64_C(1) << 40) },
		{ "previousblockhash", NULL }, { "previousblockhash", json_string("00") }, { "previousblockhash", json_integer(7) },
		{ "bits", NULL }, { "bits", json_string("1e0ffff") }, { "bits", json_string("1e000000") },
		{ "target", json_string("0") }, { "target", json_string("0000000000000000000000000000000000000000000000000000000000000000") },
		{ "curtime", NULL }, { "curtime", json_integer(-1) }, { "mintime", json_string("soon") },
		{ "height", NULL }, { "height", json_integer(0) }, { "height", json_integer(INT64_C(1) << 33) }, { "height", json_real(1.5) },
		{ "coinbasevalue", NULL }, { "coinbasevalue", json_integer(-1) },
		{ "coinbaseaux", json_pack("{s:s}", "flags", "zz") }, { "coinbaseaux", json_pack("{s:i}", "flags", 7) },
		{ "coinbaseaux", json_pack("{s:s+}", "flags", TX1 TX2, "") },
		{ "default_witness_commitment", json_string("6a2") }, { "default_witness_commitment", json_string("") },
		{ "default_witness_commitment", json_integer(1) },
		{ "transactions", json_pack("[n]") }, { "transactions", json_pack("[s]", TX1) },
		{ "transactions", json_pack("[{s:s}]", "data", TX1) }, { "transactions", json_pack("[{s:s,s:s}]", "data", "00", "txid", TXID1) },
		{ "transactions", json_pack("[{s:s,s:s}]", "data", TX1 "0", "txid", TXID1) },
		{ "transactions", json_pack("[{s:s,s:s}]", "data", TX1, "txid", "99") },
		{ "transactions", json_pack("[{s:s,s:s}]", "data", TX2, "hash", HASH2) },
		{ "transactions", json_pack("[{s:s,s:s}]", "data", TX2, "txid", TXID2) },
		{ "mweb", json_string("0") }, { "mweb", json_integer(1) },
		{ "rules", json_pack("[s]", "!unheardof") },
		{ "signet_challenge", json_string("5121038b") }, { "signet_challenge", json_integer(51) },
	};
	char why[TEMPLATE_WHY];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		json_t *root = make_with(rows[i].key, rows[i].value);
		struct template *t = parse_with(root, "", why);

		if (t)
			fail_msg("row %zu was taken: %s", i, rows[i].key);
		assert_true(why[0] != '\0');
		json_decref(root);
	}
	assert_null(parse_with(NULL, "", why));
}

static void a_signet_that_asks_for_no_signature_is_taken(void **state)
{
	json_t *root = make_with("signet_challenge", json_string("51"));

	(void)state;
	json_object_set_new(root, "rules", json_pack("[ss]", "!segwit", "!signet"));
	template_free(parse(root));
}

/* Under the leak checker: nothing stays of a thousand templates, jobs and blocks. */
static void a_thousand_templates_leave_nothing_behind(void **state)
{
	struct jobs jobs;

	(void)state;
	jobs_init(&jobs, searched);
	for (int i = 0; i < 1000; i++) {
		struct template *t = parse(make_with("height", json_integer(i + 1)));
		struct job *job = template_job(t, algo_find("sha256d"));
		struct share share = first_share(job);
		size_t len;

		job->clean = i % 3 == 0;
		jobs_add(&jobs, job);
		assert_true(jobs_next(&jobs, &share.work));
		char *block = template_block(t, &share, &len);
		assert_int_equal(strlen(block), len);
		free(block);
		template_free(t);
	}
	jobs_destroy(&jobs);
}

static void version_bits_are_free_where_the_node_has_no_use_for_them(void **state)
{
	const struct {
		json_int_t version;
		json_t *required, *available;
		uint32_t mask;
	} rows[] = {
		{ 0x20000000, NULL, NULL, 0x1fffe000 },
		{ 0x3000e000, json_null(), json_null(), 0x1fffe000 },
		{ 0x20000000, json_integer(0), json_object(), 0x1fffe000 },
		{ 0x20000000, NULL, json_pack("{s:i, s:i}", "taproot", 2, "testdummy", 28), 0x0fffe000 },
		{ 0x20000000, json_integer(0x6000), json_pack("{s:i}", "!new", 16), 0x1ffe8000 },
		{ 4, NULL, NULL, 0 },				/* not of BIP 9's form: they may mean something else */
		{ 0x00620104, NULL, NULL, 0 },			/* merged mining of chain 0x62 */
		{ 0xe0000000, NULL, NULL, 0 },
		{ 0x20000000, json_string("0"), NULL, 0 },	/* what cannot be told */
		{ 0x20000000, NULL, json_array(), 0 },
		{ 0x20000000, NULL, json_pack("{s:s}", "new", "16"), 0 },
		{ 0x20000000, NULL, json_pack("{s:i}", "new", 32), 0 },
		{ 0x20000000, NULL, json_pack("{s:i}", "new", -1), 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *root = make_with("version", json_integer(rows[i].version));

		if (rows[i].required)
			json_object_set_new(root, "vbrequired", rows[i].required);
		if (rows[i].available)
			json_object_set_new(root, "vbavailable", rows[i].available);
		struct template *t = parse(root);
		assert_int_equal(t->version_mask, rows[i].mask);
		template_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEMPLATE_TEST(template_and_share_give_the_golden_block),
		TEMPLATE_TEST(version_bits_are_free_where_the_node_has_no_use_for_them),
		TEMPLATE_TEST(branches_are_over_txids),
		TEMPLATE_TEST(branches_lead_to_the_root_of_any_tree),
		TEMPLATE_TEST(heights_are_pushed_as_bip34_says),
		TEMPLATE_TEST(a_missing_commitment_is_made_when_there_is_witness),
		TEMPLATE_TEST(witness_waits_for_segwit),
		TEMPLATE_TEST(aux_data_and_signature_share_the_script),
		TEMPLATE_TEST(what_may_be_missing_may_be_missing),
		TEMPLATE_TEST(txid_may_be_missing_without_witness_only),
		TEMPLATE_TEST(time_is_not_before_mintime),
		TEMPLATE_TEST(the_harder_of_target_and_bits_counts),
		TEMPLATE_TEST(null_is_as_good_as_nothing),
		TEMPLATE_TEST(mweb_follows_the_transactions),
		TEMPLATE_TEST(unusable_templates_are_refused),
		TEMPLATE_TEST(a_signet_that_asks_for_no_signature_is_taken),
		TEMPLATE_TEST(a_thousand_templates_leave_nothing_behind),
	};

	if (address_parse(&payout, PAYOUT, "sha256d"))
		return 1;
	return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
