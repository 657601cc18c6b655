/*
 * A mining run: choose a backend, start pools and crew, then wait for a signal, the
 * time limit or the pools' surrender, reporting now and then. The order of the
 * end matters: workers stop before the pools they submit to.
 */
#include "cli/mine.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/version.h"
#include "cli/card_report.h"
#include "cli/card_stage.h"
#include "cli/cell.h"
#include "cli/report.h"
#include "pool/pools.h"
#include "pool/record.h"
#include "pool/url.h"
#include "work/crew.h"

#define LEAST_PAUSE	0.1	/* s before connecting again, were none asked for: it still grows */
#define TICK_MS		100	/* how soon a time limit, a surrender or a dead crew is seen */
#define REPORT_SECONDS	15
#define LINGER_SECONDS	10	/* a pool that is not needed any more stays connected, for replies */
#define LASTING_SECONDS	30	/* a pool that wishes us to connect anew sooner has failed */
#define FORGET_SECONDS	60	/* of work make a pool's failures forgotten */
#define SLICE_MINUTES	1	/* by quota, unless --rotate says so */

struct run {
	const struct options *options;
	const struct algo *algo;
	const struct backend *backend;	/* of the CPU threads; NULL: cards alone */
	struct cards *cards;	/* NULL: none, or none that can be used */
	struct opencl_set *opencl;	/* NULL: none is wanted */
	struct card_stages *stages;	/* the cards of an algorithm that they compute a stage of; NULL: they search, or there are none */
	struct cards *stage_cards;	/* of those */
	struct record *record;	/* NULL: none is wanted */
	struct pools *pools;
	struct board board;
	struct crew crew;
	double start;		/* clock_now() */
	double last_report;
	uint64_t last_hashes;
	uint64_t last_errors;
};

static unsigned card_count(const struct run *run)
{
	return run->cards ? run->cards->count : 0;
}

static unsigned opencl_count_of(const struct run *run)
{
	return run->opencl ? run->opencl->set.count : 0;
}

static unsigned stage_count(const struct run *run)
{
	return run->stages ? run->stages->set.count : 0;
}

static unsigned thread_count(const struct run *run)
{
	return run->crew.count - card_count(run) - stage_count(run) - opencl_count_of(run);
}

/* The CPU threads' workers come first, then those of OpenCL devices. */
static const struct worker *opencl_workers(const struct run *run)
{
	return run->crew.workers + thread_count(run);
}

/* Then those of cards that compute a stage. */
static const struct worker *stage_workers(const struct run *run)
{
	return opencl_workers(run) + opencl_count_of(run);
}

/* The workers of the cards come last. */
static const struct worker *card_workers(const struct run *run)
{
	return run->crew.workers + run->crew.count - card_count(run);
}

/* "sha-ni", "fpga" or "sha-ni, opencl, fpga" */
#define WITH_TEXT 48
static const char *searching_with(char text[WITH_TEXT], const struct run *run)
{
	const char *parts[] = {
		run->backend ? run->backend->name : NULL, run->opencl ? "opencl" : NULL, run->stages ? "fpga-dma" : NULL,
		run->cards ? backend_fpga.name : NULL,
	};

	text[0] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		size_t used = strlen(text);

		if (parts[i])
			snprintf(text + used, WITH_TEXT - used, "%s%s", used ? ", " : "", parts[i]);
	}
	return text;
}

