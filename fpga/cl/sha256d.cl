/*
 * SHA-256d (FIPS 180-4, twice): of a padded block an item, and the search of a header's nonces.
 */
constant uint k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define INITIAL_0	((uint4)(0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au))
#define INITIAL_1	((uint4)(0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u))

uint big_0(uint x) { return rotate(x, 30u) ^ rotate(x, 19u) ^ rotate(x, 10u); }
uint big_1(uint x) { return rotate(x, 26u) ^ rotate(x, 21u) ^ rotate(x, 7u); }
uint small_0(uint x) { return rotate(x, 25u) ^ rotate(x, 14u) ^ x >> 3; }
uint small_1(uint x) { return rotate(x, 15u) ^ rotate(x, 13u) ^ x >> 10; }

/* Add the block w to the state, a to h; w is used up. */
void compress(uint *state, uint *w)
{
	uint a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];

	for (uint t = 0; t < 64; t++) {
		if (t >= 16)
			w[t % 16] += small_1(w[(t + 14) % 16]) + w[(t + 9) % 16] + small_0(w[(t + 1) % 16]);
		uint t1 = h + big_1(e) + bitselect(g, f, e) + k[t] + w[t % 16];
		uint t2 = big_0(a) + bitselect(a, b, a ^ c);
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void start(uint *state)
{
	vstore4(INITIAL_0, 0, state);
	vstore4(INITIAL_1, 1, state);
}

/* The digest in w[0..7] becomes the second message, and state its digest. */
void second(uint *state, uint *w)
{
	w[8] = 0x80000000;
	for (uint i = 9; i < 15; i++)
		w[i] = 0;
	w[15] = 256;
	start(state);
	compress(state, w);
}

void sha256d(constant uint *params, ulong number, global const uint *in, global uint *out)
{
	uint state[8], w[16];

	for (uint i = 0; i < 16; i++)
		w[i] = swap_bytes(in[i]);
	start(state);
	compress(state, w);
	for (uint i = 0; i < 8; i++)
		w[i] = state[i];
	second(state, w);
	for (uint i = 0; i < 8; i++)
		out[i] = swap_bytes(state[i]);
}

KERNELS(sha256d, 16, 8)

/*
 * Is the nonce a candidate? params: 8 words of midstate; 3 of the header's bytes 64 to 75, big-endian; the target's most
 * significant word. A hit goes to out: out[0] counts them, and the first HITS of them stand after it.
 */
#define HITS	255

void sha256d_search(constant uint *params, ulong nonce, global const uint *in, global uint *out)
{
	uint state[8], w[16] = { params[8], params[9], params[10], swap_bytes((uint)nonce), 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 640 };

	for (uint i = 0; i < 8; i++)
		state[i] = params[i];
	compress(state, w);
	for (uint i = 0; i < 8; i++)
		w[i] = state[i];
	second(state, w);
	if (swap_bytes(state[7]) <= params[11]) {
		uint place = atomic_inc((volatile global uint *)out);

		if (place < HITS)
			out[1 + place] = (uint)nonce;
	}
}

KERNELS(sha256d_search, 0, 0)
