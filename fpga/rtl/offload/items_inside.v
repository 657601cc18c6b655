// Counts the items between a core's streams, for STATUS.BUSY and ITEMS: one more with an item's first word in, one
// less with its last word out. It watches and never interferes.
`default_nettype none

module items_inside #(
	parameter IN_WORDS = 4,		// words of an item on the way in
	parameter OUT_WORDS = 4		// and out; a packet's last may be shorter, both ways
) (
	input  wire clk,
	input  wire reset,
	input  wire in,			// a word goes in
	input  wire in_last,		// with tlast
	input  wire out,
	input  wire out_last,
	output wire any,
	output wire item		// one leaves
);
	localparam [7:0] IN_END = IN_WORDS - 1, OUT_END = OUT_WORDS - 1;
	reg [7:0]  in_word_q, out_word_q;
	reg [15:0] inside_q;

	wire enters = in && in_word_q == 8'd0;
	assign item = out && (out_last || out_word_q == OUT_END);
	assign any  = inside_q != 16'd0;

	always @(posedge clk) begin
		if (in)
			in_word_q <= in_last || in_word_q == IN_END ? 8'd0 : in_word_q + 8'd1;
		if (out)
			out_word_q <= item ? 8'd0 : out_word_q + 8'd1;
		inside_q <= inside_q + {15'd0, enters} - {15'd0, item};
		if (reset) begin
			in_word_q <= 8'd0;
			out_word_q <= 8'd0;
			inside_q <= 16'd0;
		end
	end
endmodule

`default_nettype wire
