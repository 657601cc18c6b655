// ChaCha20's quarter round (RFC 8439, 2.1), combinational: four additions after one another.
`default_nettype none

module chacha20_quarter (
	input  wire [31:0] a,
	input  wire [31:0] b,
	input  wire [31:0] c,
	input  wire [31:0] d,
	output wire [31:0] next_a,
	output wire [31:0] next_b,
	output wire [31:0] next_c,
	output wire [31:0] next_d
);
	wire [31:0] a1, c1;
	wire [31:0] d1x = d ^ a1,     b1x = b ^ c1;
	wire [31:0] d1 = {d1x[15:0], d1x[31:16]}, b1 = {b1x[19:0], b1x[31:20]};
	wire [31:0] d2x = d1 ^ next_a, b2x = b1 ^ next_c;
	assign next_d = {d2x[23:0], d2x[31:24]};
	assign next_b = {b2x[24:0], b2x[31:25]};

	add32 add_a1 (.a(a), .b(b), .sum(a1));
	add32 add_c1 (.a(c), .b(d1), .sum(c1));
	add32 add_a2 (.a(a1), .b(b1), .sum(next_a));
	add32 add_c2 (.a(c1), .b(next_d), .sum(next_c));
endmodule

`default_nettype wire
