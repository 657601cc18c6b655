/*
 * Secrets are looked for in all that a text can be read as: itself, with the escapes of one kind
 * resolved, and what comes of that, with a note for each byte of where it came from. See secret.h.
 */
#include "base/secret.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define SHORTEST	4	/* bytes of a secret that is looked for */
#define SHORTEST_DIGITS	8	/* of one that is a number */
#define LONG		8	/* bytes of one that is looked for within words */
#define BASE64_SHORTEST	6	/* characters that may hold one */
#define DEPTH		3	/* escapes upon each other that are resolved */
#define HEAD_MAX	65536	/* bytes that are looked at of a text for a log line: each may cost 0.3 us, or 0.6 with 30 secrets */

struct secret {
	char *text;
	size_t len;
	bool is_word;		/* only where it stands alone */
};

static struct {
	struct secret list[SECRETS_MAX];
	size_t count;
} secrets;

/* A text as it can be read, and where in the original each byte begins; from[len] is the original's end. */
struct view {
	char *bytes;
	uint32_t *from;		/* NULL: without escapes it is the original itself */
	size_t len;
};

/* A text on its way out. */
struct masking {
	char *text;
	size_t len;
	bool *marks;		/* of each byte: it is to be masked; NULL: none is, so far */
	bool failed;		/* no memory */
};

static size_t origin(const struct view *view, size_t i)
{
	return view->from ? view->from[i] : i;
}

static void close_view(struct view *view)
{
	free(view->bytes);
	free(view->from);
}

/* A view with the escapes of one kind resolved, once. 1; 0: there are none, and it is not made; -1: no memory. */
static int open_view(struct view *view, const struct view *of, const struct escape_kind *kind)
{
	char meant[4];
	size_t meant_len, len;
	bool any = false;

	if (!memchr(of->bytes, kind->mark, of->len))
		return 0;
	*view = (struct view){ .bytes = malloc(of->len), .from = malloc((of->len + 1) * sizeof *view->from) };
	if (!view->bytes || !view->from) {
		close_view(view);
		return -1;
	}
	for (size_t i = 0; i < of->len; i += len) {
		len = kind->read(meant, &meant_len, of->bytes + i, of->len - i);	/* never shorter than its meaning */
		any |= len > 0;
		if (len == 0) {
			meant[0] = of->bytes[i];
			meant_len = len = 1;
		}
		for (size_t k = 0; k < meant_len; k++) {
			view->bytes[view->len] = meant[k];
			view->from[view->len++] = (uint32_t)origin(of, i);
		}
	}
	view->from[view->len] = (uint32_t)origin(of, of->len);
	if (!any)
		close_view(view);
	return any;
}

/* Is it worth looking for? */
static bool is_trivial(const char *text, size_t len)
{
	return len < SHORTEST || (len < SHORTEST_DIGITS && strspn(text, "0123456789") == len);
}

int secret_add(const char *text)
{
	size_t len = strlen(text);
	char *copy;

	if (is_trivial(text, len))
		return 0;
	for (size_t i = 0; i < secrets.count; i++)
		if (strcmp(secrets.list[i].text, text) == 0)
			return 0;
	copy = secrets.count < SECRETS_MAX ? strdup(text) : NULL;
	if (!copy)
		return -1;
	secrets.list[secrets.count++] = (struct secret){
		.text = copy, .len = len, .is_word = len < LONG || strspn(text, "0123456789abcdefABCDEF") == len,
	};
	return 0;
}

/* memset() of what is freed right after may be left out by a compiler. */
static void wipe(char *text, size_t len)
{
	for (volatile char *c = text; len-- > 0; )
		*c++ = 0;
	free(text);
}

void secret_forget(void)
{
	while (secrets.count > 0) {
		struct secret *secret = &secrets.list[--secrets.count];

		wipe(secret->text, secret->len);
	}
}

