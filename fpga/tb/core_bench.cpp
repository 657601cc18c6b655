/*
 * The bench of a hash core (sha256d_ring, sha256d_iter) against the C reference: the same
 * for all, since they have one contract. Built with the core as Vcore and CLOCKS_A_HASH.
 *
 * Usage: core_bench NONCES [SEED]	(nonces of the long search)
 */
#include <set>
#include <vector>

#include "Vcore.h"
#include "reference.h"
#include "verilated.h"

static Vcore core;
static std::mt19937 rng;
static uint64_t clocks;

/* One clock. What a core answers is looked at before the edge, with the inputs as they were set. */
struct seen {
	bool accepted, hit, hashed, idle;
	uint32_t hit_nonce;
};

static seen tick()
{
	core.clk = 0;
	core.eval();
	seen s = { core.nonce_valid && core.nonce_ready, core.hit_valid && core.hit_ready,
		core.hashed != 0, core.idle != 0, core.hit_nonce };
	core.clk = 1;
	core.eval();
	clocks++;
	return s;
}

/* Words into a wide port, whose first word stands highest. */
template <typename port> static void set_words(port &to, const uint32_t *words, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = words[n - 1 - i];
}

static void load(const job &j, uint32_t target)
{
	core.nonce_valid = 0;
	core.hit_ready = 0;
	core.clear = 1;
	tick();
	core.clear = 0;
	set_words(core.midstate, j.midstate, 8);
	set_words(core.tail, j.tail, 3);
	core.target = target;
}

struct result {
	std::multiset<uint32_t> hits;
	uint64_t hashed = 0, clocks = 0;	/* from the first nonce taken to the last hashed */
};

/* Offer `count` nonces, stalling in `stalls` of 256 clocks on each side, and run until the core is idle. */
static result search(uint32_t first, uint64_t count, unsigned stalls)
{
	result r;
	uint64_t accepted = 0, begin = 0, quiet = 0;
	bool offering = false;

	for (;;) {
		/* An offer stands until it is taken. */
		offering = accepted < count && (offering || rng() % 256 >= stalls);
		core.nonce_valid = offering;
		core.nonce = offering ? first + (uint32_t)accepted : (uint32_t)rng();
		core.hit_ready = rng() % 256 >= stalls;
		seen s = tick();
		if (s.accepted) {
			if (accepted++ == 0)
				begin = clocks;
			offering = false;
		}
		if (s.hit)
			r.hits.insert(s.hit_nonce);
		if (s.hashed) {
			r.hashed++;
			r.clocks = clocks - begin;
		}
		if (s.idle && !s.accepted && accepted == count)
			return r;
		quiet = s.accepted || s.hit || s.hashed ? 0 : quiet + 1;
		if (quiet > 20000)
			FATAL("nothing happens any more after %llu nonces", (unsigned long long)accepted);
	}
}

static std::multiset<uint32_t> expected(const job &j, uint32_t first, uint64_t count, uint32_t target)
{
	std::multiset<uint32_t> hits;

	for (uint64_t i = 0; i < count; i++)
		if (j.top_word(first + (uint32_t)i) <= target)
			hits.insert(first + (uint32_t)i);
	return hits;
}

static void check(const job &j, uint32_t first, uint64_t count, uint32_t target, unsigned stalls)
{
	load(j, target);
	result r = search(first, count, stalls);
	std::multiset<uint32_t> want = expected(j, first, count, target);

	if (r.hashed != count)
		FATAL("%llu nonces hashed of %llu", (unsigned long long)r.hashed, (unsigned long long)count);
	if (r.hits != want)
		FATAL("nonces %08x + %llu, target %08x: %zu hits for %zu, or others", first,
			(unsigned long long)count, target, r.hits.size(), want.size());
}

static void the_nonces_of_real_blocks_are_found()
{
	for (unsigned b = 0; b < sizeof real_blocks / sizeof *real_blocks; b++) {
		job j = real_job(b);
		load(j, 0);
		result r = search(j.nonce - 40, 81, 0);
		if (r.hits != std::multiset<uint32_t>{ j.nonce })
			FATAL("real block in row %u", b);
	}
	ok("the_nonces_of_real_blocks_are_found");
}

/* A target one lower than a nonce's own top word must miss it: all 32 bits are right, and the compare. */
static void a_target_is_met_to_the_last_bit()
{
	for (int i = 0; i < 100; i++) {
		job j = random_job(rng);
		uint32_t nonce = (uint32_t)rng(), top = j.top_word(nonce);

		load(j, top);
		if (search(nonce, 1, 0).hits.count(nonce) != 1)
			FATAL("nonce %08x missed at its own top word %08x", nonce, top);
		load(j, top - 1);
		if (top > 0 && !search(nonce, 1, 0).hits.empty())
			FATAL("nonce %08x found below its top word %08x", nonce, top);
	}
	ok("a_target_is_met_to_the_last_bit");
}

