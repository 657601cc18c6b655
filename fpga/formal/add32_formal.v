// add32 as Yosys sees it is an addition: proved for all operands by yosys' sat (tests/check_rtl.sh).
module add32_formal (
	input wire [31:0] a,
	input wire [31:0] b
);
	wire [31:0] sum;
	add32 dut (.a(a), .b(b), .sum(sum));
	always @* assert (sum == a + b);
endmodule