static void report(struct run *run)
{
	double now = clock_now();
	uint64_t hashes = crew_hashes(&run->crew), errors = crew_hw_errors(&run->crew);
	char rate[RATE_TEXT], threads[512] = "", with[WITH_TEXT];
	struct pool_stats stats;
	size_t used = 0;

	report_rate(rate, (double)(hashes - run->last_hashes) / (now - run->last_report));
	for (unsigned i = 0; i < thread_count(run) && run->crew.count > 1 && used < sizeof threads - 2 * RATE_TEXT; i++) {
		char text[RATE_TEXT];

		report_rate(text, (double)run->crew.workers[i].hashes / (now - run->start));
		used += (size_t)snprintf(threads + used, sizeof threads - used, "%s%s", used ? ", " : "; threads ", text);
	}
	pools_stats(run->pools, &stats);
	log_info("%s %s: %s%s; accepted %ju, rejected %ju, stale %ju", run->algo->name, searching_with(with, run), rate,
		 threads, (uintmax_t)stats.accepted, (uintmax_t)stats.rejected, (uintmax_t)stats.stale);
	if (errors > run->last_errors)
		log_warn("backend %s: %ju hardware errors so far: the reference did not confirm what it found",
			 searching_with(with, run), (uintmax_t)errors);
	if (run->cards)
		card_report(run->cards, card_workers(run), now - run->start);
	if (run->opencl)
		device_set_report(&run->opencl->set, opencl_workers(run), now - run->start);
	if (run->stages)
		device_set_report(&run->stages->set, stage_workers(run), now - run->start);
	run->last_report = now;
	run->last_hashes = hashes;
	run->last_errors = errors;
}

static json_t *shares_json(const struct pool_stats *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "sent", (json_int_t)s->sent,
			 "accepted", (json_int_t)s->accepted, "rejected", (json_int_t)s->rejected, "unanswered", (json_int_t)s->unanswered,
			 "stale", (json_int_t)s->stale, "dropped", (json_int_t)s->dropped, "blocks", (json_int_t)s->blocks);
}

static json_t *pools_json(const struct run *run)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < run->options->pools.count; i++) {
		char shown[URL_SHOWN_MAX];
		struct pool_stats stats;

		pools_stats_of(run->pools, i, &stats);
		json_t *one = shares_json(&stats);
		json_object_set_new(one, "url", json_string(url_shown(shown, run->options->pools.pools[i].url)));
		json_object_set_new(one, "connections", json_integer((json_int_t)stats.connections));
		json_array_append_new(list, one);
	}
	return list;
}

/* The whole run as one JSON object. */
static void print_summary(const struct run *run, double seconds)
{
	struct pool_stats s;
	json_t *cards = run->cards ? card_report_json(run->cards, card_workers(run), seconds) :
			run->stages ? device_set_report_json(&run->stages->set, stage_workers(run), seconds) : json_array();
	json_t *opencl = run->opencl ? device_set_report_json(&run->opencl->set, opencl_workers(run), seconds) : json_array();

	pools_stats(run->pools, &s);
	json_t *root = json_pack("{s:{s:s, s:s, s:s}, s:s, s:s, s:i, s:f, s:I, s:f, s:I, s:o, s:o, s:o, s:o}", "adit", "version", version_number,
			 "commit", version_commit, "compiler", version_compiler, "algo", run->algo->name,
			 "backend", run->backend ? run->backend->name : run->opencl ? "opencl" : run->stages ? "fpga-dma" : backend_fpga.name,
			 "threads", (int)thread_count(run), "seconds", seconds,
			 "hashes", (json_int_t)crew_hashes(&run->crew), "hashrate", (double)crew_hashes(&run->crew) / seconds,
			 "hw_errors", (json_int_t)crew_hw_errors(&run->crew), "shares", shares_json(&s),
			 "pools", pools_json(run), "cards", cards, "opencl", opencl);
	json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	printf("\n");
	json_decref(root);
}

/* True when SIGINT or SIGTERM came within a tick. */
static bool tick(void)
{
	const struct timespec wait = { .tv_nsec = TICK_MS * 1000000L };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return sigtimedwait(&set, NULL, &wait) > 0;
}

static enum mine_result watch(struct run *run)
{
	while (!tick()) {
		enum pools_state state = pools_state(run->pools);
		double now = clock_now();

		if (state != POOLS_TRYING)
			return state == POOLS_REFUSED ? MINE_REFUSED : MINE_GAVE_UP;
		if (crew_alive(&run->crew) == 0) {
			log_error("backend %s: no thread is left", searching_with((char[WITH_TEXT]){ 0 }, run));
			return MINE_FAILED;
		}
		if (run->options->time_limit && now - run->start >= (double)run->options->time_limit)
			return MINE_DONE;
		if (now - run->last_report >= REPORT_SECONDS)
			report(run);
	}
	return MINE_DONE;
}

