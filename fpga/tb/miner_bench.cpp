/*
 * The bench of miner_top, played as a driver would over AXI4-Lite, with random stalls on
 * the bus: registers, hits and their tags, the queue, interrupts, counters, job switches.
 * Built with Vminer for one choice of CORES, DEPTH and HITS_LOG2, which are given to it.
 *
 * Usage: miner_bench NONCES [SEED]	(nonces of the long search)
 */
#include <map>
#include <set>
#include <vector>

#include "Vminer.h"
#include "fpga/regs.h"
#include "reference.h"
#include "verilated.h"

static const unsigned clocks_a_hash = DEPTH == 0 ? 124 : 128 / (DEPTH == 0 ? 1 : DEPTH);

static Vminer miner;
static std::mt19937 rng;
static uint64_t clocks;
static unsigned stalls;		/* of 256 clocks, on each channel */
static unsigned writes;

static bool stalled() { return rng() % 256 < stalls; }

static void tick()
{
	miner.aclk = 0;
	miner.eval();
	miner.aclk = 1;
	miner.eval();
	clocks++;
}

static void idle(unsigned n)
{
	while (n-- > 0)
		tick();
}

static void write_strobes(unsigned reg, uint32_t value, unsigned strobes)
{
	bool addr_sent = false, data_sent = false, answered = false;

	miner.s_axil_awaddr = reg;
	miner.s_axil_wdata = value;
	miner.s_axil_wstrb = strobes;
	for (unsigned i = 0; !answered; i++) {
		if (i > 1000)
			FATAL("write to %03x is not answered", reg);
		if (!addr_sent && !miner.s_axil_awvalid)
			miner.s_axil_awvalid = !stalled();
		if (!data_sent && !miner.s_axil_wvalid)
			miner.s_axil_wvalid = !stalled();
		miner.s_axil_bready = !stalled();
		miner.eval();
		bool addr = miner.s_axil_awvalid && miner.s_axil_awready;
		bool data = miner.s_axil_wvalid && miner.s_axil_wready;
		answered = miner.s_axil_bvalid && miner.s_axil_bready;
		if (answered && miner.s_axil_bresp != 0)
			FATAL("write to %03x is answered %u", reg, miner.s_axil_bresp);
		tick();
		if (addr) {
			addr_sent = true;
			miner.s_axil_awvalid = 0;
		}
		if (data) {
			data_sent = true;
			miner.s_axil_wvalid = 0;
		}
	}
	miner.s_axil_bready = 0;
	writes++;
}

static void write(unsigned reg, uint32_t value) { write_strobes(reg, value, 15); }

static uint32_t read(unsigned reg)
{
	bool sent = false;

	miner.s_axil_araddr = reg;
	for (unsigned i = 0;; i++) {
		if (i > 1000)
			FATAL("read of %03x is not answered", reg);
		if (!sent && !miner.s_axil_arvalid)
			miner.s_axil_arvalid = !stalled();
		miner.s_axil_rready = !stalled();
		miner.eval();
		bool taken = miner.s_axil_arvalid && miner.s_axil_arready;
		bool answered = miner.s_axil_rvalid && miner.s_axil_rready;
		uint32_t value = miner.s_axil_rdata;
		tick();
		if (taken) {
			sent = true;
			miner.s_axil_arvalid = 0;
		}
		if (answered) {
			miner.s_axil_rready = 0;
			return value;
		}
	}
}

static void set_job(const job &j, uint32_t tag, uint32_t target, uint32_t first, uint32_t last)
{
	for (unsigned i = 0; i < 8; i++)
		write(FPGA_JOB_MIDSTATE0 + 4 * i, j.midstate[i]);
	for (unsigned i = 0; i < 3; i++)
		write(FPGA_JOB_TAIL0 + 4 * i, j.tail[i]);
	write(FPGA_JOB_TAG, tag);
	write(FPGA_JOB_TARGET, target);
	write(FPGA_JOB_FIRST, first);
	write(FPGA_JOB_LAST, last);
}

static void start(const job &j, uint32_t tag, uint32_t target, uint32_t first, uint32_t last)
{
	set_job(j, tag, target, first, last);
	write(FPGA_CONTROL, FPGA_CONTROL_START);
}

typedef std::multiset<std::pair<uint32_t, uint32_t>> hits;	/* tag, nonce */

static void drain(hits &to)
{
	while (read(FPGA_STATUS) & FPGA_STATUS_HIT) {
		uint32_t tag = read(FPGA_HIT_TAG);
		to.emplace(tag, read(FPGA_HIT_NONCE));
	}
}