static void mark(struct masking *m, size_t start, size_t end)
{
	if (!m->marks)
		m->marks = calloc(m->len, sizeof *m->marks);
	if (m->marks)
		memset(m->marks + start, true, end - start);
	else
		m->failed = true;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Do letters or digits go on at `at`, be it behind a full stop or a dash, in the direction of `step`? */
static bool word_goes_on(const char *bytes, size_t len, size_t at, size_t step)
{
	if (at < len && (bytes[at] == '.' || bytes[at] == '-'))
		at += step;
	return at < len && is_word_byte(bytes[at]);
}

/* The next place of a secret in the bytes, from `start` on; `len` when there is none. */
static size_t find(const struct secret *secret, const char *bytes, size_t len, size_t start)
{
	const char *found;

	while ((found = memmem(bytes + start, len - start, secret->text, secret->len))) {
		size_t at = (size_t)(found - bytes);

		/* before the first byte is (size_t)-1, which is not below len either */
		if (!secret->is_word || (!word_goes_on(bytes, len, at - 1, (size_t)-1) && !word_goes_on(bytes, len, at + secret->len, 1)))
			return at;
		start = at + 1;
	}
	return len;
}

static bool is_base64(char c)
{
	return isalnum((unsigned char)c) || c == '+' || c == '/' || c == '-' || c == '_';
}

static unsigned base64_value(char c)
{
	if (isupper((unsigned char)c))
		return (unsigned)(c - 'A');
	if (islower((unsigned char)c))
		return (unsigned)(c - 'a') + 26;
	if (isdigit((unsigned char)c))
		return (unsigned)(c - '0') + 52;
	return c == '+' || c == '-' ? 62 : 63;
}

/* All whole bytes that these characters hold; returns how many. */
static size_t base64_decode(char *out, const char *text, size_t len)
{
	size_t count = 0;
	uint32_t bits = 0;

	for (size_t i = 0; i < len; i++) {
		bits = bits << 6 | base64_value(text[i]);
		if (i % 4 != 0)		/* 6 * (i + 1) bits are in, and 8 * count taken */
			out[count++] = (char)(bits >> (4 - 2 * (i % 4 - 1)));
	}
	return count;
}

static bool is_sought(const struct secret *secret, enum secret_scope scope)
{
	return scope == SECRET_FOREIGN || !secret->is_word;
}

/* Where a run of base64 begins is not known: it may have grown together with a word before it. */
static void mark_base64(struct masking *m, const struct view *view, size_t start, size_t end, enum secret_scope scope)
{
	char *bytes = malloc(end - start);

	if (!bytes) {
		m->failed = true;
		return;
	}
	for (size_t first = start; first < start + 4; first++) {
		size_t len = base64_decode(bytes, view->bytes + first, end - first);

		for (size_t i = 0; i < secrets.count; i++) {
			const struct secret *secret = &secrets.list[i];
			size_t at = is_sought(secret, scope) ? 0 : len;

			while ((at = find(secret, bytes, len, at)) < len) {
				mark(m, origin(view, first + at * 8 / 6), origin(view, first + ((at + secret->len) * 8 + 5) / 6));
				at++;
			}
		}
	}
	free(bytes);
}

static void mark_all_base64(struct masking *m, const struct view *view, enum secret_scope scope)
{
	for (size_t start = 0, end; start < view->len; start = end + 1) {
		for (end = start; end < view->len && is_base64(view->bytes[end]); end++)
			;
		if (end - start >= BASE64_SHORTEST)
			mark_base64(m, view, start, end, scope);
	}
}

/* What stands between :// and the last @ of what may be a URL's authority. */
static void mark_logins(struct masking *m, const struct view *view)
{
	const char *bytes = view->bytes, *end = bytes + view->len, *found = bytes;

	while ((found = memmem(found, (size_t)(end - found), "://", 3))) {
		const char *at = NULL;

		found += 3;
		for (const char *c = found; c < end && !strchr("/?#\"'<>", *c) && !isspace((unsigned char)*c); c++)
			if (*c == '@')
				at = c;
		if (at)
			mark(m, origin(view, (size_t)(found - bytes)), origin(view, (size_t)(at - bytes)));
	}
}

static void mark_secret(struct masking *m, const struct view *view, const struct secret *secret)
{
	for (size_t at = 0; (at = find(secret, view->bytes, view->len, at)) < view->len; at++)
		mark(m, origin(view, at), origin(view, at + secret->len));
}

static void mark_view(struct masking *m, const struct view *view, enum secret_scope scope, unsigned depth)
{
	for (size_t i = 0; i < secrets.count; i++)
		if (is_sought(&secrets.list[i], scope))
			mark_secret(m, view, &secrets.list[i]);
	if (secrets.count > 0)
		mark_all_base64(m, view, scope);
	mark_logins(m, view);
	for (size_t i = 0; i < ESCAPE_KINDS && depth < DEPTH; i++) {
		struct view next;
		int opened = open_view(&next, view, &escape_kinds[i]);

		m->failed |= opened < 0;
		if (opened <= 0)
			continue;
		mark_view(m, &next, scope, depth + 1);
		close_view(&next);
	}
}

/* Three stars for all that is marked in a row, which so does not tell its length. */
static void put_stars(struct masking *m)
{
	size_t len = 0, stars = 0;

	for (size_t i = 0; i < m->len; i++) {
		stars = m->marks[i] ? stars + 1 : 0;
		if (stars <= 3)
			m->text[len++] = stars > 0 ? '*' : m->text[i];
	}
	m->text[len] = '\0';
}

void secret_mask(char *text, enum secret_scope scope)
{
	struct masking m = { .text = text, .len = strlen(text) };

	mark_view(&m, &(struct view){ .bytes = text, .len = m.len }, scope, 0);
	if (m.failed)
		strcpy(text, "*");
	else if (m.marks)
		put_stars(&m);
	free(m.marks);
}

const char *secret_show(char *out, size_t size, const char *text)
{
	char *head = strndup(text, HEAD_MAX);
	bool whole = head && strlen(head) < HEAD_MAX;

	if (head)
		secret_mask(head, SECRET_FOREIGN);
	/* at the end of a head may be half a secret: it must have stayed far from what is shown */
	if (!head || (!whole && strlen(head) < HEAD_MAX / 2))
		snprintf(out, size, "*");
	else
		snprintf(out, size, "%s", head);
	free(head);
	return out;
}
