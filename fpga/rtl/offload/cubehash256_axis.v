// CubeHash16/32-256 of a stream of 32-byte messages, by any number of cores side by side, the digests in the order of
// the messages: 192 clocks a hash and core; beyond 96 cores the stream's two words a message would be the limit.
//
// Contract: a message is two words, a digest two, byte 0 in tdata[7:0]. tlast goes with the last word of a packet's
// last message, and comes with the last word of its digest; on a first word it ends the message, as if zeros followed.
`default_nettype none

module cubehash256_axis #(
	parameter CORES = 1	// hash cores, at least 1
) (
	input  wire         aclk,
	input  wire         aresetn,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	wire [CORES-1:0]     in_valid, in_ready, out_valid, out_ready, out_last;
	wire [128*CORES-1:0] out_data;
	axis_turns #(.CORES(CORES), .WIDTH(128), .IN_WORDS(2), .OUT_WORDS(2)) turns (
		.clk(aclk), .reset(!aresetn),
		.s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
		.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
		.m_axis_tlast(m_axis_tlast),
		.in_valid(in_valid), .in_ready(in_ready), .out_data(out_data), .out_valid(out_valid), .out_ready(out_ready),
		.out_last(out_last));

	genvar i;
	generate
		for (i = 0; i < CORES; i = i + 1) begin : core
			cubehash256_block hash (
				.clk(aclk), .reset(!aresetn),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(in_valid[i]), .s_axis_tready(in_ready[i]),
				.s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(out_data[128*i +: 128]), .m_axis_tvalid(out_valid[i]), .m_axis_tready(out_ready[i]),
				.m_axis_tlast(out_last[i]));
		end
	endgenerate
endmodule

`default_nettype wire
