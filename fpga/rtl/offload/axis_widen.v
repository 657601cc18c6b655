// A stream of 4-byte words as one of 16-byte words, the first lowest: axis_narrow's other end. tlast must come with
// the fourth of a word.
//
// Contract: a word out for four in, without a clock between; it is in sight one clock after its fourth came.
`default_nettype none

module axis_widen (
	input  wire         clk,
	input  wire         reset,
	input  wire [31:0]  s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	reg [127:0] word_q;
	reg [2:0]   have_q;	// of it
	reg         last_q;
	wire in  = s_axis_tvalid && s_axis_tready;
	wire out = m_axis_tvalid && m_axis_tready;
	assign s_axis_tready = have_q != 3'd4 || m_axis_tready;
	assign m_axis_tdata  = word_q;
	assign m_axis_tvalid = have_q == 3'd4;
	assign m_axis_tlast  = last_q;

	always @(posedge clk) begin
		if (in) begin
			word_q <= {s_axis_tdata, word_q[127:32]};
			last_q <= s_axis_tlast;
		end
		have_q <= (out ? 3'd0 : have_q) + {2'd0, in};
		if (reset)
			have_q <= 3'd0;
	end
endmodule

`default_nettype wire