static void random_stalls_lose_nothing()
{
	for (unsigned stalls : { 0u, 20u, 128u, 250u })
		for (uint32_t target : { 0u, 0x0fffffffu, 0x7fffffffu, 0xffffffffu })
			check(random_job(rng), (uint32_t)rng(), 50 + rng() % 400, target, stalls);
	check(random_job(rng), 0xffffffc0u, 128, 0x3fffffffu, 64);	/* through the end of the nonces */
	ok("random_stalls_lose_nothing");
}

/* Nobody takes the hits for long: the core stops taking nonces, and loses none. */
static void a_core_whose_hits_wait_stalls()
{
	job j = random_job(rng);
	uint32_t first = (uint32_t)rng(), accepted = 0;
	std::multiset<uint32_t> hits;

	load(j, 0xffffffffu);
	core.hit_ready = 0;
	for (int i = 0; i < 3000; i++) {
		core.nonce_valid = 1;
		core.nonce = first + accepted;
		accepted += tick().accepted;
	}
	if (accepted > 70)
		FATAL("%u nonces taken while no hit was", accepted);
	core.nonce_valid = 0;
	core.hit_ready = 1;
	for (int i = 0; i < 3000; i++) {
		seen s = tick();
		if (s.hit)
			hits.insert(s.hit_nonce);
	}
	if (hits != expected(j, first, accepted, 0xffffffffu))
		FATAL("%zu hits for %u nonces", hits.size(), accepted);
	if (!core.idle)
		FATAL("not idle after the last hit");
	ok("a_core_whose_hits_wait_stalls");
}

/* After clear, at any moment, only nonces of the new job come out. */
static void clear_abandons_the_old_job()
{
	for (int i = 0; i < 300; i++) {
		uint32_t old_first = 0x10000000, new_first = 0x20000000, accepted = 0;

		load(random_job(rng), 0xffffffffu);
		for (unsigned n = rng() % 600; n > 0; n--) {
			core.nonce_valid = 1;
			core.nonce = old_first + accepted;
			core.hit_ready = i % 2;
			accepted += tick().accepted;
		}
		check(random_job(rng), new_first, 1 + rng() % 150, 0x7fffffffu, 0);
	}
	ok("clear_abandons_the_old_job");
}

static void a_job_switch_idles_at_most_200_clocks()
{
	uint64_t worst = 0;

	for (int i = 0; i < 100; i++) {
		load(random_job(rng), 0);
		uint64_t begin = clocks;
		core.nonce_valid = 1;
		while (!tick().accepted)
			;
		if (clocks - begin > worst)
			worst = clocks - begin;
		for (unsigned n = rng() % 1000; n > 0; n--)
			tick();
	}
	if (worst > 200)
		FATAL("%llu clocks", (unsigned long long)worst);
	printf("   the first nonce is taken %llu clocks after clear\n", (unsigned long long)worst);
	ok("a_job_switch_idles_at_most_200_clocks");
}

/* And how many clocks each takes: exactly CLOCKS_A_HASH, but for the first's latency. */
static void a_long_search_is_exact(uint64_t count)
{
	job j = random_job(rng);
	uint32_t first = (uint32_t)rng(), target = 0x01ffffff;

	load(j, target);
	result r = search(first, count, 0);
	std::multiset<uint32_t> want = expected(j, first, count, target);
	double each = (double)r.clocks / (double)count;

	if (r.hits != want || r.hashed != count)
		FATAL("%zu hits for %zu in %llu nonces", r.hits.size(), want.size(), (unsigned long long)count);
	if (r.clocks > count * CLOCKS_A_HASH + 300)
		FATAL("%.4f clocks a hash for %d", each, CLOCKS_A_HASH);
	printf("   %llu nonces, %zu hits, %.4f clocks a hash, %.3f %% busy\n", (unsigned long long)count,
		r.hits.size(), each, 100 * CLOCKS_A_HASH / each);
	ok("a_long_search_is_exact");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: core_bench NONCES [SEED]\n");
		return 2;
	}
	rng.seed(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1);
	Verilated::randReset(2);

	the_nonces_of_real_blocks_are_found();
	a_target_is_met_to_the_last_bit();
	random_stalls_lose_nothing();
	a_core_whose_hits_wait_stalls();
	clear_abandons_the_old_job();
	a_job_switch_idles_at_most_200_clocks();
	a_long_search_is_exact(strtoull(argv[1], NULL, 0));
	core.final();
	return 0;
}
