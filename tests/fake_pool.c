/* The scripted pool: see fake_pool.h. */
#include "tests/fake_pool.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/fake_jobs.h"

#define WAIT_SECONDS	20
#define SHARES_MAX	4096
#define LINES_MAX	4096
#define KEPT_MAX	4
#define CONNECTIONS_MAX	1024

#define UNKNOWN "{\"id\":$,\"result\":null,\"error\":[-3,\"Method not found\",null]}\n"

struct fake_pool {
	const struct fake_script *script;
	int listener, wake[2];
	unsigned port;
	pthread_t thread;

	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t changed;
	int socket;			/* -1: none */
	bool stop;
	struct fake_jobs jobs;
	struct fake_share shares[SHARES_MAX];
	unsigned share_count;
	char *lines[LINES_MAX];
	unsigned line_count;
	char *kept[KEPT_MAX];		/* of the test's own thread */
	unsigned kept_count;
	double connection_times[CONNECTIONS_MAX];
	unsigned connection_count, login_count;
};

static void die(const char *what)
{
	perror(what);
	abort();
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

void fake_send(struct fake_pool *fake, const char *text)
{
	pthread_mutex_lock(&fake->lock);
	say(fake, text, NULL);
	pthread_mutex_unlock(&fake->lock);
}

char *fake_notify_text(struct fake_pool *fake, const struct fake_job *job)
{
	pthread_mutex_lock(&fake->lock);
	char *text = fake_jobs_add(&fake->jobs, job);
	pthread_mutex_unlock(&fake->lock);
	return text;
}

void fake_notify(struct fake_pool *fake, const struct fake_job *job)
{
	pthread_mutex_lock(&fake->lock);
	char *text = fake_jobs_add(&fake->jobs, job);
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

/* Has the same been sent before? */
static bool has_share(const struct fake_pool *fake, const struct fake_share *share)
{
	for (unsigned i = 0; i < fake->share_count; i++) {
		const struct fake_share *old = &fake->shares[i];

		if (strcmp(old->xnonce2, share->xnonce2) == 0 && strcmp(old->ntime, share->ntime) == 0 &&
		    strcmp(old->nonce, share->nonce) == 0 && strcmp(old->job, share->job) == 0 &&
		    strcmp(old->bits, share->bits) == 0)
			return true;
	}
	return false;
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
		share.fault = has_share(fake, &share) ? "duplicate" : fake_jobs_check(&fake->jobs, &share);
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

		if (fake->script->deaf)
			fds[0].fd = -1;
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
	fake_jobs_free(&fake->jobs);
	for (unsigned i = 0; i < fake->line_count; i++)
		free(fake->lines[i]);
	for (unsigned i = 0; i < fake->kept_count; i++)
		free(fake->kept[i]);
	pthread_cond_destroy(&fake->changed);
	pthread_mutex_destroy(&fake->lock);
	free(fake);
}

const char *fake_keep(struct fake_pool *fake, char *text)
{
	if (fake->kept_count == KEPT_MAX)
		die("fake pool: too many texts");
	return fake->kept[fake->kept_count++] = text;
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
