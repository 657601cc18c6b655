/* One function for each kind of escape: see escape.h. */
#include "base/escape.h"

#include <stdbool.h>
#include <string.h>

#include "base/entity.h"

#define POINT_MAX 0x10ffff	/* of Unicode */

/* The value of a digit of a base up to 16; 16: it is none. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/* The number that `count` hex digits stand for; false: they are none. */
static bool hex_number(unsigned *number, const char *digits, size_t count)
{
	*number = 0;
	for (size_t i = 0; i < count; i++) {
		if (digit(digits[i]) == 16)
			return false;
		*number = *number << 4 | digit(digits[i]);
	}
	return true;
}

/* A code point as UTF-8 (RFC 3629); returns its bytes. */
static size_t utf8_encode(char out[4], unsigned point)
{
	size_t len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	static const unsigned char heads[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };

	for (size_t i = len; i-- > 1; point >>= 6)
		out[i] = (char)(0x80 | (point & 0x3f));
	out[0] = (char)(heads[len] | point);
	return len;
}

/* An escape that is a number: its length, 0: none begins here. */
typedef size_t number_fn(unsigned *number, const char *text, size_t len);

/* \u20ac */
static size_t json_number(unsigned *number, const char *text, size_t len)
{
	return len >= 6 && text[0] == '\\' && text[1] == 'u' && hex_number(number, text + 2, 4) ? 6 : 0;
}

/* &#8364; or &#x20AC; or either without its end */
static size_t html_number(unsigned *number, const char *text, size_t len)
{
	const bool hex = len > 2 && (text[2] == 'x' || text[2] == 'X');
	const size_t start = hex ? 3 : 2;
	const unsigned base = hex ? 16 : 10;
	size_t at = start;

	if (len < 2 || text[0] != '&' || text[1] != '#')
		return 0;
	for (*number = 0; at < len && digit(text[at]) < base; at++)
		*number = *number > POINT_MAX ? *number : *number * base + digit(text[at]);
	if (at == start)
		return 0;
	return at + (at < len && text[at] == ';');
}

/* One that stands for a code point, or with the next for one beyond 0xffff: some write UTF-16's halves in HTML too. */
static size_t read_point(char meant[4], size_t *meant_len, const char *text, size_t len, number_fn *read)
{
	unsigned point, low;
	size_t used = read(&point, text, len), more = 0;

	if (used == 0 || point == 0 || point > POINT_MAX)
		return 0;
	if (point >= 0xd800 && point <= 0xdbff)
		more = read(&low, text + used, len - used);
	if (more > 0 && low >= 0xdc00 && low <= 0xdfff) {
		point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
		used += more;
	}
	*meant_len = utf8_encode(meant, point);
	return used;
}

static size_t json_escape(char meant[4], size_t *meant_len, const char *text, size_t len)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter;

	if (len < 2 || text[0] != '\\')
		return 0;
	letter = text[1] ? strchr(letters, text[1]) : NULL;
	if (!letter)
		return read_point(meant, meant_len, text, len, json_number);
	meant[0] = meanings[letter - letters];
	*meant_len = 1;
	return 2;
}

static size_t percent_escape(char meant[4], size_t *meant_len, const char *text, size_t len)
{
	unsigned number;

	if (len < 3 || text[0] != '%' || !hex_number(&number, text + 1, 2) || number == 0)
		return 0;
	meant[0] = (char)number;
	*meant_len = 1;
	return 3;
}

static size_t form_escape(char meant[4], size_t *meant_len, const char *text, size_t len)
{
	if (len == 0 || text[0] != '+')
		return percent_escape(meant, meant_len, text, len);
	meant[0] = ' ';
	*meant_len = 1;
	return 1;
}

static size_t html_escape(char meant[4], size_t *meant_len, const char *text, size_t len)
{
	size_t name_len = 0;

	if (len < 3 || text[0] != '&')
		return 0;
	if (text[1] == '#')
		return read_point(meant, meant_len, text, len, html_number);
	while (name_len < ENTITY_NAME_MAX && 1 + name_len < len && text[1 + name_len] != ';')
		name_len++;
	unsigned point = 1 + name_len < len && text[1 + name_len] == ';' ? entity_point(text + 1, name_len) : 0;
	if (point == 0)
		return 0;
	*meant_len = utf8_encode(meant, point);
	return name_len + 2;
}

const struct escape_kind escape_kinds[ESCAPE_KINDS] = {
	{ json_escape, '\\' },
	{ percent_escape, '%' },
	{ form_escape, '+' },
	{ html_escape, '&' },
};
