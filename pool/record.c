/* JSON lines through zlib: see record.h. */
#include "pool/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "pool/url.h"

#define NAME_SHOWN 200	/* bytes, with the NUL */

struct record {
	pthread_mutex_t lock;		/* of all below */
	gzFile file;
	char name[NAME_SHOWN];		/* the file's, for log lines */
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
	log_error("record %s: %s; recording ends", record->name, code == Z_ERRNO ? strerror(errno) : cause);
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

/* A text of others. */
static void put_masked(struct record *record, const char *text)
{
	char *copy = strdup(text);

	if (copy)
		secret_mask(copy, SECRET_FOREIGN);
	put_string(record, copy ? copy : "*");
	free(copy);
}

static void put_head(struct record *record, const char *algo, const char *const *urls, size_t url_count)
{
	char shown[URL_SHOWN_MAX];

	put_text(record, "{\"adit-record\":2,\"algo\":");
	put_string(record, algo);
	put_text(record, ",\"pools\":[");
	for (size_t i = 0; i < url_count; i++) {
		put_text(record, i > 0 ? "," : "");
		put_string(record, url_shown(shown, urls[i]));
	}
	put_text(record, "]}\n");
	flush(record);
}

/* A descriptor of an empty regular file, its owner's only; -1 logged. A pipe would have us wait for a reader. */
static int open_file(const char *path, const char *name)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
	struct stat status;

	if (fd < 0 && errno != ENXIO)		/* ENXIO: a pipe that nobody reads, or a socket */
		return log_errno("record %s", name);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		log_error("record %s: it is not a regular file", name);
	else if (fchmod(fd, 0600) < 0 || ftruncate(fd, 0) < 0)
		log_errno("record %s", name);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

struct record *record_open(const char *path, const char *algo, const char *const *urls, size_t url_count)
{
	struct record *record = calloc(1, sizeof *record);
	int fd;

	if (!record) {
		log_error("no memory for a record");
		return NULL;
	}
	secret_show(record->name, sizeof record->name, path);	/* who mixes up two options gives a password here */
	fd = open_file(path, record->name);
	if (fd < 0)
		goto free_record;
	record->file = gzdopen(fd, "wb");
	if (!record->file) {
		log_error("record %s: no memory", record->name);
		goto close_file;
	}
	pthread_mutex_init(&record->lock, NULL);
	record->started = clock_now();
	put_head(record, algo, urls, url_count);
	return record;

close_file:
	close(fd);
free_record:
	free(record);
	return NULL;
}

void record_close(struct record *record)
{
	if (!record)
		return;
	int result = gzclose(record->file);
	if (result != Z_OK && !record->failed)
		log_error("record %s: %s", record->name, result == Z_ERRNO ? strerror(errno) : "its end could not be written");
	pthread_mutex_destroy(&record->lock);
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

static void put_call(struct record *record, const struct record_entry *entry)
{
	char head[80];
	const char *before = "";

	snprintf(head, sizeof head, ",\"call\":%u", entry->call);
	put_text(record, head);
	if (entry->direction == '>') {
		put_text(record, ",\"path\":");
		put_masked(record, entry->path);
		return;
	}
	snprintf(head, sizeof head, ",\"status\":%ld,\"headers\":{", entry->status);
	put_text(record, head);
	for (size_t i = 0; i < entry->header_count; i++) {
		if (entry->headers[i][1][0] == '\0')
			continue;
		put_text(record, before);
		put_string(record, entry->headers[i][0]);
		put_text(record, ":");
		put_masked(record, entry->headers[i][1]);
		before = ",";
	}
	put_text(record, "}");
}

void record_put(struct record *record, const struct record_entry *entry)
{
	char head[100];

	if (!record)
		return;
	pthread_mutex_lock(&record->lock);
	snprintf(head, sizeof head, "{\"t\":%.6f,\"pool\":%u,\"conn\":%u,\"dir\":\"%c\"", clock_now() - record->started,
		 entry->pool, entry->connection, entry->direction);
	put_text(record, head);
	if (entry->call > 0)
		put_call(record, entry);
	put_text(record, ",\"line\":");
	put_masked(record, entry->text);
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
