// A round of CubeHash (Bernstein, "CubeHash specification (2.B.1)"), combinational: the state's 32 words, word 0 in
// the low bits. Its ten steps are two halves of five; all but the additions and the XORs is wiring.
`default_nettype none

module cubehash_round (
	input  wire [1023:0] state,
	output wire [1023:0] next
);
	// After the first half: low words swapped across bit 8 of their numbers, high ones across bit 2.
	wire [511:0] low, high;
	genvar i;
	generate
		for (i = 0; i < 16; i = i + 1) begin : word
			wire [31:0] sum, sum_2;
			wire [31:0] old = state[32*(i ^ 8) +: 32], old_2 = low[32*(i ^ 4) +: 32];
			add32 add (.a(state[512 + 32*i +: 32]), .b(state[32*i +: 32]), .sum(sum));
			assign low[32*i +: 32] = {old[24:0], old[31:25]} ^ sum;
			assign high[32*(i ^ 2) +: 32] = sum;

			add32 add_2 (.a(high[32*i +: 32]), .b(low[32*i +: 32]), .sum(sum_2));
			assign next[32*i +: 32] = {old_2[20:0], old_2[31:21]} ^ sum_2;
			assign next[512 + 32*(i ^ 1) +: 32] = sum_2;
		end
	endgenerate
endmodule

`default_nettype wire
