/* The scripted pool: see fake_pool.h. */
#include "tests/fake_pool.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/sha.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define WAIT_SECONDS	20
#define JOBS_MAX	64
#define SHARES_MAX	4096
#define LINES_MAX	4096
#define CONNECTIONS_MAX	1024

#define PREVHASH "18273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000"
#define BRANCHES "[\"bbce6b6ce5b7abfb64b54a0af04a950b290dfbf208bb2773a3ede53ec5e59f12\"," \
	"\"321aaa67193b1f38b526f1881e3a3b04b60b4d32083fa99005567e52f15a4491\"," \
	"\"428df247e5df83d4da868646083f513827294de8d8bc79ab653316b2344081e1\"]"
#define HALF1 "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff%02x0340d10c"
#define HALF2 "2f66782fffffffff01205fa01200000000160014000102030405060708090a0b0c0d0e0f1011121300000000"

#define UNKNOWN "{\"id\":$,\"result\":null,\"error\":[-3,\"Method not found\",null]}\n"

struct known_job {
	char *id, *xnonce1, *half1, *half2, *nbits, *ntime;
	json_t *branches;
	size_t xnonce2_len;
	uint32_t version, mask;
	double difficulty;
	bool live;
};

struct fake_pool {
	const struct fake_script *script;
	int listener, wake[2];
	unsigned port;
	pthread_t thread;

	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t changed;
	int socket;			/* -1: none */
	bool stop, drop;
	struct known_job jobs[JOBS_MAX];
	unsigned job_count;
	struct fake_share shares[SHARES_MAX];
	unsigned share_count;
	char *lines[LINES_MAX];
	unsigned line_count;
	double connection_times[CONNECTIONS_MAX];
	unsigned connection_count, login_count;
};

static void die(const char *what)
{
	perror(what);
	abort();
}