static int start(struct run *run, const struct cpu_list *cpus, const struct backend_fault *fault)
{
	const struct options *o = run->options;
	unsigned threads = options_devices_only(o->backend) ? 0 : o->threads ? (unsigned)o->threads : cpus->count;
	struct crew_device devices[OPENCL_MAX + CARDS_MAX];
	unsigned device_count = 0;
	const struct crew_config config = {
		.algo = run->algo, .backend = run->backend, .threads = threads, .cpus = cpus,
		.devices = devices, .device_count = opencl_count_of(run) + stage_count(run) + card_count(run),
		.pin = o->affinity || threads == cpus->count, .priority = o->nice, .board = &run->board,
		.found = pools_submit, .found_ctx = run->pools, .fault = run->backend ? backend_fault_mask(fault, run->backend, false) : 0,
	};

	for (unsigned i = 0; i < opencl_count_of(run); i++)
		devices[device_count++] = run->opencl->set.entries[i].device;
	for (unsigned i = 0; i < stage_count(run); i++)
		devices[device_count++] = run->stages->set.entries[i].device;
	for (unsigned i = 0; i < card_count(run); i++)
		devices[device_count++] = (struct crew_device){ &backend_fpga, &run->cards->units[i] };
	board_init(&run->board, pools_next, run->pools);
	if (crew_start(&run->crew, &config) < 0)
		goto destroy_board;
	if (pools_start(run->pools, &run->board) < 0)
		goto stop_crew;
	return 0;

stop_crew:
	board_close(&run->board);
	crew_join(&run->crew);
	crew_free(&run->crew);
destroy_board:
	board_destroy(&run->board);
	return -1;
}

static struct pools *make_pools(const struct run *run)
{
	const struct options *o = run->options;
	const struct kernel *kernel = run->backend ? backend_versions_kernel(run->backend, o->algo) : NULL;
	struct pools_config config = {
		.count = o->pools.count, .strategy = o->strategy, .failover_after = (unsigned)o->failover_after,
		.job_timeout_s = (double)o->job_timeout, .forget_s = FORGET_SECONDS,
		.slice_s = 60.0 * (double)(o->rotate > 0 ? o->rotate : o->strategy == POOLS_QUOTA ? SLICE_MINUTES : 0),
	};

	for (unsigned i = 0; i < config.count; i++) {
		const struct pool_entry entry = pool_list_get(&o->pools, i);

		config.quotas[i] = entry.quota ? entry.quota : 1;
		config.pools[i] = (struct pool_config){
			.url = entry.url, .user = entry.user ? entry.user : "", .pass = entry.pass ? entry.pass : "",
			.user_agent = version_agent, .algo = o->algo, .retries = (int)o->retries,
			.retry_pause_s = o->retry_pause > 0 ? (double)o->retry_pause : LEAST_PAUSE, .timeout_s = (double)o->timeout, .linger_s = LINGER_SECONDS,
			.lasting_s = LASTING_SECONDS,
			.dump = o->protocol_dump, .coinbase_addr = o->coinbase_addr, .coinbase_sig = o->coinbase_sig,
			.scan_time_s = (double)o->scan_time, .no_longpoll = o->no_longpoll, .no_stratum = o->no_stratum,
			.proxy = o->proxy, .cert = o->cert, .no_verify = o->no_verify,
			.versions = kernel ? kernel->versions : 0, .no_version_rolling = o->no_version_rolling,
			.suggest_difficulty = o->suggest_difficulty, .least_difficulty = o->least_difficulty,
			.record = run->record, .number = i + 1,
		};
	}
	return pools_create(&config);
}

/* Before anything is told of a file: who mixes up two options gives the password as its name. */
static int hide_secrets(const struct options *o)
{
	for (unsigned i = 0; i < o->pools.count; i++) {
		const struct pool_entry entry = pool_list_get(&o->pools, i);

		if (pool_hide_secrets(entry.url, entry.user ? entry.user : "", entry.pass ? entry.pass : "") < 0)
			return -1;
	}
	return 0;
}

static struct record *open_record(const struct options *o)
{
	const char *urls[POOLS_MAX];

