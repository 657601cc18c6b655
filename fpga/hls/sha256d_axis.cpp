/*
 * Not yet run through Vitis HLS: tested here as C++ only (tests/check_hls.sh), against the project's own SHA-256.
 *
 * fpga/rtl/sha256d_axis.v with one core, in C++ for high-level synthesis: SHA-256d of a stream of padded one-block
 * messages, to compare what a compiler makes of a page of C++ with RTL written by hand. Same contract, same driver.
 */
#include "sha256d_axis.h"

typedef ap_uint<32> word;

static const word iv[8] = {	/* FIPS 180-4, 5.3.3 */
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const word k[64] = {	/* FIPS 180-4, 4.2.2 */
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* Narrow at each step: a sum of two ap_uint<32> has 33 bits until it is stored. */
static word rotr(word x, int n)
{
#pragma HLS INLINE
	word low = x >> n, high = x << (32 - n);
	return low | high;
}

static word swap(word x)
{
#pragma HLS INLINE
	word swapped;

	for (int i = 0; i < 4; i++) {
#pragma HLS UNROLL
		swapped.range(8 * i + 7, 8 * i) = x.range(31 - 8 * i, 24 - 8 * i);
	}
	return swapped;
}

/* W[t] from W[t-16] .. W[t-1], which stand in window[0] .. window[15]. */
static word schedule(const word window[16])
{
#pragma HLS INLINE
	word shifted3 = window[1] >> 3, shifted10 = window[14] >> 10;
	word sigma0 = rotr(window[1], 7) ^ rotr(window[1], 18) ^ shifted3;
	word sigma1 = rotr(window[14], 17) ^ rotr(window[14], 19) ^ shifted10;

	return window[0] + sigma0 + window[9] + sigma1;
}

static void sha256_round(word s[8], word kw)
{
#pragma HLS INLINE
	word sigma1 = rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25);
	word ch = s[6] ^ (s[4] & (s[5] ^ s[6]));
	word sigma0 = rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22);
	word maj = (s[0] & s[1]) | (s[2] & (s[0] | s[1]));
	word t1 = s[7] + sigma1 + ch + kw;

	s[7] = s[6];
	s[6] = s[5];
	s[5] = s[4];
	s[4] = s[3] + t1;
	s[3] = s[2];
	s[2] = s[1];
	s[1] = s[0];
	s[0] = t1 + sigma0 + maj;
}

void sha256d_axis(hls::stream<axis_word> &s_axis, hls::stream<axis_word> &m_axis)
{
#pragma HLS INTERFACE axis port=s_axis
#pragma HLS INTERFACE axis port=m_axis
#pragma HLS INTERFACE ap_ctrl_none port=return
	word state[8], window[16];
#pragma HLS ARRAY_PARTITION variable=state complete
#pragma HLS ARRAY_PARTITION variable=window complete
	bool last = false, ended = false;

	for (int i = 0; i < 8; i++) {
#pragma HLS UNROLL
		state[i] = iv[i];
	}

	/* The first hash: a word of the message is taken when its round comes. After an early TLAST they are zero. */
	for (int t = 0; t < 64; t++) {
#pragma HLS PIPELINE II=1
		word w = 0;

		if (t >= 16) {
			w = schedule(window);
		} else if (!ended) {
			axis_word beat = s_axis.read();
			w = swap(beat.data);
			last = beat.last == 1;
			ended = last;
		}
		sha256_round(state, k[t] + w);
		for (int i = 0; i < 15; i++) {
#pragma HLS UNROLL
			window[i] = window[i + 1];
		}
		window[15] = w;
	}

	/* The second: of the digest, one block once padded. */
	for (int i = 0; i < 8; i++) {
#pragma HLS UNROLL
		window[i] = state[i] + iv[i];
		window[i + 8] = 0;
		state[i] = iv[i];
	}
	window[8] = 0x80000000;
	window[15] = 256;
	for (int t = 0; t < 64; t++) {
#pragma HLS PIPELINE II=1
		word w = window[0], next = schedule(window);

		sha256_round(state, k[t] + w);
		for (int i = 0; i < 15; i++) {
#pragma HLS UNROLL
			window[i] = window[i + 1];
		}
		window[15] = next;
	}

	for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
		axis_word beat;
		word digest = state[i] + iv[i];

		beat.data = swap(digest);
		beat.keep = 0xf;
		beat.strb = 0xf;
		beat.last = last && i == 7;
		m_axis.write(beat);
	}
}
