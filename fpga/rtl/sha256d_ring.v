// Nonce search by SHA-256d in a C-slow ring: DEPTH round stages and one turn-around stage in a circle,
// DEPTH + 1 nonces in flight, one in each stage, each going round 128 / DEPTH times. A hash takes
// 128 / DEPTH clocks; its latency is (DEPTH + 1) * 128 / DEPTH clocks and one more.
//
// The stage that a newcomer looks for, with all the multiplexers, is the turn-around: it alone puts a new
// nonce in, starts the second compression and looks at the result. A slot of the ring that has nothing to
// do, or a hit that nobody takes, just goes round again, so nothing ever has to stop.
//
// Contract (sha256d_iter has the same):
//  - `clear` abandons all nonces in flight and a hit not yet taken. The job (midstate, tail, target) may
//    change while it is high and is constant from the next clock on.
//  - A nonce is taken in a clock with nonce_valid and nonce_ready; nonce_ready does not wait for nonce_valid.
//  - hit_valid and hit_nonce stay until hit_ready. A nonce is a hit exactly when the most significant 32
//    bits of its digest, read as a little-endian number, are <= target. Hits need not come in order.
//  - `hashed` is high for one clock for each nonce hashed; `idle` means none in flight and no hit waiting.
`default_nettype none

module sha256d_ring #(
	parameter DEPTH = 16,	// round stages: 2, 4, 8, 16, 32 or 64
	parameter BALANCED = 0	// 1: the longest path is three adders and not four, for 32 LUTs a stage on a part whose
				// adders take a function for nothing (add32.v), for none on one whose do not (iCE40)
) (
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

	localparam PASSES = 128 / DEPTH;
	localparam PASS_W = $clog2(PASSES);
	localparam [PASS_W-1:0] LAST_PASS = {PASS_W{1'b1}};
	localparam [PASS_W-1:0] LAST_OF_FIRST = LAST_PASS >> 1;	// the first compression's last pass

	// Place 0 is the turn-around's output, place DEPTH its input; the slots move up one place a clock.
	localparam PLACES = DEPTH + 1;
	wire [255:0]             state [0:DEPTH];
	wire [511:0]             window [0:DEPTH];
	reg  [PLACES-1:0]        valid_q;	// the slot holds a nonce
	reg  [DEPTH-1:0]         parked_q;	// it is a hit that could not be handed out yet
	reg  [PASS_W*DEPTH-1:0]  pass_q;	// which time it goes round
	reg  [32*PLACES-1:0]     nonce_q;

	reg  [255:0] state_in_q;
	reg  [511:0] window_in_q;
	assign state[0] = state_in_q;
	assign window[0] = window_in_q;

	genvar i;
	generate
		for (i = 0; i < DEPTH; i = i + 1) begin : stage
			sha256d_ring_stage #(.DEPTH(DEPTH), .INDEX(i), .BALANCED(BALANCED)) round (
				.clk(clk), .pass(pass_q[PASS_W*i +: PASS_W]), .state(state[i]), .window(window[i]),
				.state_q(state[i+1]), .window_q(window[i+1]));
		end
	endgenerate

	// The result. Word 7 of the digest is IV[7] + h, and h has been the e of three rounds ago and the f of two: taken
	// from there, it is compared a clock before the slot is in the last stage. In the ring of 2 that is the turn-around
	// before the last pass, through which a slot goes unchanged.
	wire [31:0] last_h;
	generate
		if (DEPTH == 2) begin : from_f
			assign last_h = state[DEPTH][95:64];
		end else begin : from_e
			assign last_h = state[DEPTH-3][127:96];
		end
	endgenerate
	reg  [31:0] word7_q;
	reg         small_q;
	wire [31:0] word7;
	add32 add_word7 (.a(last_h), .b(IV[31:0]), .sum(word7));
	always @(posedge clk) begin
		word7_q <= word7;
		small_q <= swap32(word7_q) <= target;
	end

	// What the slot in the last stage is to do when it comes to the turn-around a clock later. A hit parks
	// when the last one may still be waiting then.
	reg         hit_valid_q;
	reg  [31:0] hit_nonce_q;
	reg         free_q;		// take a nonce
	reg         middle_q;		// start the second compression
	reg         deliver_q;		// hand out a hit
	reg         park_q;		// keep it for another time round
	reg         hashed_q;
	reg  [PASS_W-1:0] new_pass_q;
	wire [PASS_W-1:0] pass = pass_q[PASS_W*(DEPTH-1) +: PASS_W];
	wire last    = valid_q[DEPTH-1] && pass == LAST_PASS;
	wire found   = last && (parked_q[DEPTH-1] || small_q);
	wire park    = found && (hit_valid_q || deliver_q);
	wire free    = !valid_q[DEPTH-1] || (last && !park);
	always @(posedge clk) begin
		free_q     <= free || clear;
		middle_q   <= !free && !clear && pass == LAST_OF_FIRST;
		deliver_q  <= found && !park && !clear;
		park_q     <= park && !clear;
		hashed_q   <= last && !parked_q[DEPTH-1] && !clear;
		new_pass_q <= free || clear ? {PASS_W{1'b0}} : park ? pass : pass + 1'b1;
	end

	wire [31:0] old_nonce = nonce_q[32*DEPTH +: 32];
	assign nonce_ready = free_q;
	assign hit_valid = hit_valid_q;
	assign hit_nonce = hit_nonce_q;
	assign hashed = hashed_q;
	assign idle = !(|valid_q) && !hit_valid_q;

	always @(posedge clk) begin
		valid_q  <= {valid_q[DEPTH-1:0], !free_q || nonce_valid};
		parked_q <= {parked_q[DEPTH-2:0], park_q};
		pass_q   <= {pass_q[PASS_W*(DEPTH-1)-1:0], new_pass_q};
		nonce_q  <= {nonce_q[32*DEPTH-1:0], free_q ? nonce : old_nonce};

		if (deliver_q)
			hit_nonce_q <= old_nonce;
		hit_valid_q <= deliver_q || (hit_valid_q && !hit_ready);

		if (clear) begin
			valid_q <= {PLACES{1'b0}};
			hit_valid_q <= 1'b0;
		end
	end

	// The words that enter the ring: a new nonce's, the second compression's, or those that come round.
	wire [255:0] old_state = state[DEPTH];
	wire [511:0] old_window = window[DEPTH];
	// The first compression's digest. All words but a and e have been their neighbours' a round ago, and are added then.
	wire [255:0] digest;
	generate
		for (i = 0; i < 8; i = i + 1) begin : feed_forward
			if (i == 7 || i == 3) begin : late
				add32 add (.a(midstate[32*i +: 32]), .b(old_state[32*i +: 32]), .sum(digest[32*i +: 32]));
			end else begin : early
				wire [31:0] sum;
				reg  [31:0] sum_q;
				add32 add (.a(midstate[32*i +: 32]), .b(state[DEPTH-1][32*i+32 +: 32]), .sum(sum));
				always @(posedge clk)
					sum_q <= sum;
				assign digest[32*i +: 32] = sum_q;
			end
		end
	endgenerate

	wire [511:0] first_block  = {tail, swap32(nonce), 32'h80000000, 320'd0, 32'd640};
	wire [511:0] second_block = {digest, 32'h80000000, 192'd0, 32'd256};
	wire [255:0] new_state;
	wire [511:0] new_window;
	generate
		if (PASSES == 2) begin : one_pass_each	// nothing comes round: an item ends one compression or the other
			assign new_state  = free_q ? midstate : IV;
			assign new_window = free_q ? first_block : second_block;
			/* verilator lint_off UNUSED */
			wire unused = &{1'b0, old_state, old_window, middle_q};
			/* verilator lint_on UNUSED */
		end else begin : many_passes
			// The digest comes late from its adders, so it is chosen last.
			assign new_state  = middle_q ? IV : free_q ? midstate : old_state;
			assign new_window = middle_q ? second_block : free_q ? first_block : old_window;
		end
	endgenerate

	// As between stages: h + K + W and W[t] + sigma0(W[t+1]) are added before they are wanted.
	wire [31:0] k, hk, p, q;
	wire [31:0] w0 = new_window[511:480], w1 = new_window[479:448];
	sha256d_ring_k #(.DEPTH(DEPTH), .INDEX(0)) k_of_first (.pass(new_pass_q), .k(k));
	add32 add_k  (.a(new_state[31:0]), .b(k), .sum(hk));
	add32 add_w0 (.a(hk), .b(w0), .sum(p));
	add32 add_w1 (.a(w0), .b(sigma0(w1)), .sum(q));
	always @(posedge clk) begin
		state_in_q <= {new_state[255:32], p};
		window_in_q <= {q, new_window[479:0]};
	end
endmodule

`default_nettype wire
