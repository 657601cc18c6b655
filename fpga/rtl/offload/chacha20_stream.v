// ChaCha20 (RFC 8439, 2.4) of a stream, 16 bytes a word: text in, text XOR pad out. Or the pad alone, into memory,
// by this module's own way there, for whoever has the text elsewhere.
//
// Contract: load takes key, nonce (iv[95:0]) and the first block's number (iv[127:96]); before it no word is taken.
// Each 64 bytes of a packet are one block; where tlast ends a packet within a block, the rest of that block's pad is
// dropped, and the next packet begins with the next block. start, while not writing, writes `blocks` blocks of pad to
// `address`, a multiple of 4, and the stream waits meanwhile.
`default_nettype none

module chacha20_stream #(
	parameter CORES = 2	// block cores, 1..5
) (
	input  wire         clk,
	input  wire         reset,	// of the bus
	input  wire         drop,	// what is inside
	input  wire         load,
	input  wire [255:0] key,
	input  wire [127:0] iv,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast,

	input  wire         start,
	input  wire [59:0]  address,	// in 16 bytes
	input  wire [24:0]  blocks,
	output wire         writing,
	output wire         written,	// for one clock: all of it is in memory
	output wire         error,	// for one clock: memory answered with an error
	output wire [63:0]  m_axi_awaddr,
	output wire [7:0]   m_axi_awlen,
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
	wire [127:0] pad;
	wire         pad_valid, memory_ready;

	reg [1:0] beat_q;	// of its block: the next word of pad
	reg       skip_q;	// the packet has ended, its last block's pad has not
	wire text = pad_valid && !skip_q && !writing;
	wire pass = text && s_axis_tvalid && m_axis_tready;
	wire pad_ready = writing ? memory_ready : pass || skip_q;

	assign s_axis_tready = text && m_axis_tready;
	assign m_axis_tvalid = text && s_axis_tvalid;
	assign m_axis_tdata  = s_axis_tdata ^ pad;
	assign m_axis_tlast  = s_axis_tlast;

	always @(posedge clk) begin
		if (pad_valid && pad_ready)
			beat_q <= beat_q + 2'd1;
		if (pass && s_axis_tlast)
			skip_q <= beat_q != 2'd3;
		else if (pad_valid && beat_q == 2'd3)
			skip_q <= 1'b0;
		if (drop || load) begin
			beat_q <= 2'd0;
			skip_q <= 1'b0;
		end
	end

	chacha20_pads #(.CORES(CORES)) pads (
		.clk(clk), .reset(drop), .load(load), .key(key), .nonce(iv[95:0]), .count(iv[127:96]),
		.pad(pad), .pad_valid(pad_valid), .pad_ready(pad_ready));

	stream_to_memory memory (
		.clk(clk), .reset(reset), .start(start && !drop), .abort(drop || load), .address(address), .words({blocks, 2'd0}),
		.busy(writing), .done(written), .error(error),
		.s_axis_tdata(pad), .s_axis_tvalid(pad_valid), .s_axis_tready(memory_ready),
		.m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready),
		.m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast), .m_axi_wvalid(m_axi_wvalid),
		.m_axi_wready(m_axi_wready), .m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready));
endmodule

`default_nettype wire
