/* Listening, polling and timers: see server.h. */
#include "tests/devpool/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "tests/devpool/extensions.h"

static int listen_on(struct server *server, uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	socklen_t len = sizeof address;
	int on = 1;

	server->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (server->fd < 0)
		return log_errno("devpool: socket");
	setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (fcntl(server->fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(server->fd, F_SETFD, FD_CLOEXEC) < 0 ||
	    bind(server->fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(server->fd, CLIENTS_MAX) < 0 ||
	    getsockname(server->fd, (struct sockaddr *)&address, &len) < 0) {
		log_errno("devpool: listen on 127.0.0.1:%u", port);
		close(server->fd);
		return -1;
	}
	server->port = ntohs(address.sin_port);
	return 0;
}

static bool is_ready(const struct server *server, const struct client *client)
{
	return !server->replay && !client->peer.doom && session_is_ready(&client->session);
}

/* Seconds between two jobs: those of a storm are all clean. */
static double job_interval(const struct server *server)
{
	const struct devpool *pool = server->pool;

	if (fault_on(&pool->faults, FAULT_STORM))
		return fmax(0.01, fault_argument(&pool->faults, FAULT_STORM) / 1e3);
	return pool->options->job_interval;
}

static int make_job(struct server *server, double now)
{
	double interval = job_interval(server);

	if (!jobs_next(&server->pool->jobs, fault_strikes(&server->pool->faults, FAULT_STORM), now))
		return -1;
	server->next_job += interval;
	if (server->next_job < now)	/* held up: do not hurry after it */
		server->next_job = now + interval;
	for (size_t i = 0; i < server->client_count; i++)
		if (is_ready(server, server->clients[i]))
			session_give_job(&server->clients[i]->session);
	return 0;
}

int server_open(struct server *server, struct devpool *pool, SSL_CTX *tls, struct replay *replay)
{
	double now = clock_now();

	*server = (struct server){ .pool = pool, .tls = tls, .replay = replay, .next_job = now, .last_step = now };
	if (listen_on(server, pool->options->port) < 0)
		return -1;
	if (make_job(server, now) < 0) {
		close(server->fd);
		return -1;
	}
	return 0;
}

/* Bring a client to life, on a socket that becomes its own. NULL, logged, with the socket still the caller's. */
static struct client *open_client(struct server *server, int fd, double now)
{
	struct client *client = malloc(sizeof *client);

	if (!client) {
		log_errno("devpool: client of %zu bytes", sizeof *client);
		return NULL;
	}
	client->number = server->pool->stats.connections;
	if (server->replay && player_open(&client->player, server->replay, &client->peer, now) < 0)
		goto free_client;
	if (peer_open(&client->peer, fd, server->tls) < 0)
		goto close_player;
	outlet_open(&client->outlet, &client->peer, &server->pool->faults, &server->pool->stats, server->port);
	session_open(&client->session, server->pool, &client->outlet);
	return client;

close_player:
	if (server->replay)
		player_close(&client->player);
free_client:
	free(client);
	return NULL;
}

static void close_client(struct server *server, struct client *client)
{
	if (client->peer.doom)
		log_info("client %u: %s", client->number, client->peer.doom);
	server->pool->stats.dropped += client->peer.misbehaved;
	session_close(&client->session);
	outlet_close(&client->outlet);
	peer_close(&client->peer);
	if (server->replay)
		player_close(&client->player);
	free(client);
}

/* Close and forget every client that is doomed, or all of them. */
static void remove_clients(struct server *server, bool all)
{
	for (size_t i = server->client_count; i-- > 0; )
		if (all || server->clients[i]->peer.doom) {
			close_client(server, server->clients[i]);
			server->clients[i] = server->clients[--server->client_count];
		}
}

void server_close(struct server *server)
{
	remove_clients(server, true);
	close(server->fd);
}

static void accept_client(struct server *server, double now)
{
	int fd = accept(server->fd, NULL, NULL);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ECONNABORTED)
			log_errno("devpool: accept");
		return;
	}
	server->pool->stats.connections++;
	if (server->client_count == CLIENTS_MAX) {
		log_warn("devpool: more than %d clients, one turned away", CLIENTS_MAX);
		close(fd);
		return;
	}

	struct client *client = open_client(server, fd, now);
	if (!client) {
		close(fd);
		return;
	}
	server->clients[server->client_count++] = client;
	log_info("client %u: connected", client->number);
}

