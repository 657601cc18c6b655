// Nonce search by SHA-256d, one round a clock: the smallest core. A hash takes 124 clocks: one to take the
// nonce, 61 rounds, one between the compressions, 61 rounds.
//
// 61 and not 64: the first three rounds do not see the nonce, so they are done once a job, and the digest's
// last word is IV[7] + h, which has been the e of three rounds before.
//
// Contract: that of sha256d_ring. After `clear` the first nonce is taken five clocks later.
`default_nettype none

module sha256d_iter (
	input  wire         clk,
	input  wire         clear,
	input  wire [255:0] midstate,	// SHA-256 state after header bytes 0..63, a highest
	input  wire [95:0]  tail,	// header bytes 64..75 as big-endian words, the first highest
	input  wire [31:0]  target,	// most significant word of the target
	input  wire         nonce_valid,
	output wire         nonce_ready,
	input  wire [31:0]  nonce,
	output wire         hit_valid,
	input  wire         hit_ready,
	output wire [31:0]  hit_nonce,
	output wire         hashed,
	output wire         idle
);
	`include "sha256_constants.vh"
	`include "sha256_functions.vh"

	localparam FETCH   = 3'd0;	// take the job's words
	localparam PREPARE = 3'd1;	// rounds 0 to 2 of the job, its nonce counted as 0
	localparam KEEP    = 3'd2;	// keep what they gave
	localparam READY   = 3'd3;	// take a nonce
	localparam FIRST   = 3'd4;	// rounds 3 to 63
	localparam TURN    = 3'd5;	// from one compression to the other
	localparam SECOND  = 3'd6;	// rounds 0 to 60

	reg [2:0]   phase_q;
	reg [5:0]   next_round_q;	// whose K is added to its W now
	reg [255:0] state_q;
	reg [511:0] window_q;		// W[t] to W[t+15] in round t
	reg [31:0]  kw_q;		// K[t] + W[t]

	// After round 2: the state, W[16], W[17], and W[18] but for sigma0(W[3]).
	reg [255:0] kept_state_q;
	reg [95:0]  kept_words_q;

	wire [255:0] next_state;
	sha256_round round (.state(state_q), .kw(kw_q), .next(next_state));

	wire [31:0] w0s, w0s9, w16;
	add32 add_w1  (.a(window_q[511:480]), .b(sigma0(window_q[479:448])), .sum(w0s));
	add32 add_w9  (.a(w0s), .b(window_q[223:192]), .sum(w0s9));
	add32 add_w14 (.a(w0s9), .b(sigma1(window_q[63:32])), .sum(w16));

	wire [255:0] digest;	// of the first compression
	genvar i;
	generate
		for (i = 0; i < 8; i = i + 1) begin : feed_forward
			add32 add (.a(midstate[32*i +: 32]), .b(state_q[32*i +: 32]), .sum(digest[32*i +: 32]));
		end
	endgenerate

	wire [31:0] w3 = swap32(nonce);
	wire [31:0] w18;
	add32 add_w18 (.a(kept_words_q[31:0]), .b(sigma0(w3)), .sum(w18));

	reg [255:0] new_state;
	reg [511:0] new_window;
	always @* begin
		case (phase_q)
		FETCH: begin
			new_state  = midstate;
			new_window = {tail, 32'd0, 32'h80000000, 320'd0, 32'd640};
		end
		READY: begin
			new_state  = kept_state_q;
			new_window = {w3, 32'h80000000, 320'd0, 32'd640, kept_words_q[95:32], w18};
		end
		TURN: begin
			new_state  = IV;
			new_window = {digest, 32'h80000000, 192'd0, 32'd256};
		end
		default: begin
			new_state  = next_state;
			new_window = {window_q[479:0], w16};
		end
		endcase
	end

	wire [31:0] kw;
	wire [31:0] k = K[{~next_round_q, 5'd0} +: 32];
	add32 add_kw (.a(new_window[511:480]), .b(k), .sum(kw));

	// The result waits in state_q until the last hit is taken, and no nonce is taken before.
	reg        done_q;		// state_q holds it
	reg        compare_q;		// word7_q does
	reg [31:0] word7_q;
	reg [31:0] nonce_q, done_nonce_q;
	reg        hit_valid_q;
	reg [31:0] hit_nonce_q;
	wire [31:0] word7;
	add32 add_word7 (.a(state_q[127:96]), .b(IV[31:0]), .sum(word7));

	wire deliver = done_q && !hit_valid_q;
	wire take = nonce_valid && nonce_ready;
	wire found = compare_q && swap32(word7_q) <= target;
	assign nonce_ready = phase_q == READY && !(done_q && hit_valid_q);
	assign hit_valid = hit_valid_q;
	assign hit_nonce = hit_nonce_q;
	assign hashed = deliver && !clear;
	assign idle = phase_q <= READY && !done_q && !compare_q && !hit_valid_q;

	always @(posedge clk) begin
		case (phase_q)
		FETCH:   phase_q <= PREPARE;
		PREPARE: if (next_round_q == 6'd3) phase_q <= KEEP;
		KEEP:    phase_q <= READY;
		READY:   if (take) phase_q <= FIRST;
		FIRST:   if (next_round_q == 6'd0) phase_q <= TURN;
		TURN:    phase_q <= SECOND;
		default: if (next_round_q == 6'd61) phase_q <= READY;
		endcase

		// A nonce begins with round 3, and TURN with round 0.
		if (phase_q == KEEP || (phase_q == SECOND && next_round_q == 6'd61))
			next_round_q <= 6'd3;
		else if (phase_q == READY ? take : phase_q != FIRST || next_round_q != 6'd0)
			next_round_q <= next_round_q + 6'd1;

		if (clear) begin
			phase_q <= FETCH;
			next_round_q <= 6'd0;
		end
	end

	always @(posedge clk) begin
		if (phase_q != KEEP && (phase_q != READY || take)) begin
			state_q  <= new_state;
			window_q <= new_window;
			kw_q     <= kw;
		end
		if (phase_q == KEEP) begin
			kept_state_q <= state_q;
			kept_words_q <= window_q[95:0];
		end
		if (take)
			nonce_q <= nonce;
	end

	always @(posedge clk) begin
		done_q <= (phase_q == SECOND && next_round_q == 6'd61) || (done_q && !deliver);
		compare_q <= deliver;
		if (deliver) begin
			word7_q <= word7;
			done_nonce_q <= nonce_q;
		end
		if (found)
			hit_nonce_q <= done_nonce_q;
		hit_valid_q <= found || (hit_valid_q && !hit_ready);

		if (clear) begin
			done_q <= 1'b0;
			compare_q <= 1'b0;
			hit_valid_q <= 1'b0;
		end
	end
endmodule

`default_nettype wire