/* Serve interrupts until the job is exhausted. */
static hits serve()
{
	hits found;

	for (unsigned i = 0; i < 2000000; i++) {
		if (!miner.irq) {
			tick();
			continue;
		}
		i = 0;
		uint32_t status = read(FPGA_IRQ_STATUS);
		write(FPGA_IRQ_STATUS, status);
		drain(found);
		if (status & FPGA_IRQ_STATUS_EXHAUSTED) {
			if (read(FPGA_STATUS) & FPGA_STATUS_BUSY)
				FATAL("exhausted and busy");
			return found;
		}
	}
	FATAL("no interrupt any more");
}

static hits expected(const job &j, uint32_t tag, uint32_t target, uint32_t first, uint32_t last)
{
	hits want;

	for (uint32_t n = first;; n++) {
		if (j.top_word(n) <= target)
			want.emplace(tag, n);
		if (n == last)
			return want;
	}
}

static void enable_interrupts() { write(FPGA_IRQ_ENABLE, FPGA_IRQ_STATUS_HIT | FPGA_IRQ_STATUS_EXHAUSTED); }

static void reset()
{
	miner.aresetn = 0;
	idle(4);
	miner.aresetn = 1;
}

static void the_miner_says_what_it_is()
{
	uint32_t caps = read(FPGA_CAPS);

	if (read(FPGA_ID) != 0x41444954 || read(FPGA_VERSION) >> 16 != 1)
		FATAL("identity %08x, version %08x", read(FPGA_ID), read(FPGA_VERSION));
	if ((caps & FPGA_CAPS_ALGO) != 1 || (caps & FPGA_CAPS_CORES) >> FPGA_CAPS_CORES_SHIFT != CORES ||
	    (caps & FPGA_CAPS_CLOCKS) >> FPGA_CAPS_CLOCKS_SHIFT != clocks_a_hash ||
	    (caps & FPGA_CAPS_HITS_LOG2) >> FPGA_CAPS_HITS_LOG2_SHIFT != HITS_LOG2)
		FATAL("capabilities %08x", caps);
	ok("the_miner_says_what_it_is");
}

/* Every register by regs.def's own table: reset values, what RO and RW mean, and the holes. */
static void registers_are_as_the_table_says()
{
	struct row { unsigned offset; const char *name, *access; uint32_t reset; };
	static const row rows[] = {
#define REG(offset, name, access, reset, meaning) { offset, #name, #access, reset },
#define FIELD(reg, name, low, width, meaning)
#include "fpga/regs.def"
	};
	std::map<unsigned, const row *> by_offset;

	for (const row &r : rows)
		by_offset[r.offset] = &r;
	for (unsigned offset = 0; offset < FPGA_REGS_LEN; offset += 4) {
		const row *r = by_offset.count(offset) ? by_offset[offset] : NULL;
		std::string access = r ? r->access : "RO";
		bool counts = r && std::string(r->name) == "CYCLES";
		uint32_t before, after, value = (uint32_t)rng();

		/* What popping, commands and interrupts do is tested below. */
		if (access == "POP" || access == "W1C" || access == "WO" || offset == FPGA_HIT_TAG)
			continue;
		before = read(offset);
		if (r && access == "RO" && !counts && offset != FPGA_CAPS && before != r->reset)
			FATAL("%s is %08x after reset", r->name, before);
		if (!r && before != 0)
			FATAL("hole at %03x reads %08x", offset, before);
		write(offset, value);
		after = read(offset);
		if (access == "RW" && after != (offset == FPGA_IRQ_ENABLE ? value & 3 : value))
			FATAL("%s keeps %08x of %08x", r->name, after, value);
		if (access == "RO" && !counts && after != before)
			FATAL("%03x is read only and changed from %08x to %08x", offset, before, after);
		if (access == "RW") {
			write_strobes(offset, ~value, 7);
			if (read(offset) != after)
				FATAL("%s takes a write of three bytes", r->name);
		}
	}
	if (read(FPGA_CONTROL) != 0)
		FATAL("CONTROL reads");
	write(FPGA_CONTROL, FPGA_CONTROL_RESET);
	if (read(FPGA_IRQ_ENABLE) != 0 || read(FPGA_STATUS) != 0 || read(FPGA_CYCLES) > 1000)
		FATAL("soft reset");
	ok("registers_are_as_the_table_says");
}

static void the_nonces_of_real_blocks_are_found()
{
	enable_interrupts();
	for (unsigned b = 0; b < sizeof real_blocks / sizeof *real_blocks; b++) {
		job j = real_job(b);
		start(j, 100 + b, 0, j.nonce - 50, j.nonce + 20);
		if (serve() != hits{ { 100 + b, j.nonce } })
			FATAL("real block in row %u", b);
	}
	ok("the_nonces_of_real_blocks_are_found");
}

