/* JSON lines through zlib: see record.h. */
#include "pool/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "pool/url.h"

struct record {
	pthread_mutex_t lock;		/* of all below */
	gzFile file;
	char *path;
	double started, flushed;	/* clock_now() */
	unsigned connections;
	bool dirty;			/* something was written since */
	bool failed;
};

/* With the lock held. */
static void check(struct record *record, bool good)
{
	int code = Z_OK;

	if (good || record->failed)
		return;
	const char *cause = gzerror(record->file, &code);
	log_error("record %s: %s; recording ends", record->path, code == Z_ERRNO ? strerror(errno) : cause);
	record->failed = true;
}

static void put(struct record *record, const char *bytes, size_t len)
{
	while (len > 0 && !record->failed) {
		unsigned part = len < 1u << 20 ? (unsigned)len : 1u << 20;

		check(record, gzwrite(record->file, bytes, part) == (int)part);
		bytes += part;
		len -= part;
	}
	record->dirty = true;
}

static void put_text(struct record *record, const char *text)
{
	put(record, text, strlen(text));
}

/* The length of the UTF-8 character that begins here (RFC 3629: no overlong forms, no surrogates); 0: there is none. */
static size_t utf8_len(const unsigned char *c)
{
	unsigned least = 0x80, most = 0xbf;	/* of the second byte */
	size_t len;

	if (c[0] < 0x80)
		return 1;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	len = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	if (c[0] == 0xe0 || c[0] == 0xf0)
		least = c[0] == 0xe0 ? 0xa0 : 0x90;
	if (c[0] == 0xed || c[0] == 0xf4)
		most = c[0] == 0xed ? 0x9f : 0x8f;
	if (c[1] < least || c[1] > most)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (c[i] < 0x80 || c[i] > 0xbf)
			return 0;
	return len;
}

/* As a JSON string (RFC 8259, section 7). */
static void put_string(struct record *record, const char *text)
{
	const char *plain = text;	/* what is not yet written, up to `text`, needs no escape */

	put_text(record, "\"");
	while (*text) {
		size_t len = utf8_len((const unsigned char *)text);
		char escape[8] = "\\ufffd";

		if (len > 0 && (unsigned char)*text >= 0x20 && *text != '"' && *text != '\\') {
			text += len;
			continue;
		}
		if (len > 0)
			snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*text);
		if (*text == '"' || *text == '\\')
			snprintf(escape, sizeof escape, "\\%c", *text);
		put(record, plain, (size_t)(text - plain));
		put_text(record, escape);
		plain = ++text;
	}
	put(record, plain, (size_t)(text - plain));
	put_text(record, "\"");
}

static void flush(struct record *record)
{
	if (!record->dirty || record->failed)
		return;
	check(record, gzflush(record->file, Z_SYNC_FLUSH) == Z_OK);
	record->dirty = false;
	record->flushed = clock_now();
}

static void flush_when_due(struct record *record)
{
	if (clock_now() - record->flushed >= RECORD_FLUSH)
		flush(record);
}

static void put_head(struct record *record, const char *algo, const char *url)
{
	put_text(record, "{\"adit-record\":1,\"algo\":");
	put_string(record, algo);
	put_text(record, ",\"url\":");
	put_string(record, url_shown(url));
	put_text(record, "}\n");
	flush(record);
}

struct record *record_open(const char *path, const char *algo, const char *url)
{
	struct record *record = calloc(1, sizeof *record);
	char *copy = strdup(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		log_errno("record %s", path);
	else if (!record || !copy || !(record->file = gzdopen(fd, "wb")))
		log_error("record %s: no memory", path);
	else {
		pthread_mutex_init(&record->lock, NULL);
		record->path = copy;
		record->started = clock_now();
		put_head(record, algo, url);
		return record;
	}
	if (fd >= 0)
		close(fd);
	free(copy);
	free(record);
	return NULL;
}

void record_close(struct record *record)
{
	if (!record)
		return;
	int result = gzclose(record->file);
	if (result != Z_OK && !record->failed)
		log_error("record %s: %s", record->path, result == Z_ERRNO ? strerror(errno) : "its end could not be written");
	pthread_mutex_destroy(&record->lock);
	free(record->path);
	free(record);
}

unsigned record_connection(struct record *record)
{
	if (!record)
		return 0;
	pthread_mutex_lock(&record->lock);
	unsigned number = ++record->connections;
	pthread_mutex_unlock(&record->lock);
	return number;
}

void record_line(struct record *record, unsigned connection, char direction, const char *line)
{
	char head[80];

	if (!record)
		return;
	pthread_mutex_lock(&record->lock);
	snprintf(head, sizeof head, "{\"t\":%.6f,\"conn\":%u,\"dir\":\"%c\",\"line\":", clock_now() - record->started,
		 connection, direction);
	put_text(record, head);
	put_string(record, line);
	put_text(record, "}\n");
	flush_when_due(record);
	pthread_mutex_unlock(&record->lock);
}

void record_tick(struct record *record)
{
	if (!record)
		return;
	pthread_mutex_lock(&record->lock);
	flush_when_due(record);
	pthread_mutex_unlock(&record->lock);
}
