// One stream for any number of cores side by side: items go to the cores in turn, and what comes of them is taken
// in the same turn, so it leaves in the order in which it came.
//
// Contract: an item is IN_WORDS words in and OUT_WORDS out; tlast within an item ends it. Core i sees s_axis_tdata
// and s_axis_tlast with in_valid[i], and is read while out_ready[i]. No clock is lost, and none is added.
`default_nettype none

module axis_turns #(
	parameter CORES = 1,		// at least 1
	parameter WIDTH = 128,		// bits of a word on the way out
	parameter IN_WORDS = 4,		// words of an item on the way in
	parameter OUT_WORDS = 4		// and out
) (
	input  wire                   clk,
	input  wire                   reset,
	input  wire                   s_axis_tvalid,
	output wire                   s_axis_tready,
	input  wire                   s_axis_tlast,
	output reg  [WIDTH-1:0]       m_axis_tdata,
	output wire                   m_axis_tvalid,
	input  wire                   m_axis_tready,
	output wire                   m_axis_tlast,

	output wire [CORES-1:0]       in_valid,
	input  wire [CORES-1:0]       in_ready,
	input  wire [WIDTH*CORES-1:0] out_data,
	input  wire [CORES-1:0]       out_valid,
	output wire [CORES-1:0]       out_ready,
	input  wire [CORES-1:0]       out_last
);
	localparam IN_W  = IN_WORDS > 1 ? $clog2(IN_WORDS) : 1;
	localparam OUT_W = OUT_WORDS > 1 ? $clog2(OUT_WORDS) : 1;
	localparam [31:0] IN_END = IN_WORDS - 1, OUT_END = OUT_WORDS - 1;
	localparam [CORES-1:0] FIRST = 1;

	reg [CORES-1:0] in_turn_q, out_turn_q;	// one bit set: whose turn it is
	reg [IN_W-1:0]  in_word_q;
	reg [OUT_W-1:0] out_word_q;

	assign in_valid      = in_turn_q & {CORES{s_axis_tvalid}};
	assign s_axis_tready = |(in_turn_q & in_ready);
	assign out_ready     = out_turn_q & {CORES{m_axis_tready}};
	assign m_axis_tvalid = |(out_turn_q & out_valid);
	assign m_axis_tlast  = |(out_turn_q & out_last);

	integer i;
	always @* begin
		m_axis_tdata = {WIDTH{1'b0}};
		for (i = 0; i < CORES; i = i + 1)
			m_axis_tdata = m_axis_tdata | (out_data[WIDTH*i +: WIDTH] & {WIDTH{out_turn_q[i]}});
	end

	wire in_ends  = s_axis_tlast || in_word_q == IN_END[IN_W-1:0];
	wire out_ends = out_word_q == OUT_END[OUT_W-1:0];
	always @(posedge clk) begin
		if (s_axis_tvalid && s_axis_tready) begin
			in_word_q <= in_ends ? {IN_W{1'b0}} : in_word_q + 1'b1;
			if (in_ends)
				in_turn_q <= (in_turn_q << 1) | (in_turn_q >> (CORES - 1));
		end
		if (m_axis_tvalid && m_axis_tready) begin
			out_word_q <= out_ends ? {OUT_W{1'b0}} : out_word_q + 1'b1;
			if (out_ends)
				out_turn_q <= (out_turn_q << 1) | (out_turn_q >> (CORES - 1));
		end
		if (reset) begin
			in_turn_q <= FIRST;
			in_word_q <= {IN_W{1'b0}};
			out_turn_q <= FIRST;
			out_word_q <= {OUT_W{1'b0}};
		end
	end
endmodule

`default_nettype wire