static void random_jobs_are_exact()
{
	for (int i = 0; i < 30; i++) {
		static const uint32_t targets[] = { 0x3fffffff, 0xffffffff, 0x0fffffff, 0x00ffffff };
		job j = random_job(rng);
		uint32_t first = (uint32_t)rng(), last = first + rng() % 300, target = targets[i % 4];
		stalls = i % 3 * 80;
		start(j, (uint32_t)i, target, first, last);
		hits found = serve();
		if (found != expected(j, (uint32_t)i, target, first, last))
			FATAL("job %d: %zu hits", i, found.size());
	}
	stalls = 0;
	ok("random_jobs_are_exact");
}

/* More hits than the queue holds, and nobody looks: the search waits. */
static void a_full_queue_stalls_and_loses_nothing()
{
	job j = random_job(rng);
	hits found;

	start(j, 7, 0xffffffff, 1000, 1399);
	idle(400 * 130);
	if (!(read(FPGA_STATUS) & FPGA_STATUS_FULL))
		FATAL("the queue is not full");
	if (!(read(FPGA_STATUS) & FPGA_STATUS_BUSY) || read(FPGA_IRQ_STATUS) & FPGA_IRQ_STATUS_EXHAUSTED)
		FATAL("the search did not wait");
	found = serve();
	if (found != expected(j, 7, 0xffffffff, 1000, 1399))
		FATAL("%zu hits of 400", found.size());
	ok("a_full_queue_stalls_and_loses_nothing");
}

/* Jobs swapped at any moment, hits left lying across the swap: each hit is true for the job its tag names. */
static void no_hit_is_credited_to_the_wrong_job()
{
	/* Hits must not come faster than drain() takes them, or it never ends. */
	const uint32_t target = CORES * 4 > clocks_a_hash ? 0x07ffffff : 0x3fffffff;
	std::map<uint32_t, job> jobs;
	hits found;

	for (uint32_t tag = 1000; tag < 1150; tag++) {
		job j = random_job(rng);
		jobs.emplace(tag, j);
		start(j, tag, target, tag << 16, 0xffffffff);
		idle(rng() % (40 * clocks_a_hash + 400));
		if (rng() % 2)
			drain(found);
	}
	write(FPGA_CONTROL, FPGA_CONTROL_STOP);
	drain(found);
	for (auto &hit : found) {
		if (!jobs.count(hit.first) || jobs.at(hit.first).top_word(hit.second) > target)
			FATAL("tag %u, nonce %08x", hit.first, hit.second);
		if (hit.second < hit.first << 16 || hit.second > (hit.first << 16) + 4000)
			FATAL("tag %u has nonce %08x", hit.first, hit.second);
		if (found.count(hit) != 1)
			FATAL("tag %u has nonce %08x twice", hit.first, hit.second);
	}
	if (found.size() < 100)
		FATAL("only %zu hits", found.size());
	write(FPGA_IRQ_STATUS, 3);
	ok("no_hit_is_credited_to_the_wrong_job");
}

/* Only START takes the JOB registers: writing the next job does not disturb the running one. */
static void the_next_job_waits_in_its_registers()
{
	job j = random_job(rng);

	start(j, 1, 0x0fffffff, 0, 999);
	set_job(random_job(rng), 2, 0xffffffff, 5, 6);
	if (serve() != expected(j, 1, 0x0fffffff, 0, 999))
		FATAL("the running job changed");
	ok("the_next_job_waits_in_its_registers");
}

/* An exhausted interrupt not served yet must not be taken for the new job's. */
static void start_forgets_that_the_old_job_was_exhausted()
{
	start(random_job(rng), 1, 0, 0, 0);
	idle(1000);
	if (!miner.irq)
		FATAL("no interrupt");
	start(random_job(rng), 2, 0, 0, 0xffffffff);
	if (read(FPGA_IRQ_STATUS) != 0 || miner.irq)
		FATAL("interrupt status %x", read(FPGA_IRQ_STATUS));
	write(FPGA_CONTROL, FPGA_CONTROL_STOP);
	idle(1000);
	if (read(FPGA_STATUS) & FPGA_STATUS_BUSY || read(FPGA_IRQ_STATUS) != 0)
		FATAL("a stopped job is busy or exhausted");
	ok("start_forgets_that_the_old_job_was_exhausted");
}

static void interrupts_come_only_where_enabled()
{
	job j = random_job(rng);
	hits found;

	write(FPGA_IRQ_ENABLE, 0);
	start(j, 1, 0xffffffff, 0, 0);
	idle(1000);
	if (miner.irq || read(FPGA_IRQ_STATUS) != 3)
		FATAL("status %x", read(FPGA_IRQ_STATUS));
	write(FPGA_IRQ_ENABLE, FPGA_IRQ_STATUS_HIT);
	idle(2);
	if (!miner.irq)
		FATAL("hit not enabled");
	write(FPGA_IRQ_STATUS, FPGA_IRQ_STATUS_HIT);
	idle(2);
	if (miner.irq || read(FPGA_IRQ_STATUS) != FPGA_IRQ_STATUS_EXHAUSTED)
		FATAL("writing one clears %x", read(FPGA_IRQ_STATUS));
	drain(found);
	if (found.size() != 1)
		FATAL("%zu hits", found.size());
	write(FPGA_CONTROL, FPGA_CONTROL_RESET);
	enable_interrupts();
	ok("interrupts_come_only_where_enabled");
}

