/*
 * CubeHash16/32-256 of a 32-byte message an item. params: 32 words, the state before the first block.
 *
 * low and high are the words whose first index is 0 and 1; swapping words whose indices differ in one bit is a swizzle.
 */
#define ROUNDS_BLOCK	16
#define ROUNDS_FINAL	160

void permute(uint16 *low, uint16 *high, uint rounds)
{
	uint16 l = *low, h = *high;

	for (uint round = 0; round < rounds; round++) {
		h += l;
		l = rotate(l, (uint16)(7)).s89abcdef01234567 ^ h;
		h = h.s23016745ab89efcd + l;
		l = rotate(l, (uint16)(11)).s45670123cdef89ab ^ h;
		h = h.s1032547698badcfe;
	}
	*low = l;
	*high = h;
}

void cubehash256(constant uint *params, ulong number, global const uint *in, global uint *out)
{
	uint16 low = vload16(0, params), high = vload16(1, params);

	low.lo ^= vload8(0, in);
	permute(&low, &high, ROUNDS_BLOCK);
	low.s0 ^= 0x80;			/* the padding block */
	permute(&low, &high, ROUNDS_BLOCK);
	high.sf ^= 1;
	permute(&low, &high, ROUNDS_FINAL);
	vstore8(low.lo, 0, out);
}

KERNELS(cubehash256, 8, 8)