	for (unsigned i = 0; i < o->pools.count; i++)
		urls[i] = o->pools.pools[i].url;
	return record_open(o->record, o->algo->name, urls, o->pools.count);
}

/* This CPU's, for the stages of a chain that are not at a device. NULL: none, logged. */
static const struct kernel *kernel_beside(const struct run *run, const struct backend_fault *fault)
{
	const struct algo *algo = run->options->algo;
	const struct backend *cpu = run->backend ? run->backend : backend_choose(algo, NULL, fault);

	return cpu ? backend_kernel(cpu, algo) : NULL;
}

/*
 * Returns how many cards work, as far as is known before their workers open them; -1, logged: none will. Cards alone are
 * tried at once, since without one that works the run is not worth starting; beside CPU threads, which need not wait for
 * that, their workers try them.
 */
static int choose_cards(struct run *run, const struct backend_fault *fault)
{
	const struct options *o = run->options;

	if (card_stages_wanted(o, o->algo)) {
		run->stage_cards = card_list_create(&o->cards);
		run->stages = run->stage_cards ? card_stages_create(run->stage_cards, o->algo, kernel_beside(run, fault)) : NULL;
		if (!run->stages)
			return -1;
		return card_list_only(o->backend) ? card_stages_open(run->stages) : 0;
	}
	run->cards = card_list_create(&o->cards);
	if (!run->cards)
		return -1;
	return card_list_only(o->backend) ? cards_use(run->cards, o->algo) : cards_prepare(run->cards, o->algo);
}

/* What will search. Without a card that can be used the CPU mines on, where it may. */
static int choose(struct run *run, const struct backend_fault *fault)
{
	const struct options *o = run->options;
	int working = 0;

	if (!options_devices_only(o->backend)) {
		run->backend = backend_choose(o->algo, o->backend, fault);
		if (!run->backend)
			return -1;
	}
	if (o->opencl.count > 0) {
		run->opencl = opencl_set_create(&o->opencl, o->algo, kernel_beside(run, fault));
		if (!run->opencl)
			return -1;
	}
	if (o->cards.count > 0 && !opencl_list_only(o->backend))
		working = choose_cards(run, fault);
	if (card_list_only(o->backend) && (working < 0 || (working == 0 && !cell_signalled())))
		return log_error("backend %s: no card works", o->backend);
	if (working < 0) {
		log_warn("fpga: the CPU mines alone");
		cards_destroy(run->cards);
		run->cards = NULL;
	}
	return 0;
}

/* What was chosen, for the log. */
static void describe(const struct run *run, const struct backend_fault *fault)
{
	const unsigned threads = thread_count(run);
	char text[256], places[256];

	if (!run->backend)
		return;		/* each card has had its line */
	backend_describe_choice(text, sizeof text, run->algo, run->backend, fault);
	crew_places(places, sizeof places, &run->crew);
	log_info("%s; %u thread%s%s", text, threads, threads == 1 ? "" : "s", places);
}

enum mine_result mine_run(const struct options *o, const struct cpu_list *cpus, const struct backend_fault *fault)
{
	struct run run = { .options = o, .algo = o->algo, .start = clock_now() };
	enum mine_result result = MINE_FAILED;

	if (hide_secrets(o) < 0 || choose(&run, fault) < 0)
		goto destroy_cards;
	if (o->record) {
		run.record = open_record(o);
		if (!run.record)
			goto destroy_cards;
	}
	run.pools = make_pools(&run);
	if (!run.pools)
		result = MINE_BAD_OPTION;
	if (!run.pools || start(&run, cpus, fault) < 0)
		goto destroy_pools;
	describe(&run, fault);
	run.last_report = run.start;
	result = watch(&run);
	report(&run);
	board_close(&run.board);
	crew_join(&run.crew);
	pools_stop(run.pools);
	if (o->json)
		print_summary(&run, clock_now() - run.start);
	crew_free(&run.crew);
	board_destroy(&run.board);

destroy_pools:
	pools_destroy(run.pools);
	record_close(run.record);
destroy_cards:
	cards_destroy(run.cards);
	card_stages_free(run.stages);
	cards_destroy(run.stage_cards);
	opencl_set_free(run.opencl);
	return result;
}
