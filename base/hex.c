/* Hex text to bytes and back; decoding is strict, since the text comes from a network. */
#include "base/hex.h"

void hex_encode(char *text, const uint8_t *bytes, size_t len)
{
	static const char digits[16] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
	text[2 * len] = '\0';
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_decode(uint8_t *bytes, size_t len, const char *text)
{
	for (size_t i = 0; i < len; i++) {
		int high = digit(text[2 * i]);
		int low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return text[2 * len] == '\0';
}