static size_t unhex(uint8_t *bytes, const char *text)
{
	size_t len = strlen(text) / 2;

	for (size_t i = 0; i < len; i++) {
		char two[3] = { text[2 * i], text[2 * i + 1], '\0' };

		bytes[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return len;
}

static void hash_twice(uint8_t out[32], const uint8_t *data, size_t len)
{
	uint8_t once[32];

	SHA256(data, len, once);
	SHA256(once, sizeof once, out);
}

static void append_reversed(uint8_t **end, const char *hex)
{
	uint8_t bytes[4];

	unhex(bytes, hex);
	for (int i = 3; i >= 0; i--)
		*(*end)++ = bytes[i];
}

/* The difficulty that a share's header reaches under a job. */
static double share_difficulty(const struct known_job *job, const struct fake_share *share)
{
	size_t len = (strlen(job->half1) + strlen(job->xnonce1) + strlen(share->xnonce2) + strlen(job->half2)) / 2;
	uint8_t *coinbase = malloc(len), *end = coinbase;
	uint8_t pair[64], header[80], hash[32], prevhash[32];
	char version[9];
	double value = 0;

	end += unhex(end, job->half1);
	end += unhex(end, job->xnonce1);
	end += unhex(end, share->xnonce2);
	unhex(end, job->half2);
	hash_twice(pair, coinbase, len);
	free(coinbase);
	for (size_t i = 0; i < json_array_size(job->branches); i++) {
		unhex(pair + 32, json_string_value(json_array_get(job->branches, i)));
		hash_twice(pair, pair, 64);
	}

	end = header;
	snprintf(version, sizeof version, "%08x",
		 (unsigned)((job->version & ~job->mask) | (strtoul(share->bits, NULL, 16) & job->mask)));
	append_reversed(&end, version);
	unhex(prevhash, PREVHASH);
	for (size_t i = 0; i < 32; i++)
		*end++ = prevhash[i / 4 * 4 + 3 - i % 4];
	memcpy(end, pair, 32);
	end += 32;
	append_reversed(&end, share->ntime);
	append_reversed(&end, job->nbits);
	append_reversed(&end, share->nonce);
	hash_twice(hash, header, sizeof header);
	for (int i = 31; i >= 0; i--)
		value = value * 256 + hash[i];
	for (int i = 0; i < 208; i++)
		value /= 2;
	return 65535 / value;
}

/* NULL when one of the jobs that the id stands for makes the share good. */
static const char *check(const struct fake_pool *fake, const struct fake_share *share)
{
	const char *fault = "unknown job";

	if (strlen(share->ntime) != 8 || strlen(share->nonce) != 8)
		return "ntime or nonce is not 8 digits";
	for (unsigned i = 0; i < fake->share_count; i++) {
		const struct fake_share *old = &fake->shares[i];

		if (strcmp(old->xnonce2, share->xnonce2) == 0 && strcmp(old->ntime, share->ntime) == 0 &&
		    strcmp(old->nonce, share->nonce) == 0 && strcmp(old->job, share->job) == 0 &&
		    strcmp(old->bits, share->bits) == 0)
			return "duplicate";
	}
	for (unsigned i = 0; i < fake->job_count; i++) {
		const struct known_job *job = &fake->jobs[i];

		if (!job->live || strcmp(job->id, share->job) != 0)
			continue;
		if (strlen(share->xnonce2) != 2 * job->xnonce2_len)
			fault = "wrong length of extranonce2";
		else if (strtoul(share->bits, NULL, 16) & ~(unsigned long)job->mask)
			fault = "bits that were not granted";
		else if (share_difficulty(job, share) < job->difficulty * (1 - 1e-9))
			fault = "above target";
		else
			return NULL;
	}
	return fault;
}

static void write_chunks(struct fake_pool *fake, const char *text, size_t len)
{
	size_t chunk = fake->script->chunk ? fake->script->chunk : len;

	while (len > 0 && fake->socket >= 0) {
		ssize_t n = send(fake->socket, text, len < chunk ? len : chunk, MSG_NOSIGNAL);

		if (n < 0)
			return;
		text += n;
		len -= (size_t)n;
		if (fake->script->chunk)
			nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
}

/* With the lock held. */
static void say(struct fake_pool *fake, const char *text, const char *id)
{
	const char *line_end = fake->script->line_end ? fake->script->line_end : "\n";
	char *out;
	size_t len;
	FILE *stream = open_memstream(&out, &len);

	for (; *text; text++) {
		if (*text == '\n')
			fputs(line_end, stream);
		else if (*text == '$' && id)
			fputs(id, stream);
		else
			fputc(*text, stream);
	}
	fclose(stream);
	write_chunks(fake, out, len);
	free(out);
}

static void say_or(struct fake_pool *fake, const char *scripted, const char *usual, const char *id)
{
	say(fake, scripted ? scripted : usual, id);
}

static const char *text_or(const char *text, const char *usual)
{
	return text ? text : usual;
}

/* With the lock held. */
static char *learn(struct fake_pool *fake, const struct fake_job *job)
{
	struct known_job *known = &fake->jobs[fake->job_count++];
	const char *xnonce1 = text_or(job->xnonce1, "a1b2c3d4"), *branches = text_or(job->branches, BRANCHES);
	size_t xnonce2_len = job->xnonce2_len == FAKE_NONE ? 0 : job->xnonce2_len ? (size_t)job->xnonce2_len : 4;
	char half1[200], *text;
	size_t len;

	if (fake->job_count == JOBS_MAX)
		die("fake pool: too many jobs");
	if (!job->keep)
		for (unsigned i = 0; i + 1 < fake->job_count; i++)
			fake->jobs[i].live = false;
	snprintf(half1, sizeof half1, HALF1, (unsigned)(4 + 4 + strlen(xnonce1) / 2 + xnonce2_len));
	*known = (struct known_job){
		.id = strdup(text_or(job->id, "j1")), .xnonce1 = strdup(xnonce1), .half1 = strdup(half1),
		.half2 = strdup(text_or(job->half2, HALF2)), .nbits = strdup(text_or(job->nbits, "1d00ffff")),
		.ntime = strdup(text_or(job->ntime, "65a0b1c0")), .branches = json_loads(branches, 0, NULL),
		.version = job->version ? job->version : 0x20000000, .mask = job->mask,
		.xnonce2_len = xnonce2_len, .difficulty = job->difficulty ? job->difficulty : FAKE_DIFFICULTY, .live = true,
	};

	FILE *stream = open_memstream(&text, &len);
	fprintf(stream, "{\"id\":null,\"method\":\"mining.notify\",\"params\":[\"%s\",\"%s\",\"%s\",\"%s\",%s,\"%08x\",",
		known->id, PREVHASH, known->half1, known->half2, branches, (unsigned)known->version);
	fprintf(stream, "\"%s\",\"%s\",%s]}\n", known->nbits, known->ntime, job->keep ? "false" : "true");
	fclose(stream);
	return text;
}

void fake_send(struct fake_pool *fake, const char *text)
{
	pthread_mutex_lock(&fake->lock);
	say(fake, text, NULL);
	pthread_mutex_unlock(&fake->lock);
}

char *fake_notify_text(struct fake_pool *fake, const struct fake_job *job)
{
	pthread_mutex_lock(&fake->lock);
	char *text = learn(fake, job);
	pthread_mutex_unlock(&fake->lock);
	return text;
}

void fake_notify(struct fake_pool *fake, const struct fake_job *job)
{
	pthread_mutex_lock(&fake->lock);
	char *text = learn(fake, job);
	say(fake, text, NULL);
	pthread_mutex_unlock(&fake->lock);
	free(text);
}

void fake_announce(struct fake_pool *fake, const struct fake_job *job)
{
	char text[200];

	snprintf(text, sizeof text, "{\"id\":null,\"method\":\"mining.set_difficulty\",\"params\":[%.17g]}\n",
		 job->difficulty ? job->difficulty : FAKE_DIFFICULTY);
	fake_send(fake, text);
	fake_notify(fake, job);
}

static void copy(char *to, size_t size, const json_t *params, size_t index)
{
	snprintf(to, size, "%s", text_or(json_string_value(json_array_get(params, index)), "?"));
}

static void on_submit(struct fake_pool *fake, const json_t *message, const char *id)
{
	const json_t *params = json_object_get(message, "params");
	struct fake_share share = { .connection = fake->connection_count };
	const char *granted = fake->script->configure_reply;
	bool rolling = granted && strstr(granted, "\"version-rolling\":true");
	char usual[200];

	share.id = (uint32_t)json_integer_value(json_object_get(message, "id"));
	copy(share.job, sizeof share.job, params, 1);
	copy(share.xnonce2, sizeof share.xnonce2, params, 2);
	copy(share.ntime, sizeof share.ntime, params, 3);
	copy(share.nonce, sizeof share.nonce, params, 4);
	if (rolling)
		copy(share.bits, sizeof share.bits, params, 5);
	if (json_array_size(params) != (rolling ? 6 : 5))
		share.fault = rolling ? "not six parameters" : "not five parameters";
	else if (rolling && strlen(share.bits) != 8)
		share.fault = "version bits are not 8 digits";
	else
		share.fault = check(fake, &share);
	if (fake->share_count < SHARES_MAX)
		fake->shares[fake->share_count++] = share;

	if (share.fault)
		snprintf(usual, sizeof usual, "{\"id\":$,\"result\":null,\"error\":[20,\"%s\",null]}\n", share.fault);
	else
		snprintf(usual, sizeof usual, "{\"id\":$,\"result\":true,\"error\":null}\n");
	say_or(fake, fake->script->verdict, usual, id);
}

/* False: the script wants the connection closed. */
static bool on_line(struct fake_pool *fake, const char *line)
{
	const struct fake_script *script = fake->script;
	json_t *message = json_loads(line, 0, NULL);
	const char *method = text_or(json_string_value(json_object_get(message, "method")), "");
	char *id = json_dumps(json_object_get(message, "id"), JSON_ENCODE_ANY);
	bool stay = true;

	if (fake->line_count < LINES_MAX)
		fake->lines[fake->line_count++] = strdup(line);
	if (strcmp(method, "mining.configure") == 0) {
		stay = script->close != CLOSE_AT_CONFIGURE;
		if (stay)
			say_or(fake, script->configure_reply, UNKNOWN, id);
	} else if (strcmp(method, "mining.subscribe") == 0) {
		say_or(fake, script->subscribe_reply,
		       "{\"id\":$,\"result\":[[[\"mining.notify\",\"s1\"]],\"a1b2c3d4\",4],\"error\":null}\n", id);
		stay = script->close != CLOSE_AFTER_SUBSCRIBE;
	} else if (strcmp(method, "mining.authorize") == 0) {
		say_or(fake, script->authorize_reply, "{\"id\":$,\"result\":true,\"error\":null}\n", id);
		say_or(fake, script->after_login, "", id);
		fake->login_count++;
		stay = script->close != CLOSE_AFTER_LOGIN;
	} else if (strcmp(method, "mining.submit") == 0) {
		on_submit(fake, message, id);
	} else if (strncmp(method, "mining.", 7) == 0) {
		stay = script->close != CLOSE_AT_FOLLOW_XNONCE || strcmp(method, "mining.extranonce.subscribe") != 0;
		if (stay)
			say(fake, UNKNOWN, id);
	}
	pthread_cond_broadcast(&fake->changed);
	free(id);
	json_decref(message);
	return stay;
}

/* One connection, until either side is through with it. */
static void serve(struct fake_pool *fake, int fd)
{
	static const size_t size = 1 << 16;
	char *line = malloc(size);
	size_t len = 0;

	for (;;) {
		struct pollfd fds[2] = { { .fd = fd, .events = POLLIN }, { .fd = fake->wake[0], .events = POLLIN } };

		poll(fds, 2, -1);
		if (fds[1].revents)
			break;
		ssize_t got = recv(fd, line + len, size - len, 0);
		if (got <= 0)
			break;
		len += (size_t)got;

		bool stay = true;
		char *end;
		pthread_mutex_lock(&fake->lock);
		while (stay && (end = memchr(line, '\n', len))) {
			*end = '\0';
			stay = on_line(fake, line);
			len -= (size_t)(end + 1 - line);
			memmove(line, end + 1, len);
		}
		pthread_mutex_unlock(&fake->lock);
		if (!stay || len == size)
			break;
	}
	free(line);
}

/* Close so that the other side sees an end, not an error, whatever it is sending just now. */
static void part(int fd)
{
	struct pollfd rest = { .fd = fd, .events = POLLIN };
	char bytes[4096];

	shutdown(fd, SHUT_WR);
	while (poll(&rest, 1, 1000) > 0 && recv(fd, bytes, sizeof bytes, 0) > 0)
		;
	close(fd);
}

static void *run(void *arg)
{
	struct fake_pool *fake = arg;

	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = fake->listener, .events = POLLIN }, { .fd = fake->wake[0], .events = POLLIN },
		};
		char byte;

		poll(fds, 2, -1);
		pthread_mutex_lock(&fake->lock);
		if (fds[1].revents && read(fake->wake[0], &byte, 1) < 0)
			die("fake pool: read");
		bool stop = fake->stop;
		pthread_mutex_unlock(&fake->lock);
		if (stop)
			return NULL;
		if (!fds[0].revents)
			continue;

		int fd = accept(fake->listener, NULL, NULL), one = 1;
		if (fd < 0)
			continue;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		pthread_mutex_lock(&fake->lock);
		fake->socket = fd;
		if (fake->connection_count < CONNECTIONS_MAX)
			fake->connection_times[fake->connection_count++] = clock_now();
		say_or(fake, fake->script->greeting, "", NULL);
		pthread_cond_broadcast(&fake->changed);
		pthread_mutex_unlock(&fake->lock);
		if (fake->script->close != CLOSE_ON_ACCEPT)
			serve(fake, fd);
		pthread_mutex_lock(&fake->lock);
		fake->socket = -1;
		pthread_mutex_unlock(&fake->lock);
		part(fd);
	}
}

