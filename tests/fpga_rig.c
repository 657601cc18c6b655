/* The run of a card in software: see fpga_rig.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algo/registry.h"
#include "base/bytes.h"
#include "simd/backend.h"
#include "tests/fpga_rig.h"

static void keep(void *ctx, const struct share *share)
{
	struct shares *shares = ctx;

	pthread_mutex_lock(&shares->lock);
	if (shares->count < RIG_SHARES_MAX) {	/* of endless work the first are enough */
		shares->share[shares->count].version = load_le32(share->work.header);
		shares->share[shares->count].time = load_le32(share->work.header + 68);
		shares->share[shares->count++].nonce = share->nonce;
	}
	pthread_mutex_unlock(&shares->lock);
}

static unsigned times_found(struct shares *shares, const struct work *work, uint32_t version, uint32_t nonce)
{
	unsigned times = 0;

	for (unsigned i = 0; i < shares->count; i++)
		times += shares->share[i].version == version && shares->share[i].nonce == nonce &&
			 shares->share[i].time == load_le32(work->header + 68);
	return times;
}

unsigned rig_found(struct shares *shares, const struct work *work)
{
	unsigned found = 0;

	pthread_mutex_lock(&shares->lock);
	for (unsigned i = 0; i < shares->count; i++)
		found += shares->share[i].time == load_le32(work->header + 68);
	pthread_mutex_unlock(&shares->lock);
	return found;
}

int rig_open_fake(struct fpga_unit *unit, struct transport *transport)
{
	struct fake_card *card = unit->open_ctx;

	if (card->fault == FAKE_UNPLUGGED)
		return -1;
	fake_card_open(card, transport);
	return 0;
}

struct work rig_work(unsigned versions)
{
	struct work work = { .version_count = (uint8_t)versions };

	for (unsigned i = 0; i < 76; i++)
		work.header[i] = (uint8_t)(i * i + 3);
	memset(work.target, 0xff, sizeof work.target);
	work.target[7] = RIG_HIT_TOP;
	for (unsigned i = 0; i < versions; i++)
		work.versions[i] = load_le32(work.header) ^ i << 13;
	return work;
}

struct rig *rig_make(enum fake_fault fault)
{
	struct rig *rig = calloc(1, sizeof *rig);

	assert_non_null(rig);
	pthread_mutex_init(&rig->shares.lock, NULL);
	rig->card.fault = fault;
	rig->unit = (struct fpga_unit){ .name = "fake", .open = rig_open_fake, .open_ctx = &rig->card, .algo = algo_find("sha256d") };
	board_init(&rig->board, NULL, NULL);
	rig->board.nonce_end = RIG_NONCES;
	return rig;
}

void rig_run(struct rig *rig, unsigned threads)
{
	static struct cpu_list cpus;
	struct crew_device device = { &backend_fpga, &rig->unit };
	struct crew_config config = {
		.algo = algo_find("sha256d"), .backend = backend_find("scalar"), .threads = threads, .devices = &device, .device_count = 1,
		.cpus = &cpus, .board = &rig->board, .found = keep, .found_ctx = &rig->shares,
	};

	assert_int_equal(cpus_allowed(&cpus), 0);
	assert_int_equal(crew_start(&rig->crew, &config), 0);
}

struct rig *rig_start(unsigned threads, enum fake_fault fault)
{
	struct rig *rig = rig_make(FAKE_SOUND);

	assert_int_equal(fpga_unit_start(&rig->unit), 0);
	rig->unit.card.stopped_s = 0.05;
	rig->card.fault = fault;
	rig_run(rig, threads);
	return rig;
}

void rig_help(struct rig *rig)
{
	struct cpu_list cpus;
	struct crew_config config = {
		.algo = algo_find("sha256d"), .backend = backend_find("scalar"), .threads = 1, .cpus = &cpus, .board = &rig->board,
		.found = keep, .found_ctx = &rig->shares,
	};

	assert_int_equal(cpus_allowed(&cpus), 0);
	assert_int_equal(crew_start(&rig->helpers, &config), 0);
}

uint64_t rig_hashes(const struct rig *rig)
{
	return crew_hashes(&rig->crew) + crew_hashes(&rig->helpers);
}

void rig_stop(struct rig *rig)
{
	board_close(&rig->board);
	crew_join(&rig->helpers);
	crew_join(&rig->crew);
	rig->stopped = true;
}

void rig_end(struct rig *rig)
{
	if (!rig->stopped)
		rig_stop(rig);
	crew_free(&rig->helpers);
	assert_int_equal(crew_alive(&rig->crew), rig->crew.count);
	assert_int_equal(rig->card.opened, rig->card.closed);
	crew_free(&rig->crew);
	board_destroy(&rig->board);
	pthread_mutex_destroy(&rig->shares.lock);
	free(rig);
}

uint32_t rig_share_of(const struct work *work, uint64_t first)
{
	uint8_t header[HEADER_MAX], digest[32];

	memcpy(header, work->header, sizeof header);
	for (uint64_t nonce = first; nonce <= UINT32_MAX; nonce++) {
		store_le32(header + 76, (uint32_t)nonce);
		algo_find("sha256d")->hash(digest, header, NULL);
		if (load_le32(digest + 28) <= work->target[7])
			return (uint32_t)nonce;
	}
	fail_msg("no share");
	return 0;
}

unsigned rig_check_shares(struct rig *rig, const struct work *work, bool lost)
{
	unsigned found = 0, missing = 0, versions = work->version_count ? work->version_count : 1;
	const struct algo *algo = algo_find("sha256d");

	pthread_mutex_lock(&rig->shares.lock);
	for (unsigned v = 0; v < versions; v++) {
		uint8_t header[HEADER_MAX], digest[32];

		memcpy(header, work->header, sizeof header);
		if (work->version_count)
			store_le32(header, work->versions[v]);
		for (uint32_t nonce = 0; nonce < RIG_NONCES; nonce++) {
			store_le32(header + 76, nonce);
			algo->hash(digest, header, NULL);

			unsigned times = times_found(&rig->shares, work, load_le32(header), nonce);
			bool share = load_le32(digest + 28) <= RIG_HIT_TOP;

			assert_true(times <= share);	/* never a false one, never twice */
			found += times;
			missing += share && !times;
		}
	}
	pthread_mutex_unlock(&rig->shares.lock);
	assert_true(lost || missing == 0);
	assert_true(found > 0 || lost);
	return missing;
}
