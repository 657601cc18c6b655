/*
 * The Verilated offload_top as a bench sees it: registers, streams with random stalls on
 * both sides, and a memory behind m_axi that stalls at random, too. It checks the bus
 * rules itself: an offer stands until it is taken, bursts are as long as they say and stay
 * within 4 KiB, and nothing is written outside what is asked for.
 */
#ifndef FPGA_TB_OFFLOAD_CARD_H
#define FPGA_TB_OFFLOAD_CARD_H

#include <deque>
#include <vector>

#include "Voffload.h"
#include "fpga/offload_regs.h"
#include "reference.h"
#include "verilated.h"

typedef std::vector<uint8_t> bytes;

struct card {
	Voffload top;
	std::mt19937 rng;
	uint64_t clocks = 0;

	/* Memory: its first byte is at `base` on the bus. */
	uint64_t base = 0;
	bytes memory;
	unsigned memory_stalls = 0;	/* of 256 */
	bool memory_fails = false;	/* answer SLVERR */
	unsigned bursts = 0;

	card()
	{
		top.aresetn = 0;
		for (int i = 0; i < 8; i++)
			clock();
		top.aresetn = 1;
	}

	void clock()
	{
		top.aclk = 0;
		top.m_axi_awready = chance(memory_stalls);
		top.m_axi_wready = chance(memory_stalls);
		top.eval();
		if (top.aresetn)
			serve_memory();
		top.aclk = 1;
		top.eval();
		top.m_axi_bvalid = answering;
		clocks++;
	}

