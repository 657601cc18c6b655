/* Difficulty, compact bits and 256-bit targets: conversions and the one compare. */
#include "base/target.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"

/*
 * difficulty is m * 2^e with a 53-bit integer m, so the target is
 * (0xffff * 2^(208 - e)) / m: a long division, 32 bits a step, of a numerator that
 * is 16 ones and then zeros. Any quotient of more than 256 bits saturates.
 */
void target_from_difficulty(uint32_t target[8], double difficulty)
{
	int exponent;

	memset(target, 0, 8 * sizeof *target);
	if (!isfinite(difficulty) || difficulty <= 0)
		return;

	uint64_t divisor = (uint64_t)ldexp(frexp(difficulty, &exponent), 53);
	int shift = 208 - (exponent - 53);	/* the numerator is 0xffff << shift */
	uint64_t rest = 0;	/* < divisor <= 2^53 between steps */
	bool saturated = false;

	for (int bit = shift + 15; bit >= 0; bit--) {
		rest = rest << 1 | (bit >= shift);
		if (rest < divisor)
			continue;
		rest -= divisor;
		if (bit >= 256)
			saturated = true;
		else
			target[bit / 32] |= 1u << bit % 32;
	}
	if (saturated)
		memset(target, 0xff, 8 * sizeof *target);
}

void target_from_bits(uint32_t target[8], uint32_t bits)
{
	unsigned size = bits >> 24;
	uint32_t mantissa = bits & 0x007fffff;
	uint8_t bytes[32 + 3] = { 0 };	/* little-endian; room for a mantissa that ends too high */

	memset(target, 0, 8 * sizeof *target);
	if (bits & 0x00800000)
		return;
	if (size < 3) {
		mantissa >>= 8 * (3 - size);
		size = 3;
	}
	if (size > 34)
		return;
	for (unsigned i = 0; i < 3; i++)
		bytes[size - 3 + i] = (uint8_t)(mantissa >> 8 * i);
	if (bytes[32] | bytes[33] | bytes[34])
		return;
	target_load(target, bytes);
}

double target_difficulty(const uint32_t target[8])
{
	double value = 0;

	for (int i = 7; i >= 0; i--)
		value = value * 4294967296.0 + target[i];
	return ldexp(65535, 208) / value;
}

void target_load(uint32_t value[8], const uint8_t digest[32])
{
	for (int i = 0; i < 8; i++)
		value[i] = load_le32(digest + 4 * i);
}

bool target_met(const uint32_t value[8], const uint32_t target[8])
{
	for (int i = 7; i >= 0; i--)
		if (value[i] != target[i])
			return value[i] < target[i];
	return true;
}
