/*
 * The bench of offload_top: published vectors and random items against the C references,
 * with random stalls on both sides, through the registers. Built with Voffload for one
 * choice of CORE and CORES.
 *
 * Usage: offload_bench ITEMS VECTORS [SEED]	(random items; a file of fpga/tb/offload)
 */
#include <string>

#include "offload_card.h"

extern "C" {
#include "cipher/aes128.h"
#include "cipher/chacha20.h"
#include "field/secp256k1.h"
#include "sha3/cubehash256.h"
}

static card board;

enum { CHACHA20 = 1, AES128, SHA256D, CUBEHASH256, SECP256K1 };

/* What a core is, by its number: clocks an item with CORES of them side by side, and bytes. */
struct kind {
	size_t in, out;
	double clocks, stream;	/* of one core; what the stream allows */
};
static const kind kinds[] = {
	{ }, { 64, 64, 22, 4.01 }, { 16, 16, 1.01, 1.01 }, { 64, 32, 130, 16.25 }, { 32, 32, 192.5, 2.01 },
	{ 64, 32, 24, 4.01 },
};
static const kind self = kinds[CORE];

/* KEY, IV and OPERATION, as the driver has them. */
struct settings {
	uint8_t key[32], iv[16];
	uint32_t operation;
};

static void load(const settings &s)
{
	for (unsigned i = 0; i < 8; i++)
		board.write(OFFLOAD_KEY0 + 4 * i, load_le32(s.key + 4 * i));
	for (unsigned i = 0; i < 4; i++)
		board.write(OFFLOAD_IV0 + 4 * i, load_le32(s.iv + 4 * i));
	board.write(OFFLOAD_OPERATION, s.operation);
	board.write(OFFLOAD_CONTROL, OFFLOAD_CONTROL_LOAD);
}

static settings random_settings()
{
	settings s;
	bytes some = board.random_bytes(sizeof s.key + sizeof s.iv);

	memcpy(s.key, some.data(), sizeof s.key);
	memcpy(s.iv, &some[sizeof s.key], sizeof s.iv);
	if (CORE == CHACHA20)
		s.iv[15] &= 0x7f;	/* its numbers must not wrap */
	if (CORE == AES128 && board.rng() % 4 == 0)
		memset(s.iv + 4, 0xff, 12);	/* a carry goes far */
	s.operation = board.rng() % (CORE == SECP256K1 ? 3 : 2);
	return s;
}

static void sha256d_of_block(uint8_t out[32], const uint8_t block[64])
{
	uint32_t state[8];
	uint8_t first[32];

	memcpy(state, sha256_iv, sizeof state);
	sha256_compress(state, block);
	for (unsigned i = 0; i < 8; i++)
		store_be32(first + 4 * i, state[i]);
	sha256(out, first, sizeof first);
}

/* What must come of `in`, whose first item is number `first`. */
static bytes reference(const settings &s, const bytes &in, uint64_t first = 0)
{
	bytes out(in.size() / self.in * self.out);

	if (CORE == CHACHA20) {
		struct chacha20 cipher;
		chacha20_init(&cipher, s.key, s.iv);
		chacha20_xor(&cipher, load_le32(s.iv + 12) + (uint32_t)first, out.data(), in.data(), in.size());
	} else if (CORE == AES128) {
		struct aes128 cipher;
		uint8_t counter[16];
		aes128_init(&cipher, s.key);
		aes128_ctr_at(counter, s.iv, first);
		if (s.operation)
			aes128_ctr(&cipher, counter, out.data(), in.data(), in.size());
		else
			for (size_t i = 0; i < in.size(); i += 16)
				aes128_encrypt(&cipher, &out[i], &in[i]);
	} else if (CORE == SHA256D) {
		for (size_t i = 0; i < in.size() / 64; i++)
			sha256d_of_block(&out[32 * i], &in[64 * i]);
	} else if (CORE == CUBEHASH256) {
		for (size_t i = 0; i < in.size() / 32; i++)
			cubehash256(&out[32 * i], &in[32 * i], 32);
	}
	for (size_t i = 0; CORE == SECP256K1 && i < in.size() / 64; i++) {
		struct secp256k1_element a, b;
		secp256k1_load(&a, &in[64 * i]);
		secp256k1_load(&b, &in[64 * i + 32]);
		(s.operation == 0 ? secp256k1_add : s.operation == 1 ? secp256k1_sub : secp256k1_mul)(&a, &a, &b);
		secp256k1_store(&out[32 * i], &a);
	}
	return out;
}

