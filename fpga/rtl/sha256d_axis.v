// Batch hashing for an AXI DMA: SHA-256d of a stream of padded one-block messages, by any number of cores side
// by side, the digests in the order of the messages. 64 bytes in and 32 out a hash, 129 clocks a hash and core;
// beyond eight cores the stream itself (16 clocks a block) is the limit.
//
// The driver pads (FIPS 180-4, 5.1.1): a message of up to 55 bytes, 0x80, zeros, and its length in bits as a
// big-endian 64-bit number, 64 bytes in all. Messages and digests are bytes as they stand in memory: the first
// byte is tdata[7:0].
//
// Contract: a block is 16 words, a digest 8. s_axis_tlast goes with the last word of a packet's last block, and
// m_axis_tlast comes with the last word of that block's digest, which ends the DMA's transfer. tlast within a
// block ends the block, as if zero bytes followed. tkeep is not looked at: words are whole.
`default_nettype none

module sha256d_axis #(
	parameter CORES = 1	// hash cores, at least 1
) (
	input  wire        aclk,
	input  wire        aresetn,
	input  wire [31:0] s_axis_tdata,
	input  wire        s_axis_tvalid,
	output wire        s_axis_tready,
	input  wire        s_axis_tlast,
	output wire [31:0] m_axis_tdata,
	output wire        m_axis_tvalid,
	input  wire        m_axis_tready,
	output wire        m_axis_tlast
);
	`include "sha256_functions.vh"

	localparam CORE_W = CORES > 1 ? $clog2(CORES) : 1;
	localparam [31:0] LAST_CORE_32 = CORES - 1;
	localparam [CORE_W-1:0] LAST_CORE = LAST_CORE_32[CORE_W-1:0];

	// Blocks go to the cores in turn, and digests are taken from them in the same turn.
	reg [CORE_W-1:0] in_core_q, out_core_q;
	reg [3:0]        in_word_q;
	reg [2:0]        out_word_q;
	wire in_beat  = s_axis_tvalid && s_axis_tready;
	wire out_beat = m_axis_tvalid && m_axis_tready;

	always @(posedge aclk) begin
		if (in_beat) begin
			in_word_q <= s_axis_tlast ? 4'd0 : in_word_q + 4'd1;
			if (s_axis_tlast || in_word_q == 4'd15)
				in_core_q <= in_core_q == LAST_CORE ? {CORE_W{1'b0}} : in_core_q + 1'b1;
		end
		if (out_beat) begin
			out_word_q <= out_word_q + 3'd1;
			if (out_word_q == 3'd7)
				out_core_q <= out_core_q == LAST_CORE ? {CORE_W{1'b0}} : out_core_q + 1'b1;
		end
		if (!aresetn) begin
			in_word_q <= 4'd0;
			in_core_q <= {CORE_W{1'b0}};
			out_word_q <= 3'd0;
			out_core_q <= {CORE_W{1'b0}};
		end
	end

	localparam PORTS = 1 << CORE_W;	// what a core's number can name
	wire [PORTS-1:0]    in_ready, out_valid, out_last;
	wire [32*PORTS-1:0] out_data;
	genvar i;
	generate
		for (i = 0; i < CORES; i = i + 1) begin : core
			localparam [31:0] INDEX_32 = i;
			localparam [CORE_W-1:0] INDEX = INDEX_32[CORE_W-1:0];
			sha256d_block hash (
				.clk(aclk), .reset(!aresetn),
				.s_axis_tdata(swap32(s_axis_tdata)), .s_axis_tvalid(s_axis_tvalid && in_core_q == INDEX),
				.s_axis_tready(in_ready[i]), .s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(out_data[32*i +: 32]), .m_axis_tvalid(out_valid[i]),
				.m_axis_tready(m_axis_tready && out_core_q == INDEX), .m_axis_tlast(out_last[i]));
		end
		for (i = CORES; i < PORTS; i = i + 1) begin : no_core
			assign in_ready[i] = 1'b0;
			assign out_valid[i] = 1'b0;
			assign out_last[i] = 1'b0;
			assign out_data[32*i +: 32] = 32'd0;
		end
	endgenerate

	assign s_axis_tready = in_ready[in_core_q];
	assign m_axis_tvalid = out_valid[out_core_q];
	assign m_axis_tlast  = out_last[out_core_q];
	assign m_axis_tdata  = swap32(out_data[{out_core_q, 5'd0} +: 32]);
endmodule

`default_nettype wire
