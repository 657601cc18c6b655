/*
 * Loads and stores of fixed byte order from any address. The only place where
 * bytes become words, so that nothing else depends on the machine's own order.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>

static inline uint32_t load_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline uint64_t load_le64(const uint8_t *p)
{
	return load_le32(p) | (uint64_t)load_le32(p + 4) << 32;
}

static inline uint64_t load_be64(const uint8_t *p)
{
	return (uint64_t)load_be32(p) << 32 | load_be32(p + 4);
}

static inline void store_le32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

static inline void store_be32(uint8_t *p, uint32_t v)
{
	p[3] = (uint8_t)v;
	p[2] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)(v >> 16);
	p[0] = (uint8_t)(v >> 24);
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
	store_le32(p, (uint32_t)v);
	store_le32(p + 4, (uint32_t)(v >> 32));
}

static inline void store_be64(uint8_t *p, uint64_t v)
{
	store_be32(p, (uint32_t)(v >> 32));
	store_be32(p + 4, (uint32_t)v);
}

static inline uint32_t swap32(uint32_t v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static inline uint32_t rotl32(uint32_t v, unsigned n)	/* 0 < n < 32 */
{
	return v << n | v >> (32 - n);
}

static inline uint32_t rotr32(uint32_t v, unsigned n)	/* 0 < n < 32 */
{
	return v >> n | v << (32 - n);
}

static inline uint64_t rotl64(uint64_t v, unsigned n)	/* 0 < n < 64 */
{
	return v << n | v >> (64 - n);
}

static inline uint64_t rotr64(uint64_t v, unsigned n)	/* 0 < n < 64 */
{
	return v >> n | v << (64 - n);
}

#endif
