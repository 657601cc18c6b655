// A stream of 16-byte words as one of 4-byte words, the lowest first. tlast goes with the last of its word's four.
//
// Contract: four words out for one in, without a clock between; a word is in sight one clock after it came.
`default_nettype none

module axis_narrow (
	input  wire         clk,
	input  wire         reset,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [31:0]  m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	reg [127:0] word_q;
	reg [2:0]   left_q;	// of it
	reg         last_q;
	wire in  = s_axis_tvalid && s_axis_tready;
	wire out = m_axis_tvalid && m_axis_tready;
	assign s_axis_tready = left_q == 3'd0 || (left_q == 3'd1 && m_axis_tready);
	assign m_axis_tdata  = word_q[31:0];
	assign m_axis_tvalid = left_q != 3'd0;
	assign m_axis_tlast  = last_q && left_q == 3'd1;

	always @(posedge clk) begin
		if (in) begin
			word_q <= s_axis_tdata;
			last_q <= s_axis_tlast;
			left_q <= 3'd4;
		end else if (out) begin
			word_q <= {32'd0, word_q[127:32]};
			left_q <= left_q - 3'd1;
		end
		if (reset)
			left_q <= 3'd0;
	end
endmodule

`default_nettype wire
