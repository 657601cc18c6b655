/* Sockets and lines: see peer.h. */
#include "tests/devpool/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

#define SOCKET_BUFFER 65536	/* bytes; left to itself the kernel would take megabytes for a client that does not read */
#define CHUNK_PAUSE 0.002	/* seconds: long enough that the client reads each chunk alone */

int peer_open(struct peer *peer, int fd, SSL_CTX *context)
{
	int size = SOCKET_BUFFER, on = 1;

	if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return log_errno("client: set up socket");
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (context && tls_open(&peer->tls, context, fd) < 0)
		return -1;
	peer->fd = fd;
	peer->secure = context != NULL;
	peer->doom = NULL;
	peer->misbehaved = false;
	peer->chunk = 0;
	peer->line_end = "\n";
	peer->hold_until = 0;
	peer->queued = peer->sent = 0;
	peer->in_start = peer->in_len = peer->out_start = peer->out_len = 0;
	return 0;
}

void peer_close(struct peer *peer)
{
	if (peer->secure)
		tls_close(&peer->tls);
	close(peer->fd);
}

void peer_doom(struct peer *peer, const char *why, bool misbehaved)
{
	if (peer->doom)
		return;
	peer->doom = why;
	peer->misbehaved = misbehaved;
}

/* A call failed: doom it, unless errno says that the call is only to be made again. */
static void failed(struct peer *peer)
{
	if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
		peer_doom(peer, peer->secure ? tls_failure() : "lost", false);
}

void peer_receive(struct peer *peer)
{
	if (peer->doom)
		return;
	peer->in_len -= peer->in_start;
	memmove(peer->in, peer->in + peer->in_start, peer->in_len);
	peer->in_start = 0;

	char *to = peer->in + peer->in_len;
	size_t room = sizeof peer->in - peer->in_len;
	ssize_t n = peer->secure ? tls_receive(&peer->tls, to, room) : recv(peer->fd, to, room, 0);

	if (n > 0)
		peer->in_len += (size_t)n;
	else if (n == 0)
		peer_doom(peer, "gone", false);
	else
		failed(peer);
}

bool peer_pending(const struct peer *peer)
{
	return !peer->doom && peer->secure && tls_pending(&peer->tls);
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t")] == '\0';
}

const char *peer_line(struct peer *peer, size_t *len)
{
	while (!peer->doom) {
		char *line = peer->in + peer->in_start;
		char *end = memchr(line, '\n', peer->in_len - peer->in_start);

		if (!end) {
			if (peer->in_len - peer->in_start == sizeof peer->in)
				peer_doom(peer, "line too long", true);
			return NULL;
		}
		peer->in_start = (size_t)(end + 1 - peer->in);
		if (end > line && end[-1] == '\r')
			end--;
		*end = '\0';
		*len = (size_t)(end - line);
		if (!is_blank(line))
			return line;
	}
	return NULL;
}

const char *peer_bytes(const struct peer *peer, size_t *len)
{
	*len = peer->in_len - peer->in_start;
	return peer->in + peer->in_start;
}

void peer_take(struct peer *peer, size_t len)
{
	peer->in_start += len;
}

/* Of `out`, behind what waits: it is moved to the front for that. */
static size_t make_room(struct peer *peer)
{
	if (peer->out_start > 0)
		memmove(peer->out, peer->out + peer->out_start, peer->out_len);
	peer->out_start = 0;
	return sizeof peer->out - peer->out_len;
}

static void queue(struct peer *peer, const char *text, size_t len)
{
	memcpy(peer->out + peer->out_start + peer->out_len, text, len);
	peer->out_len += len;
	peer->queued += len;
}

void peer_send(struct peer *peer, const char *text)
{
	size_t len = strlen(text), end_len = strlen(peer->line_end);

	if (peer->doom)
		return;
	if (len + end_len > sizeof peer->out - peer->out_start - peer->out_len && len + end_len > make_room(peer)) {
		peer_doom(peer, "does not read what it is sent", true);
		return;
	}
	queue(peer, text, len);
	queue(peer, peer->line_end, end_len);
}

size_t peer_write(struct peer *peer, const char *bytes, size_t len)
{
	size_t room = peer->doom ? 0 : make_room(peer), part = len < room ? len : room;

	queue(peer, bytes, part);
	return part;
}

void peer_flush(struct peer *peer, double now)
{
	while (!peer->doom && peer->out_len > 0 && now >= peer->hold_until) {
		const char *from = peer->out + peer->out_start;
		size_t len = peer->chunk > 0 && peer->chunk < peer->out_len ? peer->chunk : peer->out_len;
		ssize_t n = peer->secure ? tls_send(&peer->tls, from, len) : send(peer->fd, from, len, MSG_NOSIGNAL);

		if (n < 0)
			failed(peer);
		if (n <= 0)
			return;
		peer->sent += (uint64_t)n;
		peer->out_len -= (size_t)n;
		peer->out_start = peer->out_len > 0 ? peer->out_start + (size_t)n : 0;
		if (peer->chunk > 0)
			peer->hold_until = now + CHUNK_PAUSE;
	}
}

short peer_events(const struct peer *peer, double now)
{
	bool waits = peer->out_len > 0 && now >= peer->hold_until;

	return waits || (peer->secure && peer->tls.wants_to_write) ? POLLIN | POLLOUT : POLLIN;
}

double peer_due(const struct peer *peer, double now)
{
	return peer->out_len > 0 && now < peer->hold_until ? peer->hold_until : INFINITY;
}
