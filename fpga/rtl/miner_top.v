// The miner as a block design takes it: AXI4-Lite registers (doc/REGISTERS.md) and one interrupt, level
// high. Wiring and nothing else.
`default_nettype none

module miner_top #(
	parameter CORES = 1,		// hash cores, 1..127; they share one range
	parameter DEPTH = 16,		// of each: round stages of a ring (2, 4, 8, 16, 32 or 64), or 0 for the iterative core
	parameter HITS_LOG2 = 4,	// log2 of the number of hits the queue holds
	parameter BALANCED = 0		// of a ring: 1 makes it faster, and larger on some parts (sha256d_ring)
) (
	input  wire        aclk,
	input  wire        aresetn,
	input  wire [11:0] s_axil_awaddr,
	input  wire        s_axil_awvalid,
	output wire        s_axil_awready,
	input  wire [31:0] s_axil_wdata,
	input  wire [3:0]  s_axil_wstrb,
	input  wire        s_axil_wvalid,
	output wire        s_axil_wready,
	output wire [1:0]  s_axil_bresp,
	output wire        s_axil_bvalid,
	input  wire        s_axil_bready,
	input  wire [11:0] s_axil_araddr,
	input  wire        s_axil_arvalid,
	output wire        s_axil_arready,
	output wire [31:0] s_axil_rdata,
	output wire [1:0]  s_axil_rresp,
	output wire        s_axil_rvalid,
	input  wire        s_axil_rready,
	output wire        irq
);
	localparam CLOCKS = DEPTH == 0 ? 124 : 128 / (DEPTH == 0 ? 1 : DEPTH);

	wire         reset = !aresetn;
	wire         write, read, start, stop, clear, busy, exhausted;
	wire [11:0]  write_addr, read_addr;
	wire [31:0]  write_data, read_data;
	wire [31:0]  job_tag, job_target, job_first, job_last;
	wire [255:0] job_midstate;
	wire [95:0]  job_tail;
	wire         hit_valid, hit_pop, hits_full, hits_empty;
	wire [31:0]  hit_tag, hit_nonce, front_tag, front_nonce;
	wire [7:0]   hashed;

	axil_slave #(.ADDR_WIDTH(12)) bus (
		.clk(aclk), .reset(reset),
		.s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
		.s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
		.s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
		.s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
		.s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
		.s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
		.s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
		.write(write), .write_addr(write_addr), .write_data(write_data),
		.read(read), .read_addr(read_addr), .read_data(read_data));

	miner_regs #(.CORES(CORES), .CLOCKS(CLOCKS), .HITS_LOG2(HITS_LOG2)) regs (
		.clk(aclk), .reset(reset),
		.write(write), .write_addr(write_addr), .write_data(write_data),
		.read(read), .read_addr(read_addr), .read_data(read_data), .irq(irq),
		.start(start), .stop(stop), .clear(clear),
		.job_tag(job_tag), .job_midstate(job_midstate), .job_tail(job_tail), .job_target(job_target),
		.job_first(job_first), .job_last(job_last),
		.busy(busy), .exhausted(exhausted), .hashed(hashed),
		.hit_queued(hit_valid && !hits_full), .hits_full(hits_full), .hits_empty(hits_empty),
		.front_tag(front_tag), .front_nonce(front_nonce), .hit_pop(hit_pop));

	miner_engine #(.CORES(CORES), .DEPTH(DEPTH), .BALANCED(BALANCED)) engine (
		.clk(aclk), .clear(clear), .start(start), .stop(stop),
		.job_tag(job_tag), .job_midstate(job_midstate), .job_tail(job_tail), .job_target(job_target),
		.job_first(job_first), .job_last(job_last),
		.hit_valid(hit_valid), .hit_ready(!hits_full), .hit_tag(hit_tag), .hit_nonce(hit_nonce),
		.busy(busy), .exhausted(exhausted), .hashed_q(hashed));

	fifo #(.WIDTH(64), .DEPTH_LOG2(HITS_LOG2)) hits (
		.clk(aclk), .clear(clear),
		.push(hit_valid), .back({hit_tag, hit_nonce}), .full(hits_full),
		.pop(hit_pop), .front({front_tag, front_nonce}), .empty(hits_empty));
endmodule

`default_nettype wire