static void hear_client(struct server *server, struct client *client, double now)
{
	const char *line;
	size_t len;

	do {
		peer_receive(&client->peer);
		if (server->replay)
			player_hear(&client->player, now);
		while (!server->replay && (line = peer_line(&client->peer, &len)))
			session_line(&client->session, line, len);
	} while (peer_pending(&client->peer));
}

/* Everything of a client that is due, and what it has to be sent. */
static void serve_client(struct server *server, struct client *client, double now)
{
	if (server->replay) {
		player_step(&client->player, now);
	} else {
		extensions_step(&client->session, now);
		outlet_step(&client->outlet);
	}
	peer_flush(&client->peer, now);
	given_sent(&client->session.tenure.given, client->peer.sent, now);
}

/* When a client has to be served again if nothing comes from it. */
static double client_due(const struct server *server, const struct client *client, double now)
{
	double due = fmin(peer_due(&client->peer, now), extensions_due(&client->session));

	if (server->replay)
		due = fmin(due, player_due(&client->player));
	return due;
}

/* Wait until `until` for a socket of `fds`. Like poll(), but 0 for a signal. */
static int wait_for(struct pollfd *fds, size_t count, const sigset_t *mask, double until)
{
	double left = until - clock_now();
	struct timespec timeout = { 0 };

	left = left < 0 ? 0 : left > 3600 ? 3600 : left;
	timeout.tv_sec = (time_t)left;
	timeout.tv_nsec = (long)(1e9 * (left - (double)timeout.tv_sec));

	int ready = ppoll(fds, count, &timeout, mask);
	if (ready < 0 && errno == EINTR)
		return 0;
	return ready < 0 ? log_errno("devpool: poll") : ready;
}

/* Count the time since the last step as mining time if anyone had work. */
static void count_time(struct server *server, double now)
{
	for (size_t i = 0; i < server->client_count; i++)
		if (server->clients[i]->session.has_job) {
			server->pool->stats.mining += now - server->last_step;
			break;
		}
	server->last_step = now;
}

int server_step(struct server *server, const sigset_t *mask, double until)
{
	struct devpool *pool = server->pool;
	struct pollfd fds[1 + CLIENTS_MAX];
	size_t count = server->client_count;
	double now = clock_now();

	until = fmin(until, fmin(server->next_job, stats_report_due(&pool->stats)));
	if (faults_any(&pool->faults))
		until = fmin(until, now + OUTLET_STEP);
	fds[0] = (struct pollfd){ .fd = server->fd, .events = POLLIN };
	for (size_t i = 0; i < count; i++) {
		const struct peer *peer = &server->clients[i]->peer;

		fds[1 + i] = (struct pollfd){ .fd = peer->fd, .events = peer_events(peer, now) };
		until = fmin(until, client_due(server, server->clients[i], now));
	}

	int ready = wait_for(fds, 1 + count, mask, until);
	if (ready < 0)
		return -1;

	now = clock_now();
	count_time(server, now);
	faults_step(&pool->faults, now);
	server->next_job = fmin(server->next_job, now + job_interval(server));
	for (size_t i = 0; ready > 0 && i < count; i++)
		if (fds[1 + i].revents)
			hear_client(server, server->clients[i], now);
	if (ready > 0 && fds[0].revents)
		accept_client(server, now);
	if (now >= server->next_job && make_job(server, now) < 0)
		return -1;
	for (size_t i = 0; i < server->client_count; i++)
		serve_client(server, server->clients[i], now);
	remove_clients(server, false);
	if (now >= stats_report_due(&pool->stats))
		stats_report(&pool->stats, pool->options->algo, now);
	return 0;
}