struct fake_pool *fake_start(const struct fake_script *script)
{
	struct fake_pool *fake = calloc(1, sizeof *fake);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof address;

	fake->script = script;
	fake->socket = -1;
	fake->listener = socket(AF_INET, SOCK_STREAM, 0);
	if (fake->listener < 0 || bind(fake->listener, (struct sockaddr *)&address, len) < 0 ||
	    listen(fake->listener, 8) < 0 || getsockname(fake->listener, (struct sockaddr *)&address, &len) < 0)
		die("fake pool: listen");
	fake->port = ntohs(address.sin_port);
	pthread_mutex_init(&fake->lock, NULL);
	pthread_cond_init(&fake->changed, NULL);
	if (pipe(fake->wake) < 0 || pthread_create(&fake->thread, NULL, run, fake) != 0)
		die("fake pool: start");
	return fake;
}

static void ring(struct fake_pool *fake)
{
	if (write(fake->wake[1], "", 1) < 0)
		die("fake pool: write");
}

void fake_drop(struct fake_pool *fake)
{
	ring(fake);
}

void fake_stop(struct fake_pool *fake)
{
	pthread_mutex_lock(&fake->lock);
	fake->stop = true;
	pthread_mutex_unlock(&fake->lock);
	ring(fake);
	pthread_join(fake->thread, NULL);
	close(fake->listener);
	close(fake->wake[0]);
	close(fake->wake[1]);
	for (unsigned i = 0; i < fake->job_count; i++) {
		struct known_job *job = &fake->jobs[i];

		free(job->id);
		free(job->xnonce1);
		free(job->half1);
		free(job->half2);
		free(job->nbits);
		free(job->ntime);
		json_decref(job->branches);
	}
	for (unsigned i = 0; i < fake->line_count; i++)
		free(fake->lines[i]);
	pthread_cond_destroy(&fake->changed);
	pthread_mutex_destroy(&fake->lock);
	free(fake);
}

