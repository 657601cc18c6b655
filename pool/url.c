/* The parts of a pool's URL, strictly: see url.h. */
#include "pool/url.h"

#include <ctype.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PORT_DIGITS 5

static const char *parse_port(uint16_t *port, const char *text, size_t len)
{
	unsigned long value = 0;

	if (len == 0)
		return "it has no port";
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return "its port is not a number";
		value = value * 10 + (unsigned long)(text[i] - '0');
		if (value > UINT16_MAX)
			return "its port is above 65535";
	}
	if (value == 0)
		return "its port is 0";
	*port = (uint16_t)value;
	return NULL;
}

/* What an address in brackets holds, what a name or an IPv4 number holds, and a port. */
static const char address_chars[] = "0123456789abcdefABCDEF:.";
static const char name_chars[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._";
static const char port_chars[] = "0123456789";

const char *url_parse_host(char host[URL_HOST_MAX], const char *text, size_t len)
{
	if (len == 0)
		return "it has no host";
	if (len >= URL_HOST_MAX)
		return "its host is too long";
	memcpy(host, text, len);
	host[len] = '\0';

	if (host[0] != '[')
		return strspn(host, name_chars) == len ? NULL : "its host has characters that no host name has";
	if (len < 4 || strspn(host + 1, address_chars) != len - 2 || host[len - 1] != ']')
		return "its IPv6 address is not of the form [::1]";
	return NULL;
}

static const char *path_fault(const char *path)
{
	if (strlen(path) >= URL_PATH_MAX)
		return "its path is too long";
	for (const char *c = path; *c; c++)
		if (!isgraph((unsigned char)*c))
			return "its path has characters that no path has";
	return NULL;
}

/* `len` bytes of text to `out`, %41 and the like resolved. False: too long, a NUL, or a % without two hex digits. */
static bool unescape(char out[URL_LOGIN_MAX], const char *text, size_t len)
{
	const char *end = text + len;
	size_t n = 0;

	while (text < end) {
		char c = *text++;

		if (c == '%') {
			char digits[3] = { 0 };

			if (end - text < 2 || !isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
				return false;
			memcpy(digits, text, 2);
			c = (char)strtoul(digits, NULL, 16);
			text += 2;
		}
		if (c == '\0' || n == URL_LOGIN_MAX - 1)
			return false;
		out[n++] = c;
	}
	out[n] = '\0';
	return true;
}

/* user, or user:pass */
static const char *parse_login(struct url *url, const char *text, size_t len)
{
	const char *colon = memchr(text, ':', len);
	size_t user_len = colon ? (size_t)(colon - text) : len;

	if (!unescape(url->user, text, user_len))
		return "its user cannot be read";
	if (colon && !unescape(url->pass, colon + 1, len - user_len - 1))
		return "its password cannot be read";
	return NULL;
}

const char *url_parse(struct url *url, const char *text)
{
	const char *host = strstr(text, "://");
	size_t scheme_len = host ? (size_t)(host - text) : 0;

	*url = (struct url){ .port = 0 };
	if (scheme_len >= URL_SCHEME_MAX)
		return "its scheme is unknown";
	for (size_t i = 0; i < scheme_len; i++)
		url->scheme[i] = (char)tolower((unsigned char)text[i]);
	host = host ? host + 3 : text;

	size_t len = strcspn(host, "/");
	size_t login_len = len;	/* up to the last @ */
	while (login_len > 0 && host[login_len - 1] != '@')
		login_len--;
	if (login_len > 0) {
		const char *why = parse_login(url, host, login_len - 1);

		if (why)
			return why;
		host += login_len;
		len -= login_len;
	}

	size_t host_len = len;	/* up to the last colon outside of brackets */
	while (host_len > 0 && host[host_len - 1] != ':' && host[host_len - 1] != ']')
		host_len--;
	if (host_len == 0 || host[host_len - 1] == ']')
		return len == 0 ? "it has no host" : "it has no port";

	const char *why = path_fault(host + len);
	if (why)
		return why;
	strcpy(url->path, host + len);

	why = url_parse_host(url->host, host, host_len - 1);
	return why ? why : parse_port(&url->port, host + host_len, len - host_len);
}

void url_forget(struct url *url)
{
	OPENSSL_cleanse(url->user, sizeof url->user);
	OPENSSL_cleanse(url->pass, sizeof url->pass);
}

/* The last place of `part` in the text; NULL when there is none. */
static const char *find_last(const char *text, const char *part)
{
	const char *last = NULL;

	while ((text = strstr(text, part)))
		last = text++;
	return last;
}

/* How much of what should be HOST:PORT/PATH can hardly be anything else. Of a host alone: few passwords have a dot. */
static size_t place_len(const char *text)
{
	size_t len = strspn(text, name_chars);

	if (text[0] == '[') {
		len = 1 + strspn(text + 1, address_chars);
		len = text[len] == ']' ? len + 1 : 0;
	}
	size_t port_len = text[len] == ':' ? strspn(text + len + 1, port_chars) : 0;
	if (port_len == 0 || port_len > PORT_DIGITS)
		return text[0] == '[' || memchr(text, '.', len) ? len : 0;
	len += 1 + port_len;
	return text[len] == '/' && !path_fault(text + len) ? strlen(text) : len;
}

/* What is not for showing: `login_len` bytes from `login` on, and all from `tail` on. */
struct hidden {
	size_t login, login_len, tail;
};

static struct hidden find_hidden(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
	size_t scheme_len = strspn(text, letters);
	const char *start = strncmp(text + scheme_len, "://", 3) == 0 ? text + scheme_len + 3 : text;
	const char *end = strrchr(start, '@'), *place = end ? end + 1 : start;

	if (!end && (end = find_last(start, "%40")))
		place = end + 3;
	return (struct hidden){
		.login = (size_t)(start - text), .login_len = end ? (size_t)(end - start) : 0,
		.tail = (size_t)(place - text) + place_len(place),
	};
}

const char *url_shown(char out[URL_SHOWN_MAX], const char *text)
{
	struct hidden hidden = find_hidden(text);
	size_t rest = hidden.login + hidden.login_len;

	if (hidden.login > URL_SHOWN_MAX || hidden.tail - rest > URL_SHOWN_MAX)
		snprintf(out, URL_SHOWN_MAX, "***");
	else
		snprintf(out, URL_SHOWN_MAX, "%.*s%s%.*s%s", (int)hidden.login, text, hidden.login_len > 0 ? "***" : "",
			 (int)(hidden.tail - rest), text + rest, text[hidden.tail] ? "***" : "");
	return out;
}

void url_hide(char *text)
{
	struct hidden hidden = find_hidden(text);

	memset(text + hidden.login, '*', hidden.login_len);
	memset(text + hidden.tail, '*', strlen(text + hidden.tail));
}

static bool is_number(const char *host)
{
	return host[0] == '[' || strspn(host, "0123456789.") == strlen(host);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && text[len - end_len - 1] == '.' && strcasecmp(text + len - end_len, end) == 0;
}

/*
 * May anyone register names right under it? Of "example" and of "co.uk" that is assumed:
 * of one label, and of a short one before a country's two letters.
 */
static bool is_public(const char *domain)
{
	const char *dot = strchr(domain, '.');

	return !dot || (!strchr(dot + 1, '.') && strlen(dot + 1) == 2 && dot - domain <= 3);
}

/* Without the full stop that may end a name (RFC 1034, section 3.1): it would count as one more label. */
static void strip_root(char out[URL_HOST_MAX], const char *host)
{
	size_t len = strlen(host);

	if (len > 0 && host[len - 1] == '.')
		len--;
	snprintf(out, URL_HOST_MAX, "%.*s", (int)len, host);
}

bool url_same_domain(const char *host, const char *other)
{
	char ours[URL_HOST_MAX], theirs[URL_HOST_MAX];

	strip_root(ours, host);
	strip_root(theirs, other);
	const char *dot = strchr(ours, '.');

	if (strcasecmp(ours, theirs) == 0)
		return true;
	if (is_number(ours) || is_number(theirs) || is_public(ours))
		return false;
	if (ends_with(theirs, ours))
		return true;
	return !is_public(dot + 1) && (ends_with(theirs, dot + 1) || strcasecmp(theirs, dot + 1) == 0);
}
