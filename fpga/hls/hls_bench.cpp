/*
 * The bench of sha256d_axis in C++ against the C reference: what axis_bench.cpp asks of the RTL, but for stalls, which C++
 * has not. Plain C++ as well as C simulation in Vitis HLS (build.tcl).
 */
#include <vector>

#include "fpga/tb/reference.h"
#include "sha256d_axis.h"

static std::mt19937 rng(1);
static hls::stream<axis_word> in, out;

typedef std::vector<uint8_t> bytes;

static bytes random_message(size_t len)
{
	bytes message(len);

	for (uint8_t &byte : message)
		byte = (uint8_t)rng();
	return message;
}

static void put(const bytes &block, bool last)
{
	for (size_t i = 0; i < block.size(); i += 4) {
		axis_word beat;
		beat.data = load_le32(block.data() + i);
		beat.keep = 0xf;
		beat.strb = 0xf;
		beat.last = last && i + 4 == block.size();
		in.write(beat);
	}
}

static void expect_digest(const uint8_t want[32], bool last, const char *of)
{
	sha256d_axis(in, out);
	for (int i = 0; i < 8; i++) {
		axis_word beat = out.read();
		if (beat.data.to_uint() != load_le32(want + 4 * i))
			FATAL("%s: word %d is %08x", of, i, beat.data.to_uint());
		if ((beat.last == 1) != (last && i == 7) || beat.keep.to_uint() != 0xf || beat.strb.to_uint() != 0xf)
			FATAL("%s: word %d: last, keep or strb", of, i);
	}
}

static void every_length_of_one_block_is_hashed()
{
	for (size_t len = 0; len <= 55; len++)
		for (int last = 0; last < 2; last++) {
			bytes message = random_message(len), block = message;
			uint8_t first[32], digest[32];

			block.push_back(0x80);
			block.resize(64);
			store_be64(block.data() + 56, len * 8);
			put(block, last);
			sha256(first, message.data(), len);
			sha256(digest, first, sizeof first);
			expect_digest(digest, last, "a message");
		}
	ok("every_length_of_one_block_is_hashed");
}

/* A packet that ends within a block still ends, with one digest for what there was of it. */
static void a_broken_packet_ends_as_if_zeros_followed()
{
	for (size_t words = 1; words < 16; words++) {
		bytes broken = random_message(4 * words);
		uint32_t state[8];
		uint8_t first[32], digest[32];

		put(broken, true);
		broken.resize(64);
		memcpy(state, sha256_iv, sizeof state);
		sha256_compress(state, broken.data());
		for (int i = 0; i < 8; i++)
			store_be32(first + 4 * i, state[i]);
		sha256(digest, first, sizeof first);
		expect_digest(digest, true, "a broken packet");
		if (!in.empty())
			FATAL("words are left over");
	}
	ok("a_broken_packet_ends_as_if_zeros_followed");
}

int main()
{
	every_length_of_one_block_is_hashed();
	a_broken_packet_ends_as_if_zeros_followed();
	return 0;
}
