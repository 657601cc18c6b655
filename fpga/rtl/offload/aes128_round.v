// A round of AES (FIPS 197, 5.1), a block a clock: the S-boxes are block RAM, whose own registers are the pipeline's;
// the rest is combinational behind them. Byte i of a state is [8*i +: 8]; a column is four bytes after one another.
//
// Contract: a block goes in with advance, and its result is on `result` in the next clock, until the next advance.
`default_nettype none

module aes128_round #(
	parameter LAST = 0	// 1: the tenth round, which does not mix columns
) (
	input  wire         clk,
	input  wire         advance,
	input  wire [127:0] state,
	input  wire [127:0] round_key,
	output wire [127:0] result
);
	wire [127:0] sub, shifted, mixed;
	genvar i;
	generate
		for (i = 0; i < 8; i = i + 1) begin : pair
			aes128_sbox box (
				.clk(clk), .advance(advance), .a(state[16*i +: 8]), .b(state[16*i + 8 +: 8]),
				.sub_a(sub[16*i +: 8]), .sub_b(sub[16*i + 8 +: 8]));
		end
		// Row r comes from r columns further on (5.1.2).
		for (i = 0; i < 16; i = i + 1) begin : place
			assign shifted[8*i +: 8] = sub[8*((i + 4 * (i % 4)) % 16) +: 8];
		end
		for (i = 0; i < 4; i = i + 1) begin : column
			assign mixed[32*i +: 32] = LAST != 0 ? shifted[32*i +: 32] : mix(shifted[32*i +: 32]);
		end
	endgenerate
	assign result = mixed ^ round_key;

	// Times x in GF(2^8) (4.2.1).
	function [7:0] xtime(input [7:0] a);
		xtime = {a[6:0], 1'b0} ^ (8'h1b & {8{a[7]}});
	endfunction

	// MixColumns (5.1.3): 2 a + 3 b + c + d, turned on by one for each byte.
	function [31:0] mix(input [31:0] in);
		mix = {
			xtime(in[31:24] ^ in[7:0]) ^ in[7:0] ^ in[15:8] ^ in[23:16],
			xtime(in[23:16] ^ in[31:24]) ^ in[31:24] ^ in[7:0] ^ in[15:8],
			xtime(in[15:8] ^ in[23:16]) ^ in[23:16] ^ in[31:24] ^ in[7:0],
			xtime(in[7:0] ^ in[15:8]) ^ in[15:8] ^ in[23:16] ^ in[31:24]
		};
	endfunction
endmodule

`default_nettype wire