unsigned fake_port(const struct fake_pool *fake)
{
	return fake->port;
}

static unsigned count_lines(const struct fake_pool *fake, const char *text)
{
	unsigned count = 0;

	for (unsigned i = 0; i < fake->line_count; i++)
		count += strstr(fake->lines[i], text) != NULL;
	return count;
}

/* Until *count, or when `text` is not NULL the number of lines with it, is at least `want`. */
static bool wait_for(struct fake_pool *fake, const unsigned *count, const char *text, unsigned want)
{
	struct timespec end;
	bool enough;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += WAIT_SECONDS;
	pthread_mutex_lock(&fake->lock);
	while (!(enough = (text ? count_lines(fake, text) : *count) >= want))
		if (pthread_cond_timedwait(&fake->changed, &fake->lock, &end) != 0)
			break;
	pthread_mutex_unlock(&fake->lock);
	return enough;
}

bool fake_wait_connections(struct fake_pool *fake, unsigned count)
{
	return wait_for(fake, &fake->connection_count, NULL, count);
}

bool fake_wait_logins(struct fake_pool *fake, unsigned count)
{
	return wait_for(fake, &fake->login_count, NULL, count);
}

bool fake_wait_shares(struct fake_pool *fake, unsigned count)
{
	return wait_for(fake, &fake->share_count, NULL, count);
}

