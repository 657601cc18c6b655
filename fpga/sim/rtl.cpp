/*
 * Clocking the Verilated models: see rtl.h. A depth is a parameter of the RTL, so each is a
 * model of its own, made by fpga/sim/model.sh; the table below has all that are built.
 */
#include "fpga/sim/rtl.h"

#include <new>

#include "fpga/regs.h"
#include "miner_0.dir/Vminer_0.h"
#include "miner_16.dir/Vminer_16.h"
#include "miner_2.dir/Vminer_2.h"
#include "miner_32.dir/Vminer_32.h"
#include "miner_4.dir/Vminer_4.h"
#include "miner_64.dir/Vminer_64.h"
#include "miner_8.dir/Vminer_8.h"
#include "stream_4.dir/Vstream_4.h"
#include "verilated.h"

namespace {

const unsigned reset_clocks = 4;
const unsigned addr_mask = FPGA_REGS_LEN - 1;		/* the address wires there are; above them registers repeat */

/* What both tops have in common: a clock and a reset. */
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

/* miner_top of any depth. */
struct miner {
	virtual ~miner() {}
	virtual bool irq() const = 0;
	virtual void clock() = 0;
	virtual void clock_until_irq(unsigned n) = 0;
	virtual uint32_t read(unsigned offset) = 0;
	virtual void write(unsigned offset, uint32_t value) = 0;
};

template <class Top> struct miner_of : miner {
	clocked<Top> model;

	miner_of() { model.reset(); }
	bool irq() const override { return model.top.irq; }
	void clock() override { model.clock(); }
	void clock_until_irq(unsigned n) override
	{
		const bool before = model.top.irq;

		while (n-- > 0 && (before || !model.top.irq))
			model.clock();
	}

	/* The slave's ready does not wait for our valid, so what is seen before the edge holds at it. */
	uint32_t read(unsigned offset) override
	{
		Top &top = model.top;

		top.s_axil_araddr = offset & addr_mask;
		top.s_axil_arvalid = 1;
		top.s_axil_rready = 1;
		for (bool taken = false; !taken; ) {
			taken = top.s_axil_arready;
			model.clock();
		}
		top.s_axil_arvalid = 0;
		while (!top.s_axil_rvalid)
			model.clock();
		uint32_t value = top.s_axil_rdata;
		model.clock();
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
			model.clock();
			if (addr)
				top.s_axil_awvalid = 0;
			if (data)
				top.s_axil_wvalid = 0;
		}
		while (!top.s_axil_bvalid)
			model.clock();
		model.clock();
		top.s_axil_bready = 0;
	}
};

template <class Top> miner *make() { return new miner_of<Top>; }

struct row {
	unsigned depth;
	miner *(*make)();
};
const row rows[] = {
	{ 0, make<Vminer_0> }, { 2, make<Vminer_2> }, { 4, make<Vminer_4> }, { 8, make<Vminer_8> },
	{ 16, make<Vminer_16> }, { 32, make<Vminer_32> }, { 64, make<Vminer_64> },
};

}

struct rtl {
	miner *search;
	clocked<Vstream_4> stream;

	explicit rtl(miner *of_depth) : search(of_depth) { stream.reset(); }
	~rtl() { delete search; }
};

struct rtl *rtl_new(unsigned depth)
{
	for (const row &r : rows) {
		if (r.depth != depth)
			continue;
		try {
			return new rtl(r.make());
		} catch (const std::bad_alloc &) {
			return NULL;
		}
	}
	return NULL;
}

void rtl_free(struct rtl *rtl) { delete rtl; }
const char *rtl_depths(void) { return "0, 2, 4, 8, 16, 32, 64"; }
uint32_t rtl_read(struct rtl *rtl, unsigned offset) { return rtl->search->read(offset); }
void rtl_write(struct rtl *rtl, unsigned offset, uint32_t value) { rtl->search->write(offset, value); }
bool rtl_irq(const struct rtl *rtl) { return rtl->search->irq(); }
void rtl_clock(struct rtl *rtl, unsigned n) { rtl->search->clock_until_irq(n); }
void rtl_stream_reset(struct rtl *rtl) { rtl->stream.reset(); }

void rtl_stream_clock(struct rtl *rtl, struct rtl_stream *wires)
{
	Vstream_4 &top = rtl->stream.top;

	top.s_axis_tvalid = wires->in_valid;
	top.s_axis_tdata = wires->in_data;
	top.s_axis_tlast = wires->in_last;
	top.m_axis_tready = wires->out_ready;
	top.aclk = 0;
	top.eval();
	wires->in_taken = wires->in_valid && top.s_axis_tready;
	wires->out_taken = wires->out_ready && top.m_axis_tvalid;
	wires->out_data = top.m_axis_tdata;
	wires->out_last = top.m_axis_tlast;
	top.aclk = 1;
	top.eval();
	rtl->search->clock();
}