/* Any bytes; of field elements many near 0 and p, and none above it. */
static bytes random_items(size_t count)
{
	bytes in = board.random_bytes(count * self.in);

	for (size_t i = 0; CORE == SECP256K1 && i < in.size(); i += 32) {
		struct secp256k1_element e;
		switch (board.rng() % 8) {
		case 0: memset(&in[i], 0, 28 + board.rng() % 5); break;
		case 1: memset(&in[i], 0xff, 24 + board.rng() % 5); break;
		case 2: memset(&in[i + board.rng() % 16], board.rng() % 2 ? 0xff : 0, 16); break;
		}
		if (!secp256k1_load(&e, &in[i]))
			secp256k1_store(&in[i], &e);
	}
	return in;
}

static void must_be(const bytes &got, const bytes &want, const char *what)
{
	for (size_t i = 0; i < want.size(); i++)
		if (got[i] != want[i])
			FATAL("%s: byte %zu is %02x, not %02x", what, i, got[i], want[i]);
}

static void the_registers_say_which_core_it_is()
{
	uint32_t caps = board.read(OFFLOAD_CAPS);

	if (board.read(OFFLOAD_ID) != 0x41444f46 || board.read(OFFLOAD_VERSION) >> 16 != 1 || board.read(OFFLOAD_CORE) != CORE)
		FATAL("ID, VERSION or CORE");
	if ((caps & OFFLOAD_CAPS_CORES) != CORES ||
			(caps & OFFLOAD_CAPS_ITEM_IN) >> OFFLOAD_CAPS_ITEM_IN_SHIFT != self.in ||
			(caps & OFFLOAD_CAPS_ITEM_OUT) >> OFFLOAD_CAPS_ITEM_OUT_SHIFT != self.out)
		FATAL("CAPS is %08x", caps);
	load(random_settings());
	for (unsigned i = 0; i < 8; i++)
		if (board.read(OFFLOAD_KEY0 + 4 * i) != 0)
			FATAL("a key can be read back");
	ok("the_registers_say_which_core_it_is");
}

