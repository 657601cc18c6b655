// One round of SHA-256 (FIPS 180-4, 6.2.2, step 3), combinational; K + W is added outside, a clock before.
`default_nettype none

module sha256_round (
	input  wire [255:0] state,	// a (highest) to h
	input  wire [31:0]  kw,		// K[t] + W[t]
	output wire [255:0] next
);
	`include "sha256_functions.vh"

	wire [31:0] a = state[255:224], b = state[223:192], c = state[191:160], d = state[159:128];
	wire [31:0] e = state[127:96], f = state[95:64], g = state[63:32], h = state[31:0];

	wire [31:0] hkw, hkws, t1, t1s, next_a, next_e;
	add32 add_kw     (.a(h),    .b(kw),              .sum(hkw));
	add32 add_sigma1 (.a(hkw),  .b(big_sigma1(e)),   .sum(hkws));
	add32 add_ch     (.a(hkws), .b(ch(e, f, g)),     .sum(t1));
	add32 add_sigma0 (.a(t1),   .b(big_sigma0(a)),   .sum(t1s));
	add32 add_maj    (.a(t1s),  .b(maj(a, b, c)),    .sum(next_a));
	add32 add_d      (.a(d),    .b(t1),              .sum(next_e));

	assign next = {next_a, a, b, c, next_e, e, f, g};
endmodule

`default_nettype wire
