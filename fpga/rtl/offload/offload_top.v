// An offload core as a block design takes it: AXI4-Lite registers (doc/OFFLOAD_REGISTERS.md), the items by AXI4-Stream
// from and to an AXI DMA, 16 bytes a word, one interrupt, level high; and for ChaCha20 a way of its own to memory.
// Which core is a parameter; registers and streams are the same for all. Wiring and nothing else.
//
// Contract: a packet is items (CAPS says how long) after one another, tlast with the last word in and out. Registers
// say how to treat them before the first comes. Without ChaCha20, m_axi stays silent and may be left open.
`default_nettype none

module offload_top #(
	parameter CORE = 1,	// 1 chacha20, 2 aes128, 3 sha256d, 4 cubehash256, 5 secp256k1
	parameter CORES = 1	// side by side: chacha20 1..5, sha256d 1..8, cubehash256 1..96, secp256k1 1..5; aes128 is one
) (
	input  wire         aclk,
	input  wire         aresetn,
	input  wire [11:0]  s_axil_awaddr,
	input  wire         s_axil_awvalid,
	output wire         s_axil_awready,
	input  wire [31:0]  s_axil_wdata,
	input  wire [3:0]   s_axil_wstrb,
	input  wire         s_axil_wvalid,
	output wire         s_axil_wready,
	output wire [1:0]   s_axil_bresp,
	output wire         s_axil_bvalid,
	input  wire         s_axil_bready,
	input  wire [11:0]  s_axil_araddr,
	input  wire         s_axil_arvalid,
	output wire         s_axil_arready,
	output wire [31:0]  s_axil_rdata,
	output wire [1:0]   s_axil_rresp,
	output wire         s_axil_rvalid,
	input  wire         s_axil_rready,
	output wire         irq,

	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast,

	output wire [63:0]  m_axi_awaddr,
	output wire [7:0]   m_axi_awlen,
	output wire [2:0]   m_axi_awsize,
	output wire [1:0]   m_axi_awburst,
	output wire [3:0]   m_axi_awcache,
	output wire [2:0]   m_axi_awprot,
	output wire         m_axi_awvalid,
	input  wire         m_axi_awready,
	output wire [127:0] m_axi_wdata,
	output wire [15:0]  m_axi_wstrb,
	output wire         m_axi_wlast,
	output wire         m_axi_wvalid,
	input  wire         m_axi_wready,
	input  wire [1:0]   m_axi_bresp,
	input  wire         m_axi_bvalid,
	output wire         m_axi_bready
);
	localparam CHACHA20 = 1, AES128 = 2, SHA256D = 3, CUBEHASH256 = 4, SECP256K1 = 5;
	localparam SIDE_BY_SIDE = CORE == AES128 ? 1 : CORES;
	localparam CLOCKS    = CORE == CHACHA20 ? 20 : CORE == AES128 ? 1 : CORE == SHA256D ? 129 : CORE == SECP256K1 ? 21 : 192;
	localparam IN_WORDS  = CORE == AES128 ? 1 : CORE == CUBEHASH256 ? 2 : 4;
	localparam OUT_WORDS = CORE == AES128 ? 1 : CORE == CHACHA20 ? 4 : 2;
	localparam [31:0] CAPS = SIDE_BY_SIDE | CLOCKS << 8 | IN_WORDS << 20 | OUT_WORDS << 28;

	wire         reset = !aresetn;
	wire         write, load, start, drop, working, done, error, any_inside, item;
	wire [11:0]  write_addr, read_addr;
	wire [31:0]  write_data, read_data;
	wire [255:0] key, b, result;
	wire [127:0] iv;
	wire [1:0]   operation;
	wire [24:0]  count;
	wire [59:0]  address;
	wire in  = s_axis_tvalid && s_axis_tready;
	wire out = m_axis_tvalid && m_axis_tready;

	/* verilator lint_off UNUSED */
	wire         read;	// no register changes when it is read
	// What only some cores look at.
	wire         unused = &{key, b, iv, operation, start, count, address, m_axi_awready, m_axi_wready, m_axi_bresp, m_axi_bvalid};
	/* verilator lint_on UNUSED */

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

	offload_regs #(.CORE(CORE), .CAPS(CAPS)) regs (
		.clk(aclk), .reset(reset), .write(write), .write_addr(write_addr), .write_data(write_data),
		.read_addr(read_addr), .read_data(read_data), .irq(irq),
		.load(load), .start(start), .drop(drop), .key(key), .iv(iv), .operation(operation),
		.count(count), .address(address),
		.b(b), .result(result),
		.busy(any_inside || working), .packet(out && m_axis_tlast), .done(done), .error(error), .item(item));

	items_inside #(.IN_WORDS(IN_WORDS), .OUT_WORDS(OUT_WORDS)) items (
		.clk(aclk), .reset(drop || load), .in(in), .in_last(s_axis_tlast), .out(out), .out_last(m_axis_tlast),
		.any(any_inside), .item(item));

	// INCR bursts of 16-byte beats, for memory that need not be coherent.
	assign m_axi_awsize  = 3'd4;
	assign m_axi_awburst = 2'b01;
	assign m_axi_awcache = 4'b0011;
	assign m_axi_awprot  = 3'b000;

	generate
		if (CORE == CHACHA20) begin : chacha20
			chacha20_stream #(.CORES(CORES)) core (
				.clk(aclk), .reset(reset), .drop(drop), .load(load), .key(key), .iv(iv),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
				.s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
				.m_axis_tlast(m_axis_tlast),
				.start(start), .address(address), .blocks(count),
				.writing(working), .written(done), .error(error),
				.m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awvalid(m_axi_awvalid),
				.m_axi_awready(m_axi_awready),
				.m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast),
				.m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready),
				.m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready));
		end else begin : no_memory
			assign error = 1'b0;
			assign m_axi_awaddr = 64'd0;
			assign m_axi_awlen = 8'd0;
			assign m_axi_awvalid = 1'b0;
			assign m_axi_wdata = 128'd0;
			assign m_axi_wstrb = 16'd0;
			assign m_axi_wlast = 1'b0;
			assign m_axi_wvalid = 1'b0;
			assign m_axi_bready = 1'b1;
		end
		if (CORE == AES128) begin : aes128
			aes128_pipe core (
				.clk(aclk), .reset(drop), .load(load), .key(key[127:0]), .ctr(operation[0]), .counter(iv),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
				.s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
				.m_axis_tlast(m_axis_tlast));
		end
		if (CORE == SHA256D) begin : sha256d
			wire [31:0] message, digest;
			wire        message_valid, message_ready, message_last, digest_valid, digest_ready, digest_last;
			axis_narrow narrow (
				.clk(aclk), .reset(drop || load),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
				.s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(message), .m_axis_tvalid(message_valid), .m_axis_tready(message_ready),
				.m_axis_tlast(message_last));
			sha256d_axis #(.CORES(CORES)) core (
				.aclk(aclk), .aresetn(!(drop || load)),
				.s_axis_tdata(message), .s_axis_tvalid(message_valid), .s_axis_tready(message_ready),
				.s_axis_tlast(message_last),
				.m_axis_tdata(digest), .m_axis_tvalid(digest_valid), .m_axis_tready(digest_ready),
				.m_axis_tlast(digest_last));
			axis_widen widen (
				.clk(aclk), .reset(drop || load),
				.s_axis_tdata(digest), .s_axis_tvalid(digest_valid), .s_axis_tready(digest_ready),
				.s_axis_tlast(digest_last),
				.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
				.m_axis_tlast(m_axis_tlast));
		end
		if (CORE == CUBEHASH256) begin : cubehash256
			cubehash256_axis #(.CORES(CORES)) core (
				.aclk(aclk), .aresetn(!(drop || load)),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
				.s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
				.m_axis_tlast(m_axis_tlast));
		end
		if (CORE == SECP256K1) begin : secp256k1
			wire [127:0] pair;
			wire         pair_valid, pair_ready, pair_last, result_valid, result_ready;
			item_by_registers registers (
				.clk(aclk), .reset(drop || load), .start(start), .item({b, key}),
				.busy(working), .done(done), .result(result),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready),
				.s_axis_tlast(s_axis_tlast), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
				.to_core_tdata(pair), .to_core_tvalid(pair_valid), .to_core_tready(pair_ready), .to_core_tlast(pair_last),
				.from_core_tdata(m_axis_tdata), .from_core_tvalid(result_valid), .from_core_tready(result_ready),
				.from_core_tlast(m_axis_tlast));
			secp256k1_axis #(.CORES(CORES)) core (
				.aclk(aclk), .aresetn(!(drop || load)), .load(load), .operation(operation),
				.s_axis_tdata(pair), .s_axis_tvalid(pair_valid), .s_axis_tready(pair_ready), .s_axis_tlast(pair_last),
				.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(result_valid), .m_axis_tready(result_ready),
				.m_axis_tlast(m_axis_tlast));
		end else begin : no_single_items
			assign result = 256'd0;
		end
		if (CORE != CHACHA20 && CORE != SECP256K1) begin : no_start
			assign working = 1'b0;
			assign done = 1'b0;
		end
	endgenerate
endmodule

`default_nettype wire
