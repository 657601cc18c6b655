/*
 * Clocking the Verilated models: see rtl.h. A parameter of the RTL makes a model of its own,
 * by fpga/sim/model.sh; the table at the end has all designs that are built.
 */
#include "fpga/sim/rtl.h"

#include <cstring>
#include <deque>
#include <new>

#include "aes128_1.dir/Vaes128_1.h"
#include "chacha20_2.dir/Vchacha20_2.h"
#include "cubehash256_4.dir/Vcubehash256_4.h"
#include "fpga/offload_regs.h"
#include "fpga/regs.h"
#include "miner_0.dir/Vminer_0.h"
#include "miner_16.dir/Vminer_16.h"
#include "miner_2.dir/Vminer_2.h"
#include "miner_32.dir/Vminer_32.h"
#include "miner_4.dir/Vminer_4.h"
#include "miner_64.dir/Vminer_64.h"
#include "miner_8.dir/Vminer_8.h"
#include "secp256k1_1.dir/Vsecp256k1_1.h"
#include "sha256d_4.dir/Vsha256d_4.h"
#include "stream_4.dir/Vstream_4.h"
#include "verilated.h"

/* A design, of whatever models. */
struct rtl {
	const bool mines;
	const unsigned word;		/* bytes, of its stream */

	rtl(bool is_miner, unsigned word_bytes) : mines(is_miner), word(word_bytes) {}
	virtual ~rtl() {}
	virtual bool irq() const = 0;
	virtual bool busy() = 0;
	virtual void clock() = 0;
	virtual uint32_t read(unsigned offset) = 0;
	virtual void write(unsigned offset, uint32_t value) = 0;
	virtual void stream_clock(struct rtl_stream *) = 0;
	virtual void stream_reset() = 0;
};

