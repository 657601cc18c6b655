/*
 * Targets: 256-bit numbers that a digest, read as a little-endian number, must not
 * exceed. Eight words, [0] least significant, whatever the machine's byte order.
 */
#ifndef BASE_TARGET_H
#define BASE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * target = floor(0xffff * 2^208 / difficulty), at most 2^256 - 1. The quotient is
 * exact for the double given. A difficulty that is not a finite number above 0
 * gives target 0, which nothing meets.
 */
void target_from_difficulty(uint32_t target[8], double difficulty);

/* The compact form of a block header's nBits. Negative or overflowing forms give target 0. */
void target_from_bits(uint32_t target[8], uint32_t bits);

/* 0xffff * 2^208 / value, for a target or a digest loaded by target_load(); infinite for 0. */
double target_difficulty(const uint32_t target[8]);

/* A digest, bytes in hashing order, as a number. */
void target_load(uint32_t value[8], const uint8_t digest[32]);

/* value <= target */
bool target_met(const uint32_t value[8], const uint32_t target[8]);

#endif
