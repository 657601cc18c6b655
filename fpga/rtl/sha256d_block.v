// SHA-256d of blocks from a stream, one round a clock, 129 clocks a block: the whole of a message that fits
// into one padded block is hashed, and its digest hashed again. The core of sha256d_axis.
//
// Words are taken when their round comes, so taking a block costs no clocks of its own. Two stages: one makes
// K + W, from the stream or from the schedule, the other does the round with it a clock later.
//
// Contract: a block is 16 words on s_axis, SHA-256's words in order; s_axis_tlast goes with its last word and
// comes back with the last of the digest's eight words on m_axis. tlast on an earlier word ends the block, as
// if zeros followed. No word is taken while a digest waits for its predecessor to leave.
`default_nettype none

module sha256d_block (
	input  wire        clk,
	input  wire        reset,
	input  wire [31:0] s_axis_tdata,
	input  wire        s_axis_tvalid,
	output wire        s_axis_tready,
	input  wire        s_axis_tlast,
	output wire [31:0] m_axis_tdata,
	output wire        m_axis_tvalid,
	input  wire        m_axis_tready,
	output wire        m_axis_tlast
);
	`include "sha256_constants.vh"
	`include "sha256_functions.vh"

	// Stage 1: W[t] and K[t] + W[t].
	reg [5:0]   t_q;		// the next word
	reg         second_q;		// of the second compression
	reg         wait_q;		// the first compression's words are made: its last round is to come
	reg         ended_q;		// tlast came before word 15
	reg         last_q;		// the block had tlast
	reg [511:0] window_q;		// W[t-16] to W[t-1]

	// Stage 2: a round, in a clock with kw_valid_q and round.
	reg         kw_valid_q;
	reg [31:0]  kw_q;
	reg         first_round_q, last_round_q, second_round_q;	// of a compression, of the second: what kw_q is for
	reg [255:0] state_q;
	reg         done_q, digested_q;	// state_q is what the first compression gave, the second
	reg         block_last_q;	// last_q, for the second compression

	reg [3:0]   out_left_q;		// digest words still to be sent
	reg         out_last_q;
	reg [255:0] out_q;

	wire [255:0] digest;
	genvar i;
	generate
		for (i = 0; i < 8; i = i + 1) begin : feed_forward
			add32 add (.a(state_q[32*i +: 32]), .b(IV[32*i +: 32]), .sum(digest[32*i +: 32]));
		end
	endgenerate

	// The end of a compression: the first one's digest is the second's message.
	wire turn   = done_q;
	wire unload = digested_q && out_left_q == 4'd0;
	wire stall  = digested_q && !unload;	// state_q is still wanted

	wire [31:0] w0s, w0s9, scheduled;
	add32 add_w1  (.a(window_q[511:480]), .b(sigma0(window_q[479:448])), .sum(w0s));
	add32 add_w9  (.a(w0s), .b(window_q[223:192]), .sum(w0s9));
	add32 add_w14 (.a(w0s9), .b(sigma1(window_q[63:32])), .sum(scheduled));

	wire from_stream = !second_q && t_q < 6'd16 && !ended_q;
	wire given = second_q && t_q < 6'd16;		// the second block stands in the window, which turns
	wire [31:0] w = turn ? digest[255:224] : from_stream ? s_axis_tdata
		: given ? window_q[511:480] : t_q < 6'd16 ? 32'd0 : scheduled;
	wire make = turn || (!wait_q && !stall && (!from_stream || s_axis_tvalid));
	assign s_axis_tready = from_stream && !wait_q && !stall;

	wire [31:0] kw;
	add32 add_k (.a(w), .b(K[{~t_q, 5'd0} +: 32]), .sum(kw));

	wire round = kw_valid_q && !stall;
	wire [255:0] next_state, first_state;
	sha256_round middle (.state(state_q), .kw(kw_q), .next(next_state));
	sha256_round start  (.state(IV), .kw(kw_q), .next(first_state));	// two adders, once IV is folded in

	always @(posedge clk) begin
		if (make) begin
			kw_q <= kw;
			first_round_q <= t_q == 6'd0;
			last_round_q  <= t_q == 6'd63;
			second_round_q <= second_q || turn;
			window_q <= turn ? {digest[223:0], 32'h80000000, 192'd0, 32'd256, digest[255:224]}
				: {window_q[479:0], w};
			t_q <= t_q + 6'd1;
		end
		kw_valid_q <= make || (kw_valid_q && stall);

		if (s_axis_tvalid && s_axis_tready) begin
			last_q  <= s_axis_tlast;
			ended_q <= s_axis_tlast && t_q != 6'd15;
		end else if (make && t_q == 6'd15)
			ended_q <= 1'b0;
		if (make && t_q == 6'd63) begin
			wait_q <= !second_q;
			second_q <= 1'b0;
		end
		if (turn) begin
			wait_q <= 1'b0;
			second_q <= 1'b1;
			block_last_q <= last_q;
		end

		if (round)
			state_q <= first_round_q ? first_state : next_state;
		done_q <= round && last_round_q && !second_round_q;
		digested_q <= (round && last_round_q && second_round_q) || stall;

		if (unload) begin
			out_q <= digest;
			out_last_q <= block_last_q;
			out_left_q <= 4'd8;
		end else if (m_axis_tvalid && m_axis_tready) begin
			out_q <= {out_q[223:0], 32'd0};
			out_left_q <= out_left_q - 4'd1;
		end

		if (reset) begin
			t_q <= 6'd0;
			second_q <= 1'b0;
			wait_q <= 1'b0;
			ended_q <= 1'b0;
			kw_valid_q <= 1'b0;
			done_q <= 1'b0;
			digested_q <= 1'b0;
			out_left_q <= 4'd0;
		end
	end

	assign m_axis_tdata  = out_q[255:224];
	assign m_axis_tvalid = out_left_q != 4'd0;
	assign m_axis_tlast  = out_last_q && out_left_q == 4'd1;
endmodule

`default_nettype wire
