// Two S-boxes of AES (FIPS 197, 5.1.1) in one block RAM, which has two ports: a byte is answered in the clock after it.
`default_nettype none

module aes128_sbox (
	input  wire       clk,
	input  wire       advance,	// take a and b; else the answers stand
	input  wire [7:0] a,
	input  wire [7:0] b,
	output reg  [7:0] sub_a,
	output reg  [7:0] sub_b
);
	`include "aes128_sbox.vh"

	(* ram_style = "block", rom_style = "block" *)
	reg [7:0] rom [0:255];
	integer i;
	initial
		for (i = 0; i < 256; i = i + 1)
			rom[i] = SBOX[8*i +: 8];

	always @(posedge clk) if (advance) begin
		sub_a <= rom[a];
		sub_b <= rom[b];
	end
endmodule

`default_nettype wire