static void a_soft_reset_clears_all_but_the_job()
{
	job j = random_job(rng);

	start(j, 9, 0xffffffff, 0, 0xffffffff);
	idle(40 * clocks_a_hash + 400);
	write(FPGA_CONTROL, FPGA_CONTROL_RESET);
	idle(1000);
	if (read(FPGA_STATUS) != 0 || read(FPGA_HASHES) != 0 || read(FPGA_BUSY_CYCLES) != 0 || miner.irq)
		FATAL("status %x, %u hashes", read(FPGA_STATUS), read(FPGA_HASHES));
	if (read(FPGA_JOB_TAG) != 9)
		FATAL("the job is gone");
	enable_interrupts();
	write(FPGA_JOB_LAST, 99);
	write(FPGA_CONTROL, FPGA_CONTROL_START);
	if (serve() != expected(j, 9, 0xffffffff, 0, 99))
		FATAL("hits after reset");
	ok("a_soft_reset_clears_all_but_the_job");
}

/* Hashes counted while one job is swapped for another: what is missing at full speed is idle time. */
static void a_job_switch_takes_few_writes_and_idles_little()
{
	job j = random_job(rng);
	unsigned before, window = 4000 + 2 * 65 * 64;
	uint32_t hashes, idle_clocks;

	start(j, 1, 0, 0, 0xffffffff);
	idle(2 * window);
	before = writes;
	set_job(random_job(rng), 2, 0, 0, 0xffffffff);
	hashes = read(FPGA_HASHES);
	uint64_t begin = clocks;
	write(FPGA_CONTROL, FPGA_CONTROL_START);
	before = writes - before;
	idle(window);
	hashes = read(FPGA_HASHES) - hashes;
	/* Hashes in flight at the swap are abandoned and those at the end not counted: (DEPTH + 1) a core, once. */
	uint32_t possible = (uint32_t)(clocks - begin) * CORES / clocks_a_hash;
	uint32_t in_flight = CORES * (DEPTH + 1);
	idle_clocks = possible > hashes + in_flight ? (possible - hashes - in_flight) * clocks_a_hash / CORES : 0;
	if (before > 24 || idle_clocks > 200)
		FATAL("%u writes, %u clocks", before, idle_clocks);
	write(FPGA_CONTROL, FPGA_CONTROL_STOP);
	printf("   %u writes, %u clocks idle\n", before, idle_clocks);
	ok("a_job_switch_takes_few_writes_and_idles_little");
}

static void a_long_search_keeps_all_cores_busy(uint32_t count)
{
	job j = random_job(rng);
	uint32_t first = (uint32_t)rng(), target = 0x001fffff;

	write(FPGA_CONTROL, FPGA_CONTROL_RESET);
	enable_interrupts();
	start(j, 77, target, first, first + count - 1);
	if (serve() != expected(j, 77, target, first, first + count - 1))
		FATAL("hits differ");
	uint32_t busy = read(FPGA_BUSY_CYCLES), hashes = read(FPGA_HASHES);
	double share = (double)hashes * clocks_a_hash / CORES / busy;

	if (hashes != count)
		FATAL("%u hashes of %u", hashes, count);
	if (count >= 1u << 20 && share < 0.999)
		FATAL("%.4f busy", share);
	printf("   %u nonces in %u clocks: %.3f %% of %u cores' time\n", hashes, busy, 100 * share, (unsigned)CORES);
	ok("a_long_search_keeps_all_cores_busy");
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: miner_bench NONCES [SEED]\n");
		return 2;
	}
	rng.seed(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1);
	Verilated::randReset(2);
	reset();

	the_miner_says_what_it_is();
	registers_are_as_the_table_says();
	the_nonces_of_real_blocks_are_found();
	random_jobs_are_exact();
	a_full_queue_stalls_and_loses_nothing();
	no_hit_is_credited_to_the_wrong_job();
	the_next_job_waits_in_its_registers();
	start_forgets_that_the_old_job_was_exhausted();
	interrupts_come_only_where_enabled();
	a_soft_reset_clears_all_but_the_job();
	a_job_switch_takes_few_writes_and_idles_little();
	a_long_search_keeps_all_cores_busy((uint32_t)strtoul(argv[1], NULL, 0));
	miner.final();
	return 0;
}
