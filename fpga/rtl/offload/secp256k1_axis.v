// Sums, differences or products modulo secp256k1's p of a stream of pairs, by any number of cores side by side, the
// results in the order of the pairs: 21 clocks a product and core; beyond five cores the stream's four words a pair
// are the limit, and for sums and differences at once.
//
// Contract: secp256k1_block's; load takes operation, for the pairs to come.
`default_nettype none

module secp256k1_axis #(
	parameter CORES = 1	// at least 1
) (
	input  wire         aclk,
	input  wire         aresetn,
	input  wire         load,
	input  wire [1:0]   operation,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	reg [1:0] operation_q;
	always @(posedge aclk)
		if (load)
			operation_q <= operation;

	wire [CORES-1:0]     in_valid, in_ready, out_valid, out_ready, out_last;
	wire [128*CORES-1:0] out_data;
	axis_turns #(.CORES(CORES), .WIDTH(128), .IN_WORDS(4), .OUT_WORDS(2)) turns (
		.clk(aclk), .reset(!aresetn),
		.s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
		.m_axis_tdata(m_axis_tdata), .m_axis_tvalid(m_axis_tvalid), .m_axis_tready(m_axis_tready),
		.m_axis_tlast(m_axis_tlast),
		.in_valid(in_valid), .in_ready(in_ready), .out_data(out_data), .out_valid(out_valid), .out_ready(out_ready),
		.out_last(out_last));

	genvar i;
	generate
		for (i = 0; i < CORES; i = i + 1) begin : core
			secp256k1_block field (
				.clk(aclk), .reset(!aresetn), .operation(operation_q),
				.s_axis_tdata(s_axis_tdata), .s_axis_tvalid(in_valid[i]), .s_axis_tready(in_ready[i]),
				.s_axis_tlast(s_axis_tlast),
				.m_axis_tdata(out_data[128*i +: 128]), .m_axis_tvalid(out_valid[i]), .m_axis_tready(out_ready[i]),
				.m_axis_tlast(out_last[i]));
		end
	endgenerate
endmodule

`default_nettype wire
