/*
 * ChaCha20 (RFC 8439), a block an item. params: 8 words of key, 3 of nonce.
 *
 * A row of the state is a vector, so a round is one quarter round on four columns; turning the rows by 1, 2 and 3 words
 * makes the diagonals columns.
 */
#define QUARTERS(a, b, c, d) \
	a += b; d = rotate(d ^ a, (uint4)(16)); \
	c += d; b = rotate(b ^ c, (uint4)(12)); \
	a += b; d = rotate(d ^ a, (uint4)(8)); \
	c += d; b = rotate(b ^ c, (uint4)(7));

void chacha20(constant uint *params, ulong number, global const uint *in, global uint *out)
{
	const uint4 a0 = (uint4)(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574), b0 = vload4(0, params), c0 = vload4(1, params),
		    d0 = (uint4)((uint)number, params[8], params[9], params[10]);
	uint4 a = a0, b = b0, c = c0, d = d0;

	for (uint round = 0; round < 10; round++) {
		QUARTERS(a, b, c, d)
		b = b.s1230;
		c = c.s2301;
		d = d.s3012;
		QUARTERS(a, b, c, d)
		b = b.s3012;
		c = c.s2301;
		d = d.s1230;
	}
	vstore4(vload4(0, in) ^ (a + a0), 0, out);
	vstore4(vload4(1, in) ^ (b + b0), 1, out);
	vstore4(vload4(2, in) ^ (c + c0), 2, out);
	vstore4(vload4(3, in) ^ (d + d0), 3, out);
}

KERNELS(chacha20, 16, 16)
