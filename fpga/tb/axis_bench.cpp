/*
 * The bench of sha256d_axis: packets of padded messages against the C reference, with
 * random stalls on both sides. Built with Vaxis for one choice of CORES.
 *
 * Usage: axis_bench BLOCKS [SEED]	(blocks of the batch whose clocks are counted)
 */
#include <string>
#include <vector>

#include "Vaxis.h"
#include "reference.h"
#include "verilated.h"

static Vaxis axis;
static std::mt19937 rng;
static uint64_t clocks;

typedef std::vector<uint8_t> bytes;

static bytes padded(const bytes &message)
{
	bytes block = message;

	block.push_back(0x80);
	block.resize(64);
	store_be64(block.data() + 56, message.size() * 8);
	return block;
}

/* SHA-256 of one block already padded, and the digest hashed as usual. */
static bytes digest_of_block(const bytes &block)
{
	uint32_t state[8];
	uint8_t first[32];
	bytes second(32);

	memcpy(state, sha256_iv, sizeof state);
	sha256_compress(state, block.data());
	for (int i = 0; i < 8; i++)
		store_be32(first + 4 * i, state[i]);
	sha256(second.data(), first, sizeof first);
	return second;
}

struct word {
	uint32_t data;
	bool last;
};

static void put(std::vector<word> &to, const bytes &from, bool last)
{
	for (size_t i = 0; i < from.size(); i += 4)
		to.push_back({ load_le32(from.data() + i), last && i + 4 == from.size() });
}

/* Stream `in` through and hold what comes out against `want`. Returns the clocks it took. */
static uint64_t stream(const std::vector<word> &in, const std::vector<word> &want, unsigned in_stalls, unsigned out_stalls)
{
	size_t sent = 0, got = 0;
	bool offering = false, held = false;
	word held_word = { 0, false };
	uint64_t begin = clocks, quiet = 0;

	while (got < want.size()) {
		/* An offer stands until it is taken. */
		offering = sent < in.size() && (offering || rng() % 256 >= in_stalls);
		axis.s_axis_tvalid = offering;
		axis.s_axis_tdata = offering ? in[sent].data : (uint32_t)rng();
		axis.s_axis_tlast = offering ? in[sent].last : rng() & 1;
		axis.m_axis_tready = rng() % 256 >= out_stalls;
		axis.aclk = 0;
		axis.eval();
		bool taken = offering && axis.s_axis_tready;
		word out = { axis.m_axis_tdata, axis.m_axis_tlast != 0 };
		if (held && (!axis.m_axis_tvalid || out.data != held_word.data || out.last != held_word.last))
			FATAL("word %zu changed while it waited", got);
		held = axis.m_axis_tvalid && !axis.m_axis_tready;
		held_word = out;
		if (axis.m_axis_tvalid && axis.m_axis_tready) {
			if (out.data != want[got].data || out.last != want[got].last)
				FATAL("word %zu is %08x, last %d; wanted %08x, %d", got, out.data, out.last,
					want[got].data, want[got].last);
			got++;
			quiet = 0;
		}
		axis.aclk = 1;
		axis.eval();
		clocks++;
		if (taken) {
			sent++;
			offering = false;
			quiet = 0;
		}
		if (++quiet > 100000)
			FATAL("nothing happens any more after %zu words in, %zu out", sent, got);
	}
	return clocks - begin;
}

static bytes random_message(size_t len)
{
	bytes message(len);

	for (uint8_t &byte : message)
		byte = (uint8_t)rng();
	return message;
}

/* Each length that fits one block, and that the padding is the driver's: by the reference's own. */
static void every_length_of_one_block_is_hashed()
{
	std::vector<word> in, want;

	for (size_t len = 0; len <= 55; len++) {
		bytes message = random_message(len), digest(32);
		uint8_t first[32];

		sha256(first, message.data(), len);
		sha256(digest.data(), first, sizeof first);
		put(in, padded(message), len == 55);
		put(want, digest, len == 55);
	}
	stream(in, want, 0, 0);
	ok("every_length_of_one_block_is_hashed");
}

static void random_stalls_lose_nothing_and_keep_order()
{
	for (unsigned in_stalls : { 0u, 128u, 240u })
		for (unsigned out_stalls : { 0u, 128u, 252u }) {
			std::vector<word> in, want;
			for (int packet = 0; packet < 8; packet++)
				for (unsigned left = 1 + rng() % 7; left > 0; left--) {
					bytes block = padded(random_message(rng() % 56));
					put(in, block, left == 1);
					put(want, digest_of_block(block), left == 1);
				}
			stream(in, want, in_stalls, out_stalls);
		}
	ok("random_stalls_lose_nothing_and_keep_order");
}

/* A packet that ends within a block still ends, with one digest for what there was of it. */
static void a_broken_packet_ends_and_the_next_is_right()
{
	for (unsigned words = 1; words < 16; words++) {
		std::vector<word> in, want;
		bytes broken = random_message(4 * words), whole = padded(random_message(50));

		put(in, whole, false);
		put(in, broken, true);
		put(in, whole, true);
		broken.resize(64);
		put(want, digest_of_block(whole), false);
		put(want, digest_of_block(broken), true);
		put(want, digest_of_block(whole), true);
		stream(in, want, words % 2 * 100, words % 3 * 100);
	}
	ok("a_broken_packet_ends_and_the_next_is_right");
}

static void a_batch_takes_130_clocks_a_hash_and_core(unsigned blocks)
{
	std::vector<word> in, want;

	for (unsigned i = 0; i < blocks; i++) {
		bytes block = padded(random_message(rng() % 56));
		put(in, block, i == blocks - 1);
		put(want, digest_of_block(block), i == blocks - 1);
	}
	uint64_t took = stream(in, want, 0, 0);
	double each = (double)took / blocks;
	double limit = CORES > 8 ? 16.25 : 130.0 / CORES;

	printf("   %u blocks in %llu clocks: %.2f a hash, %.2f a hash and core; %zu bytes a hash\n", blocks,
		(unsigned long long)took, each, each * CORES, (in.size() + want.size()) * 4 / blocks);
	if (each > limit)
		FATAL("%.2f clocks a hash", each);
	ok("a_batch_takes_130_clocks_a_hash_and_core");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: axis_bench BLOCKS [SEED]\n");
		return 2;
	}
	rng.seed(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1);
	Verilated::randReset(2);
	for (int i = 0; i < 8; i++) {
		axis.aclk = i & 1;
		axis.aresetn = 0;
		axis.eval();
	}
	axis.aresetn = 1;

	every_length_of_one_block_is_hashed();
	random_stalls_lose_nothing_and_keep_order();
	a_broken_packet_ends_and_the_next_is_right();
	a_batch_takes_130_clocks_a_hash_and_core((unsigned)strtoul(argv[1], NULL, 0));
	axis.final();
	return 0;
}
