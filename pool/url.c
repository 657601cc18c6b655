/* The parts of a pool's URL, strictly: see url.h. */
#include "pool/url.h"

#include <ctype.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static const char *parse_host(char *host, const char *text, size_t len)
{
	/* what an address in brackets holds, and what a name or an IPv4 number holds */
	static const char address[] = "0123456789abcdefABCDEF:.";
	static const char name[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._";

	if (len == 0)
		return "it has no host";
	if (len >= URL_HOST_MAX)
		return "its host is too long";
	memcpy(host, text, len);
	host[len] = '\0';

	if (host[0] != '[')
		return strspn(host, name) == len ? NULL : "its host has characters that no host name has";
	if (len < 4 || strspn(host + 1, address) != len - 2 || host[len - 1] != ']')
		return "its IPv6 address is not of the form [::1]";
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

	if (strlen(host + len) >= URL_PATH_MAX)
		return "its path is too long";
	for (const char *c = host + len; *c; c++)
		if (!isgraph((unsigned char)*c))
			return "its path has characters that no path has";
	strcpy(url->path, host + len);

	const char *why = parse_host(url->host, host, host_len - 1);
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

/* A colon that stands before a host and its port, as in user:pass:host:port. NULL: there is none. */
static const char *find_odd_colon(const char *text)
{
	const char *port = text[0] == '[' ? NULL : memrchr(text, ':', strcspn(text, "/"));

	return port ? memrchr(text, ':', (size_t)(port - text)) : NULL;
}

/* Where the login of a text begins, and its length; 0: it has none. */
static size_t find_login(const char *text, size_t *len)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
	size_t scheme_len = strspn(text, letters);
	const char *start = strncmp(text + scheme_len, "://", 3) == 0 ? text + scheme_len + 3 : text;
	const char *end = strrchr(start, '@');

	if (!end)
		end = find_last(start, "%40");
	if (!end)
		end = find_odd_colon(start);
	*len = end ? (size_t)(end - start) : 0;
	return (size_t)(start - text);
}

const char *url_shown(char out[URL_SHOWN_MAX], const char *text)
{
	size_t len, start = find_login(text, &len);

	snprintf(out, URL_SHOWN_MAX, "%.*s%s%s", (int)(start < URL_SHOWN_MAX ? start : URL_SHOWN_MAX), text, len > 0 ? "***" : "",
		 text + start + len);
	return out;
}

void url_hide_login(char *text)
{
	size_t len, start = find_login(text, &len);

	memset(text + start, '*', len);
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

bool url_same_domain(const char *host, const char *other)
{
	const char *dot = strchr(host, '.');

	if (strcasecmp(host, other) == 0)
		return true;
	if (is_number(host) || is_number(other) || is_public(host))
		return false;
	if (ends_with(other, host))
		return true;
	return !is_public(dot + 1) && (ends_with(other, dot + 1) || strcasecmp(other, dot + 1) == 0);
}