	uint32_t read(unsigned offset)
	{
		top.s_axil_araddr = offset;
		top.s_axil_arvalid = top.s_axil_rready = 1;
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

	void write(unsigned offset, uint32_t value)
	{
		top.s_axil_awaddr = offset;
		top.s_axil_wdata = value;
		top.s_axil_wstrb = 0xf;
		top.s_axil_awvalid = top.s_axil_wvalid = top.s_axil_bready = 1;
		clock();	/* an idle slave takes both at once */
		top.s_axil_awvalid = top.s_axil_wvalid = 0;
		while (!top.s_axil_bvalid)
			clock();
		clock();
		top.s_axil_bready = 0;
	}

	/*
	 * Send `in` as packets of `in_packet` bytes (multiples of 16; 0: one packet), and return the out_len bytes that come,
	 * whose packets must be of out_packet bytes. Stalls are of 256 clocks. *took: the clocks it took.
	 */
	bytes stream(const bytes &in, size_t in_packet, size_t out_len, size_t out_packet, unsigned in_stalls, unsigned out_stalls,
		uint64_t *took = NULL)
	{
		bytes out;
		size_t sent = 0;
		bool offering = false, held = false;
		uint8_t held_word[17];
		uint64_t begin = clocks, quiet = 0;

		in_packet = in_packet ? in_packet : in.size();
		out_packet = out_packet ? out_packet : out_len;
		while (out.size() < out_len) {
			offering = sent < in.size() && (offering || chance(in_stalls));
			top.s_axis_tvalid = offering;
			for (unsigned i = 0; i < 4; i++)
				top.s_axis_tdata[i] = offering ? load_le32(&in[sent + 4 * i]) : (uint32_t)rng();
			top.s_axis_tlast = offering ? (sent + 16) % in_packet == 0 : rng() & 1;
			top.m_axis_tready = chance(out_stalls);
			top.aclk = 0;
			top.eval();
			bool taken = offering && top.s_axis_tready;
			uint8_t word[17];
			for (unsigned i = 0; i < 4; i++)
				store_le32(word + 4 * i, top.m_axis_tdata[i]);
			word[16] = top.m_axis_tlast;
			if (held && (!top.m_axis_tvalid || memcmp(word, held_word, sizeof word) != 0))
				FATAL("what stands at byte %zu changed while it waited", out.size());
			held = top.m_axis_tvalid && !top.m_axis_tready;
			memcpy(held_word, word, sizeof word);
			if (top.m_axis_tvalid && top.m_axis_tready) {
				out.insert(out.end(), word, word + 16);
				if (word[16] != (out.size() % out_packet == 0))
					FATAL("tlast is %d after byte %zu of packets of %zu", word[16], out.size(), out_packet);
				quiet = 0;
			}
			clock();
			if (taken) {
				sent += 16;
				offering = false;
				quiet = 0;
			}
			if (++quiet > 100000)
				FATAL("nothing happens any more after %zu bytes in, %zu out", sent, out.size());
		}
		top.s_axis_tvalid = 0;
		top.m_axis_tready = 0;
		if (sent != in.size())
			FATAL("%zu bytes were taken of %zu", sent, in.size());
		if (took)
			*took = clocks - begin;
		return out;
	}

	/* Until the interrupt line is up. */
	void wait_irq()
	{
		for (unsigned quiet = 0; !top.irq; clock())
			if (++quiet > 10000000)
				FATAL("no interrupt comes");
	}

	bytes random_bytes(size_t len)
	{
		bytes some(len);

		for (uint8_t &byte : some)
			byte = (uint8_t)rng();
		return some;
	}

	bool chance(unsigned stalls) { return stalls == 0 || rng() % 256 >= stalls; }

private:
	struct burst {
		uint64_t address;
		unsigned beats;
	};
	struct beat {
		uint32_t data[4], strobe;
		bool last;
		bool operator!=(const beat &b) const { return memcmp(data, b.data, sizeof data) || strobe != b.strobe || last != b.last; }
	};
	std::deque<burst> addressed;
	std::deque<beat> data;
	unsigned complete = 0;		/* bursts to be answered */
	bool answering = false, aw_held = false, w_held = false;
	burst held_aw;
	beat held_w;

	/* What happens at this edge. */
	void serve_memory()
	{
		burst aw = { top.m_axi_awaddr, top.m_axi_awlen + 1u };
		beat w = { { 0 }, top.m_axi_wstrb, top.m_axi_wlast != 0 };

		for (unsigned i = 0; i < 4; i++)
			w.data[i] = top.m_axi_wdata[i];
		if (aw_held && (!top.m_axi_awvalid || aw.address != held_aw.address || aw.beats != held_aw.beats))
			FATAL("a burst's address changed while it waited");
		if (w_held && (!top.m_axi_wvalid || w != held_w))
			FATAL("a burst's data changed while they waited");
		aw_held = top.m_axi_awvalid && !top.m_axi_awready;
		w_held = top.m_axi_wvalid && !top.m_axi_wready;
		held_aw = aw;
		held_w = w;
		if (top.m_axi_awvalid && top.m_axi_awready) {
			if (aw.beats > 16 || aw.address % 16 || aw.address / 4096 != (aw.address + 16 * aw.beats - 1) / 4096)
				FATAL("a burst of %u beats at %llx", aw.beats, (unsigned long long)aw.address);
			addressed.push_back(aw);
			bursts++;
		}
		if (top.m_axi_wvalid && top.m_axi_wready)
			data.push_back(w);
		if (answering && top.m_axi_bready)
			answering = false;
		while (!addressed.empty() && !data.empty())
			store();
		if (!answering && complete > 0 && chance(memory_stalls)) {
			complete--;
			answering = true;
			top.m_axi_bresp = memory_fails ? 2 : 0;
		}
	}

	void store()
	{
		burst &b = addressed.front();
		beat w = data.front();

		data.pop_front();
		if (w.last != (b.beats == 1))
			FATAL("wlast is %d with %u beats to come", w.last, b.beats);
		if (w.strobe && (w.strobe != 0xffff || b.address < base || b.address + 16 > base + memory.size()))
			FATAL("a write to %llx, strobes %04x", (unsigned long long)b.address, w.strobe);
		for (unsigned i = 0; w.strobe && i < 4; i++)
			store_le32(&memory[b.address - base + 4 * i], w.data[i]);
		b.address += 16;
		if (--b.beats == 0) {
			addressed.pop_front();
			complete++;
		}
	}
};

#endif