namespace {

const unsigned reset_clocks = 4;
const unsigned addr_mask = FPGA_REGS_LEN - 1;		/* the address wires there are; above them registers repeat */
static_assert(FPGA_REGS_LEN == OFFLOAD_REGS_LEN, "both kinds have as many");

/* What all tops have in common: a clock and a reset. */
template <class Top> struct clocked {
	VerilatedContext context;
	Top top{ &context };

	void clock()
	{
		top.aclk = 0;
		top.eval();
		top.aclk = 1;
		top.eval();
	}
	void reset()
	{
		top.aresetn = 0;
		for (unsigned i = 0; i < reset_clocks; i++)
			clock();
		top.aresetn = 1;
	}
	~clocked() { top.final(); }
};

/* A top with registers. */
template <class Top> struct design : rtl {
	clocked<Top> model;

	design(bool is_miner, unsigned word_bytes) : rtl(is_miner, word_bytes) { model.reset(); }
	bool irq() const override { return model.top.irq; }

	/* The slave's ready does not wait for our valid, so what is seen before the edge holds at it. */
	uint32_t read(unsigned offset) override
	{
		Top &top = model.top;

		top.s_axil_araddr = offset & addr_mask;
		top.s_axil_arvalid = 1;
		top.s_axil_rready = 1;
		for (bool taken = false; !taken; ) {
			taken = top.s_axil_arready;
			clock();
		}
		top.s_axil_arvalid = 0;
		while (!top.s_axil_rvalid)
			clock();
		uint32_t value = top.s_axil_rdata;
		clock();
		top.s_axil_rready = 0;
		return value;
	}

	void write(unsigned offset, uint32_t value) override
	{
		Top &top = model.top;

		top.s_axil_awaddr = offset & addr_mask;
		top.s_axil_wdata = value;
		top.s_axil_wstrb = 0xf;
		top.s_axil_awvalid = 1;
		top.s_axil_wvalid = 1;
		top.s_axil_bready = 1;
		while (top.s_axil_awvalid || top.s_axil_wvalid) {
			bool addr = top.s_axil_awready, data = top.s_axil_wready;
			clock();
			if (addr)
				top.s_axil_awvalid = 0;
			if (data)
				top.s_axil_wvalid = 0;
		}
		while (!top.s_axil_bvalid)
			clock();
		clock();
		top.s_axil_bready = 0;
	}
};

/* miner_top, and sha256d_axis for its stream. */
template <class Top> struct miner : design<Top> {
	clocked<Vstream_4> batch;

	miner() : design<Top>(true, sizeof batch.top.s_axis_tdata) { batch.reset(); }
	bool busy() override { return this->read(FPGA_STATUS) & FPGA_STATUS_BUSY; }
	void clock() override { this->model.clock(); }
	void stream_reset() override { batch.reset(); }

	void stream_clock(struct rtl_stream *wires) override
	{
		Vstream_4 &top = batch.top;

		top.s_axis_tvalid = wires->in_valid;
		memcpy(&top.s_axis_tdata, wires->in, sizeof top.s_axis_tdata);
		top.s_axis_tlast = wires->in_last;
		top.m_axis_tready = wires->out_ready;
		top.aclk = 0;
		top.eval();
		wires->in_taken = wires->in_valid && top.s_axis_tready;
		wires->out_taken = wires->out_ready && top.m_axis_tvalid;
		memcpy(wires->out, &top.m_axis_tdata, sizeof top.m_axis_tdata);
		wires->out_last = top.m_axis_tlast;
		top.aclk = 1;
		top.eval();
		clock();
	}
};

/* offload_top, and the memory that it may write to, which takes a word in each clock and answers a burst in the next. */
template <class Top> struct offload : design<Top> {
	struct burst {
		uint64_t addr;
		unsigned beats;
		bool failed;
	};
	std::deque<burst> bursts;	/* addressed, and not answered yet */
	rtl_store_fn *store;
	void *ctx;

	offload(rtl_store_fn *to, void *with) : design<Top>(false, sizeof this->model.top.s_axis_tdata), store(to), ctx(with) {}
	bool busy() override { return this->read(OFFLOAD_STATUS) & OFFLOAD_STATUS_BUSY; }
	void stream_reset() override {}

	void clock() override
	{
		struct rtl_stream idle = {};

		stream_clock(&idle);
	}

	void stream_clock(struct rtl_stream *wires) override
	{
		Top &top = this->model.top;

		top.s_axis_tvalid = wires->in_valid;
		memcpy(&top.s_axis_tdata, wires->in, sizeof top.s_axis_tdata);
		top.s_axis_tlast = wires->in_last;
		top.m_axis_tready = wires->out_ready;
		top.m_axi_awready = 1;
		top.m_axi_wready = 1;
		top.aclk = 0;
		top.eval();
		wires->in_taken = wires->in_valid && top.s_axis_tready;
		wires->out_taken = wires->out_ready && top.m_axis_tvalid;
		memcpy(wires->out, &top.m_axis_tdata, sizeof top.m_axis_tdata);
		wires->out_last = top.m_axis_tlast;
		take_burst();
		bool answered = top.m_axi_bvalid && top.m_axi_bready;
		top.aclk = 1;
		top.eval();
		answer(answered);
	}

	/* What memory sees of a burst at this edge. Its address comes before its data. */
	void take_burst()
	{
		Top &top = this->model.top;

		if (top.m_axi_awvalid)
			bursts.push_back({ top.m_axi_awaddr, top.m_axi_awlen + 1u, false });
		if (!top.m_axi_wvalid)
			return;
		for (burst &b : bursts) {
			if (b.beats == 0)
				continue;
			uint8_t bytes[RTL_WORD_MAX];
			memcpy(bytes, &top.m_axi_wdata, sizeof bytes);
			if (top.m_axi_wstrb && !store(ctx, b.addr, bytes))
				b.failed = true;
			b.addr += RTL_WORD_MAX;
			b.beats--;
			break;
		}
	}

	void answer(bool answered)
	{
		Top &top = this->model.top;

		if (answered)
			bursts.pop_front();
		top.m_axi_bvalid = !bursts.empty() && bursts.front().beats == 0;
		top.m_axi_bresp = top.m_axi_bvalid && bursts.front().failed ? 3 : 0;	/* DECERR */
	}
};

template <class Top> struct rtl *new_miner(rtl_store_fn *, void *) { return new miner<Top>; }
template <class Top> struct rtl *new_offload(rtl_store_fn *store, void *ctx) { return new offload<Top>(store, ctx); }

const struct {
	const char *name;
	struct rtl *(*make)(rtl_store_fn *, void *);
} designs[] = {
	{ "0", new_miner<Vminer_0> }, { "2", new_miner<Vminer_2> }, { "4", new_miner<Vminer_4> }, { "8", new_miner<Vminer_8> },
	{ "16", new_miner<Vminer_16> }, { "32", new_miner<Vminer_32> }, { "64", new_miner<Vminer_64> },
	{ "chacha20", new_offload<Vchacha20_2> }, { "aes128", new_offload<Vaes128_1> }, { "sha256d", new_offload<Vsha256d_4> },
	{ "cubehash256", new_offload<Vcubehash256_4> }, { "secp256k1", new_offload<Vsecp256k1_1> },
};

}

struct rtl *rtl_new(const char *design, rtl_store_fn *store, void *ctx)
{
	for (const auto &row : designs) {
		if (strcmp(row.name, design) != 0)
			continue;
		try {
			return row.make(store, ctx);
		} catch (const std::bad_alloc &) {
			return NULL;
		}
	}
	return NULL;
}

void rtl_free(struct rtl *rtl) { delete rtl; }
const char *rtl_designs(void) { return "0, 2, 4, 8, 16, 32, 64, chacha20, aes128, sha256d, cubehash256, secp256k1"; }
bool rtl_mines(const struct rtl *rtl) { return rtl->mines; }
uint32_t rtl_read(struct rtl *rtl, unsigned offset) { return rtl->read(offset); }
void rtl_write(struct rtl *rtl, unsigned offset, uint32_t value) { rtl->write(offset, value); }
bool rtl_busy(struct rtl *rtl) { return rtl->busy(); }
bool rtl_irq(const struct rtl *rtl) { return rtl->irq(); }
unsigned rtl_word(const struct rtl *rtl) { return rtl->word; }
void rtl_stream_clock(struct rtl *rtl, struct rtl_stream *wires) { rtl->stream_clock(wires); }
void rtl_stream_reset(struct rtl *rtl) { rtl->stream_reset(); }

void rtl_clock(struct rtl *rtl, unsigned n)
{
	const bool before = rtl->irq();

	while (n-- > 0 && (before || !rtl->irq()))
		rtl->clock();
}