/* The file's lines: "w REGISTER VALUE", "i WORD TLAST", "o WORD TLAST"; see offload_tb.v. */
static void published_vectors_hold(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[200], kind, text[40];
	unsigned first, last;
	bytes in, want;
	size_t words = 0;

	if (!file)
		FATAL("no file %s", path);
	while (fgets(line, sizeof line, file)) {
		bytes *to = line[0] == 'i' ? &in : &want;
		if (sscanf(line, "w %x %x", &first, &last) == 2)
			board.write(first, last);
		else if (sscanf(line, "%c %32s %x", &kind, text, &last) == 3 && (kind == 'i' || kind == 'o')) {
			for (unsigned i = 0, byte; i < 16 && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
				to->push_back((uint8_t)byte);
			if (kind == 'o' && last) {
				must_be(board.stream(in, 0, want.size(), 0, 100, 100), want, "vector");
				words += want.size() / 16;
				in.clear();
				want.clear();
			}
		}
	}
	fclose(file);
	if (words == 0 || !in.empty() || !want.empty())
		FATAL("%s is not whole", path);
	ok("published_vectors_hold");
}

/* Packets and stalls of all kinds, several under one key. */
static void random_items_agree_with_the_reference(unsigned items)
{
	for (unsigned done = 0; done < items; ) {
		settings s = random_settings();
		uint64_t first = 0;

		load(s);
		for (unsigned packets = 1 + board.rng() % 4; packets > 0; packets--) {
			static const unsigned stalls[] = { 0, 0, 128, 240 };
			bool crawls = board.rng() % 64 == 0;	/* what comes out waits for long */
			size_t each = 1 + board.rng() % (crawls ? 5 : 40), count = each * (1 + board.rng() % 4);
			bytes in = random_items(count);
			bytes out = board.stream(in, each * self.in, count * self.out, each * self.out,
				stalls[board.rng() % 4], crawls ? 255 : stalls[board.rng() % 4]);
			must_be(out, reference(s, in, first), "random item");
			first += count;
			done += (unsigned)count;
		}
	}
	if (board.read(OFFLOAD_STATUS) != 0)
		FATAL("still busy");
	ok("random_items_agree_with_the_reference");
}

static void a_long_packet_is_right_and_as_fast_as_it_should_be(unsigned items)
{
	settings s = random_settings();
	bytes in = random_items(items);
	uint64_t took;

	s.operation = CORE == SECP256K1 ? 2 : 1;
	load(s);
	uint32_t before = board.read(OFFLOAD_ITEMS);
	bytes out = board.stream(in, 0, (size_t)items * self.out, 0, 0, 0, &took);
	must_be(out, reference(s, in), "long packet");
	if (board.read(OFFLOAD_ITEMS) - before != items)
		FATAL("ITEMS counted %u of %u", board.read(OFFLOAD_ITEMS) - before, items);
	double each = (double)took / items, limit = self.clocks / CORES > self.stream ? self.clocks / CORES : self.stream;
	printf("   %u items in %llu clocks: %.3f an item, %.2f an item and core\n", items, (unsigned long long)took, each,
		each * CORES);
	if (each > limit + 400.0 / items)	/* the first one's way through */
		FATAL("%.3f clocks an item, at most %.3f", each, limit);
	ok("a_long_packet_is_right_and_as_fast_as_it_should_be");
}

/* A packet that ends within an item still ends, and the next is right. */
static void a_broken_packet_ends_and_the_next_is_right()
{
	settings s = random_settings();
	uint64_t first = 0;

	load(s);
	for (size_t broken = 16; broken < self.in; broken += 16) {
		bytes in = random_items(1), whole = random_items(3);
		in.resize(broken);
		bytes padded = in;
		padded.resize(self.in);
		bytes want = reference(s, padded, first);
		if (CORE == CHACHA20)
			want.resize(broken);
		must_be(board.stream(in, 0, want.size(), 0, 0, 128), want, "broken packet");
		must_be(board.stream(whole, 0, 3 * self.out, 0, 0, 0), reference(s, whole, first + 1), "packet after a broken one");
		first += 4;
	}
	ok("a_broken_packet_ends_and_the_next_is_right");
}

static void a_packet_raises_the_interrupt_once()
{
	bytes in = random_items(2);

	load(random_settings());
	board.write(OFFLOAD_IRQ_STATUS, ~0u);
	board.stream(in, 0, 2 * self.out, 0, 0, 0);
	board.clock();
	if (board.top.irq)
		FATAL("an interrupt that is not enabled");
	board.write(OFFLOAD_IRQ_ENABLE, OFFLOAD_IRQ_STATUS_PACKET);
	board.wait_irq();
	board.write(OFFLOAD_IRQ_STATUS, OFFLOAD_IRQ_STATUS_PACKET);
	board.clock();
	if (board.top.irq || board.read(OFFLOAD_IRQ_STATUS) != 0)
		FATAL("the interrupt stays");
	ok("a_packet_raises_the_interrupt_once");
}

/* What is inside when LOAD or RESET comes is gone, and does not come out with the next. */
static void reset_drops_what_is_inside()
{
	for (unsigned clocks = 1; clocks < 300; clocks += 7) {
		settings s = random_settings();
		bytes in = random_items(3);

		load(s);
		board.top.s_axis_tvalid = 1;
		board.top.s_axis_tlast = clocks & 1;
		for (unsigned i = 0; i < clocks; i++)
			board.clock();
		board.top.s_axis_tvalid = 0;
		if (clocks % 2)
			board.write(OFFLOAD_CONTROL, OFFLOAD_CONTROL_RESET);
		load(s);
		if (board.read(OFFLOAD_STATUS) != 0)
			FATAL("busy after LOAD");
		must_be(board.stream(in, 0, 3 * self.out, 0, 0, 0), reference(s, in), "packet after a reset");
	}
	ok("reset_drops_what_is_inside");
}

static void start_writing(uint64_t address, uint32_t blocks)
{
	board.write(OFFLOAD_COUNT, blocks);
	board.write(OFFLOAD_ADDRESS_LOW, (uint32_t)address);
	board.write(OFFLOAD_ADDRESS_HIGH, (uint32_t)(address >> 32));
	board.write(OFFLOAD_IRQ_STATUS, ~0u);
	board.write(OFFLOAD_IRQ_ENABLE, OFFLOAD_IRQ_STATUS_DONE);
	board.write(OFFLOAD_CONTROL, OFFLOAD_CONTROL_START);
}

static void pads_reach_memory_and_the_interrupt_tells(unsigned blocks)
{
	for (unsigned round = 0; round < 40; round++) {
		settings s = random_settings();
		uint32_t count = round == 0 ? blocks : 1 + board.rng() % 100;
		bytes zeros(64 * (size_t)count), guard = board.random_bytes(zeros.size() + 512), want = guard;
		static const unsigned stalls[] = { 0, 128, 230 };

		board.base = (((uint64_t)board.rng() << 32 | board.rng()) & ~(uint64_t)63) - 256;
		board.memory = guard;
		board.memory_stalls = stalls[round % 3];
		board.bursts = 0;
		load(s);
		uint64_t begin = board.clocks;
		start_writing(board.base + 256, count);
		board.wait_irq();
		if (round == 0) {
			double each = (double)(board.clocks - begin) / count;
			printf("   %u blocks into memory: %.3f clocks each, %u bursts\n", count, each, board.bursts);
			if (each > (CORES < 5 ? 22.0 / CORES : 4.5))
				FATAL("%.3f clocks a block", each);
		}
		bytes pads = reference(s, zeros);
		memcpy(&want[256], pads.data(), pads.size());
		must_be(board.memory, want, "memory");
		if (board.read(OFFLOAD_STATUS) != 0 || board.read(OFFLOAD_IRQ_STATUS) != OFFLOAD_IRQ_STATUS_DONE)
			FATAL("IRQ_STATUS is %u", board.read(OFFLOAD_IRQ_STATUS));
	}
	ok("pads_reach_memory_and_the_interrupt_tells");
}

static void an_error_of_memory_is_told()
{
	load(random_settings());
	board.memory_fails = true;
	start_writing(board.base, 1);
	board.wait_irq();
	board.memory_fails = false;
	if (!(board.read(OFFLOAD_IRQ_STATUS) & OFFLOAD_IRQ_STATUS_ERROR))
		FATAL("IRQ_STATUS is %u", board.read(OFFLOAD_IRQ_STATUS));
	ok("an_error_of_memory_is_told");
}

/* RESET in a write: the burst ends as the bus wants it, and the stream works afterwards. */
static void a_write_can_be_abandoned()
{
	board.memory_stalls = 100;
	for (unsigned clocks = 0; clocks < 400; clocks += 3) {
		settings s = random_settings();
		bytes in = random_items(3);

		board.memory = board.random_bytes(64 * 200);
		load(s);
		start_writing(board.base, 200);
		for (unsigned i = 0; i < clocks; i++)
			board.clock();
		board.write(OFFLOAD_CONTROL, OFFLOAD_CONTROL_RESET);
		for (unsigned quiet = 0; board.read(OFFLOAD_STATUS) & OFFLOAD_STATUS_BUSY; )
			if (++quiet > 10000)
				FATAL("still busy after RESET");
		if (board.read(OFFLOAD_IRQ_STATUS) & OFFLOAD_IRQ_STATUS_DONE)
			FATAL("DONE after RESET");
		load(s);
		must_be(board.stream(in, 0, 3 * self.out, 0, 0, 0), reference(s, in), "packet after an abandoned write");
	}
	ok("a_write_can_be_abandoned");
}

static void registers_alone_compute_one_result()
{
	for (unsigned round = 0; round < 300; round++) {
		settings s = random_settings();
		bytes pair = random_items(1), got(32);

		s.operation = round % 3;
		memcpy(s.key, pair.data(), 32);
		load(s);
		for (unsigned i = 0; i < 8; i++)
			board.write(OFFLOAD_B0 + 4 * i, load_le32(&pair[32 + 4 * i]));
		board.write(OFFLOAD_IRQ_STATUS, ~0u);
		board.write(OFFLOAD_IRQ_ENABLE, OFFLOAD_IRQ_STATUS_DONE);
		board.write(OFFLOAD_CONTROL, OFFLOAD_CONTROL_START);
		board.wait_irq();
		for (unsigned i = 0; i < 8; i++)
			store_le32(&got[4 * i], board.read(OFFLOAD_RESULT0 + 4 * i));
		must_be(got, reference(s, pair), "RESULT");
		if (board.read(OFFLOAD_STATUS) != 0 || board.read(OFFLOAD_IRQ_STATUS) != OFFLOAD_IRQ_STATUS_DONE)
			FATAL("IRQ_STATUS is %u", board.read(OFFLOAD_IRQ_STATUS));
		pair = random_items(2);
		must_be(board.stream(pair, 0, 64, 0, 0, 0), reference(s, pair), "packet after a single pair");
	}
	ok("registers_alone_compute_one_result");
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: offload_bench ITEMS VECTORS [SEED]\n");
		return 2;
	}
	unsigned items = (unsigned)strtoul(argv[1], NULL, 0);

	board.rng.seed(argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 1);
	the_registers_say_which_core_it_is();
	published_vectors_hold(argv[2]);
	random_items_agree_with_the_reference(items / 2);
	a_long_packet_is_right_and_as_fast_as_it_should_be(items / 2);
	if (self.in > 16)
		a_broken_packet_ends_and_the_next_is_right();
	a_packet_raises_the_interrupt_once();
	reset_drops_what_is_inside();
	if (CORE == CHACHA20) {
		pads_reach_memory_and_the_interrupt_tells(items / 10);
		an_error_of_memory_is_told();
		a_write_can_be_abandoned();
	}
	if (CORE == SECP256K1)
		registers_alone_compute_one_result();
	board.top.final();
	return 0;
}