bool fake_wait_line(struct fake_pool *fake, const char *text)
{
	return wait_for(fake, NULL, text, 1);
}

unsigned fake_connections(struct fake_pool *fake)
{
	pthread_mutex_lock(&fake->lock);
	unsigned count = fake->connection_count;
	pthread_mutex_unlock(&fake->lock);
	return count;
}

unsigned fake_lines_with(struct fake_pool *fake, const char *text)
{
	pthread_mutex_lock(&fake->lock);
	unsigned count = count_lines(fake, text);
	pthread_mutex_unlock(&fake->lock);
	return count;
}

double fake_connection_time(struct fake_pool *fake, unsigned connection)
{
	pthread_mutex_lock(&fake->lock);
	double time = fake->connection_times[connection - 1];
	pthread_mutex_unlock(&fake->lock);
	return time;
}

unsigned fake_shares(struct fake_pool *fake)
{
	pthread_mutex_lock(&fake->lock);
	unsigned count = fake->share_count;
	pthread_mutex_unlock(&fake->lock);
	return count;
}

struct fake_share fake_share(struct fake_pool *fake, unsigned index)
{
	pthread_mutex_lock(&fake->lock);
	struct fake_share share = fake->shares[index];
	pthread_mutex_unlock(&fake->lock);
	return share;
}

const char *fake_fault(struct fake_pool *fake)
{
	const char *fault = NULL;

	pthread_mutex_lock(&fake->lock);
	for (unsigned i = 0; i < fake->share_count && !fault; i++)
		fault = fake->shares[i].fault;
	pthread_mutex_unlock(&fake->lock);
	return fault;
}
