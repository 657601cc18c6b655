// One round stage of the C-slow ring: a round of SHA-256 and a step of its message schedule in one clock.
//
// What travels is not a to h and W[t] to W[t+15]: each stage has already added what the next one needs
// first, so that no more than four adders follow each other, or three where BALANCED. Of the state's
// eight words the last is p = h + K[t] + W[t], of the window's sixteen the first is
// q = W[t] + sigma0(W[t+1]). Only the last stage hands on h and W[t] plain, for the turn-around to choose
// its words from.
//
// Contract: state_q and window_q follow state, window and pass by one clock. No reset: what is worth
// nothing is marked by the ring, not cleared here.
`default_nettype none

module sha256d_ring_stage #(
	parameter DEPTH = 16,	// stages in the ring: 2, 4, 8, 16, 32 or 64
	parameter INDEX = 0,	// of this stage; it does the rounds t with t mod DEPTH = INDEX
	parameter BALANCED = 0	// see sha256d_ring
) (
	input  wire                           clk,
	/* verilator lint_off UNUSED */	// by the last stage, which adds no K
	input  wire [$clog2(128 / DEPTH)-1:0] pass,	// of the item at the input
	/* verilator lint_on UNUSED */
	input  wire [255:0]                   state,
	input  wire [511:0]                   window,
	output reg  [255:0]                   state_q,
	output reg  [511:0]                   window_q
);
	`include "sha256_functions.vh"

	// W[t+16] is wanted only up to W[63]: in the ring of 64 the last stages need not go on with the schedule.
	localparam SCHEDULES = DEPTH < 64 || INDEX < 48;

	wire [31:0] a = state[255:224], b = state[223:192], c = state[191:160], d = state[159:128];
	wire [31:0] e = state[127:96], f = state[95:64], g = state[63:32], p = state[31:0];
	/* verilator lint_off UNUSED */	// where the schedule ends, or nothing is added for a next stage
	wire [31:0] q = window[511:480], w1 = window[479:448], w2 = window[447:416];
	wire [31:0] w9 = window[223:192], w14 = window[63:32];
	/* verilator lint_on UNUSED */

	wire [31:0] ps, t1, next_a, next_e;
	add32 add_sigma1 (.a(p),   .b(big_sigma1(e)), .sum(ps));
	add32 add_ch     (.a(ps),  .b(ch(e, f, g)),   .sum(t1));
	add32 add_d      (.a(d),   .b(t1),            .sum(next_e));

	wire [31:0] w16;
	generate
		if (BALANCED != 0) begin : tree
			wire [31:0] t2;
			add32 add_maj (.a(big_sigma0(a)), .b(maj(a, b, c)), .sum(t2));
			add32 add_t2  (.a(t1), .b(t2), .sum(next_a));
		end else begin : chain
			wire [31:0] t1s;
			add32 add_sigma0 (.a(t1),  .b(big_sigma0(a)), .sum(t1s));
			add32 add_maj    (.a(t1s), .b(maj(a, b, c)),  .sum(next_a));
		end

		if (SCHEDULES) begin : schedule
			wire [31:0] q9;
			add32 add_w9  (.a(q),  .b(w9),          .sum(q9));
			add32 add_w14 (.a(q9), .b(sigma1(w14)), .sum(w16));
		end else begin : no_schedule
			assign w16 = 32'd0;
		end

		if (INDEX == DEPTH - 1) begin : last
			always @(posedge clk) begin
				state_q  <= {next_a, a, b, c, next_e, e, f, g};
				window_q <= {window[479:0], w16};
			end
		end else begin : inner
			wire [31:0] gw, next_p, next_q, next_k;
			add32 add_w1 (.a(g),  .b(w1),         .sum(gw));
			add32 add_k  (.a(gw), .b(next_k),     .sum(next_p));
			if (SCHEDULES) begin : schedule
				add32 add_w2 (.a(w1), .b(sigma0(w2)), .sum(next_q));
			end else begin : no_schedule
				assign next_q = 32'd0;
			end

			sha256d_ring_k #(.DEPTH(DEPTH), .INDEX(INDEX + 1)) k_of_next (.pass(pass), .k(next_k));

			always @(posedge clk) begin
				state_q  <= {next_a, a, b, c, next_e, e, f, next_p};
				window_q <= {next_q, w2, window[415:0], w16};
			end
		end
	endgenerate
endmodule

`default_nettype wire
