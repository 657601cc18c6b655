// One 32-bit adder, combinational. Sums here are chains of these and not a + b + c, because a chain of carries
// takes a function of up to five inputs for nothing as its second operand, in the table that adds: write the
// plain word as `a`, and ch, maj or a sigma as `b`.
//
// Yosys would have it otherwise: it makes a + b + c a carry-save tree, and turns an addition's operands about
// as it likes, which then costs a table of its own for the function. A subtraction it leaves as it stands.
`default_nettype none

module add32 (
	input  wire [31:0] a,
	input  wire [31:0] b,
	output wire [31:0] sum
);
`ifdef YOSYS
	// a - ~b - 1 = a + b: the lowest bit borrows the one.
	wire [32:0] ordered = {a, 1'b0} - {~b, 1'b1};
	assign sum = ordered[32:1];
`else
	assign sum = a + b;
`endif
endmodule

`default_nettype wire
