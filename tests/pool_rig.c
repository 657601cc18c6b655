/* The rig: see pool_rig.h. */
#include "tests/pool_rig.h"

#include <unistd.h>
#if RIG_SANITIZED
#include <sanitizer/common_interface_defs.h>
#endif

#include "algo/registry.h"
#include "base/bytes.h"
#include "base/log.h"
#include "base/target.h"
#include "pool/searched.h"

static FILE *log_file;
static int real_stderr;

void fail_with(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(real_stderr, format, args);
	va_end(args);
	dprintf(real_stderr, "\n");
	fail();
}

char *log_text(void)
{
	static char text[1 << 20];
	ssize_t len;

	log_flush();
	len = pread(fileno(log_file), text, sizeof text - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	return text;
}

void assert_logged(const char *text)
{
	if (!strstr(log_text(), text))
		fail_with("not logged: %s\nlog:\n%.3000s", text, log_text());
}

void assert_not_logged(const char *text)
{
	if (strstr(log_text(), text))
		fail_with("logged: %s", text);
}

void wait_logged(const char *text)
{
	double end = clock_now() + PATIENCE;

	while (!strstr(log_text(), text) && clock_now() < end)
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
	assert_logged(text);
}

int rig_setup(void **state)
{
	struct rig *rig = calloc(1, sizeof *rig);

	log_file = tmpfile();
	if (!rig || !log_file)
		return -1;
	real_stderr = dup(STDERR_FILENO);
#if RIG_SANITIZED
	__sanitizer_set_report_fd((void *)(uintptr_t)real_stderr);
#endif
	dup2(fileno(log_file), STDERR_FILENO);
	rig->config = (struct pool_config){
		.searched = searched_create(), .user = "user", .pass = SECRET, .user_agent = "adit/test", .algo = algo_find("sha256d"),
		.retries = -1, .retry_pause_s = 0.01, .lasting_s = 30, .timeout_s = 300,
	};
	*state = rig;
	alarm(240);	/* a test that hangs ends the program */
	return 0;
}

int rig_teardown(void **state)
{
	struct rig *rig = *state;

	alarm(0);
	if (rig->pool) {
		board_close(&rig->board);
		pool_stop(rig->pool);
		board_destroy(&rig->board);
		pool_destroy(rig->pool);
	}
	if (rig->fake)
		fake_stop(rig->fake);
	searched_destroy(rig->config.searched);
	free(rig);
	log_flush();
	log_setup(LOG_INFO, false);
	dup2(real_stderr, STDERR_FILENO);
#if RIG_SANITIZED
	__sanitizer_set_report_fd((void *)(uintptr_t)STDERR_FILENO);
#endif
	close(real_stderr);
	fclose(log_file);
	return 0;
}

struct rig *rig_again(void **state)
{
	rig_teardown(state);
	if (rig_setup(state) < 0)
		fail_with("no memory");
	return *state;
}

static void on_publish(void *ctx, const struct work *work)
{
	struct rig *rig = ctx;
	struct work copy = *work;

	board_publish(&rig->board, &copy);
}

static unsigned on_clear(void *ctx)
{
	struct rig *rig = ctx;

	board_clear(&rig->board);
	return rig->board.generation;
}

static void on_failed(void *ctx, bool refused, bool last)
{
	struct rig *rig = ctx;

	rig->refused = refused;
	rig->gave_up = last;
}

void start_pool(struct rig *rig, const char *url)
{
	rig->config.url = url;
	rig->config.sink = (struct pool_sink){ on_publish, on_clear, on_failed, rig };
	rig->pool = pool_create(&rig->config);
	assert_non_null(rig->pool);
	board_init(&rig->board, pool_next, rig->pool);
	if (rig->nonce_end)
		rig->board.nonce_end = rig->nonce_end;
	assert_int_equal(pool_start(rig->pool), 0);
}

void start_at(struct rig *rig, const char *url_format)
{
	char url[100];

	rig->fake = fake_start(&rig->script);
	snprintf(url, sizeof url, url_format, fake_port(rig->fake));
	start_pool(rig, url);
}

void start(struct rig *rig)
{
	start_at(rig, "stratum+tcp://127.0.0.1:%u");
}

void start_mining(struct rig *rig)
{
	start(rig);
	assert_true(fake_wait_logins(rig->fake, 1));
	fake_announce(rig->fake, &(struct fake_job){ 0 });
}

struct pool_stats stats_of(struct rig *rig)
{
	struct pool_stats stats;

	pool_stats(rig->pool, &stats);
	return stats;
}

void wait_heard(struct rig *rig)
{
	char text[100];

	snprintf(text, sizeof text, "{\"id\":\"ping %u\",\"method\":\"mining.ping\"}\n", ++rig->pings);
	fake_send(rig->fake, text);
	snprintf(text, sizeof text, "{\"id\":\"ping %u\",\"result\":\"pong\"", rig->pings);
	assert_true(fake_wait_line(rig->fake, text));
}

/* Hash the share's header, finished. */
static bool meets(const struct rig *rig, struct share *share)
{
	uint32_t value[8];

	store_le32(share->work.header + rig->config.algo->nonce_off, share->nonce);
	rig->config.algo->hash(share->digest, share->work.header, NULL);
	target_load(value, share->digest);
	share->difficulty = target_difficulty(value);
	return target_met(value, share->work.target);
}

struct share find(struct rig *rig)
{
	for (;;) {
		if (rig->next == rig->end || board_is_stale(&rig->board, &rig->work)) {
			assert_true(board_claim(&rig->board, 4096, &rig->work, &rig->next, &rig->end));
			rig->version = 0;
		}
		while (rig->next < rig->end) {
			struct share share = { .work = rig->work, .nonce = (uint32_t)rig->next };

			if (rig->work.version_count > 0)
				store_le32(share.work.header, rig->work.versions[rig->version++]);
			if (rig->version >= rig->work.version_count) {
				rig->version = 0;
				rig->next++;
			}
			if (meets(rig, &share))
				return share;
		}
	}
}

void mine(struct rig *rig, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct share share = find(rig);
		struct pool_stats before = stats_of(rig), now;

		pool_submit(rig->pool, &share);
		WAIT_UNTIL((now = stats_of(rig), now.accepted + now.rejected + now.stale >
						 before.accepted + before.rejected + before.stale));
	}
}

void assert_all_good(struct rig *rig)
{
	const char *fault = fake_fault(rig->fake);

	if (fault)
		fail_with("a share is bad: %s", fault);
}

void wait_new_work(struct rig *rig)
{
	WAIT_UNTIL(board_is_stale(&rig->board, &rig->work));
}

long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

void stop_is_quick(struct rig *rig)
{
	double began = clock_now();

	pool_stop(rig->pool);
	if (clock_now() - began > STOP_LIMIT)
		fail_with("took %.1f s", clock_now() - began);
}

char *padded(const char *before, char fill, size_t len, const char *after)
{
	char *text = malloc(strlen(before) + len + strlen(after) + 1);

	strcpy(text, before);
	memset(text + strlen(before), fill, len);
	strcpy(text + strlen(before) + len, after);
	return text;
}
