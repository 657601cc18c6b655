// Arithmetic modulo p = 2^256 - C, C = 2^32 + 977, the field of secp256k1 (SEC 2, 2.4.1): a sum or a difference in two
// clocks, a product in 21. A product goes digit by digit of 17 bits, the most significant first (Horner): a clock
// multiplies all of a by a digit of b, in eleven DSPs, and adds that to 2^17 times what there is. What goes beyond
// 2^256 comes back times C, by shifts and additions; one conditional subtraction of p at the end makes it whole.
//
// Contract: start, while ready, takes operation, a and b; done comes with the result, which stands until the next
// start. A product is right for any a and b; a sum and a difference want both below p.
`default_nettype none

module secp256k1_mod (
	input  wire         clk,
	input  wire         reset,
	input  wire         start,
	output wire         ready,
	input  wire [1:0]   operation,	// 0: a + b, 1: a - b, 2: a b
	input  wire [255:0] a,
	input  wire [255:0] b,
	output wire         done,	// for one clock
	output wire [255:0] result
);
	localparam DIGITS = 16;	// of b, 17 bits each
	localparam PARTS = 10;	// of a, 24 bits each, and one of 16
	localparam [255:0] C = 256'h1000003d1;

	// Three stages: the parts of a times a digit; their sum; and the sum of all digits' so far.
	reg [255:0]  a_q;
	reg [271:0]  b_q;		// the next digit at the top
	reg [4:0]    digits_q;		// still to be multiplied
	reg          parts_valid_q, parts_last_q;
	reg [41*PARTS+32:0] parts_q;
	reg          product_valid_q, product_last_q;
	reg [273:0]  product_q;
	reg [273:0]  sum_q;		// always below 2^274
	reg          sum_done_q;

	reg          near_valid_q;	// near_q is the result, but for one p
	reg          below_q;		// of a difference: it is below 0
	reg          subtract_q;
	reg [256:0]  near_q;
	reg          done_q;
	reg [255:0]  result_q;

	wire begin_product = start && operation == 2'd2;

	integer i;
	reg [273:0] even, odd;		// parts that do not overlap
	always @* begin
		even = 274'd0;
		odd = 274'd0;
		even[272:240] = parts_q[41*PARTS +: 33];
		for (i = 0; i < PARTS; i = i + 2)
			even[24*i +: 41] = parts_q[41*i +: 41];
		for (i = 1; i < PARTS; i = i + 2)
			odd[24*i +: 41] = parts_q[41*i +: 41];
	end

	// What is beyond 2^256, of 2^17 times the sum or, at the end, of the sum: 977 is 64 * 15 + 17.
	wire [34:0] high = sum_done_q ? {17'd0, sum_q[273:256]} : sum_q[273:239];
	wire [38:0] high_15 = {high, 4'd0} - {4'd0, high};
	wire [39:0] high_17 = {1'b0, high, 4'd0} + {5'd0, high};
	wire [44:0] high_977 = {high_15, 6'd0} + {5'd0, high_17};
	wire [67:0] high_c = {1'b0, high, 32'd0} + {23'd0, high_977};

	// One adder begins a sum or a difference and ends a product; the next takes p off, or adds it: C the other way.
	wire subtract = start && operation == 2'd1;
	wire [255:0] near_a = sum_done_q ? sum_q[255:0] : a;
	wire [255:0] near_b = sum_done_q ? {188'd0, high_c} : b ^ {256{subtract}};
	wire [256:0] near = {1'b0, near_a} + {1'b0, near_b} + {256'd0, subtract};
	wire [256:0] other = {1'b0, near_q[255:0]} + {1'b0, C ^ {256{subtract_q}}} + {256'd0, subtract_q};
	wire use_other = subtract_q ? below_q : near_q[256] || other[256];

	always @(posedge clk) begin
		if (begin_product) begin
			a_q <= a;
			b_q <= {16'd0, b};
			digits_q <= DIGITS;
			sum_q <= 274'd0;
		end else begin
			b_q <= {b_q[254:0], 17'd0};
			if (digits_q != 5'd0)
				digits_q <= digits_q - 5'd1;
			if (product_valid_q)
				sum_q <= product_q + {18'd0, sum_q[238:0], 17'd0} + {206'd0, high_c};
		end
		for (i = 0; i < PARTS; i = i + 1)
			parts_q[41*i +: 41] <= a_q[24*i +: 24] * b_q[271:255];
		parts_q[41*PARTS +: 33] <= a_q[255:240] * b_q[271:255];
		product_q <= even + odd;

		parts_valid_q <= digits_q != 5'd0;
		parts_last_q <= digits_q == 5'd1;
		product_valid_q <= parts_valid_q;
		product_last_q <= parts_last_q;
		sum_done_q <= product_last_q;

		near_valid_q <= sum_done_q || (start && !begin_product);
		near_q <= near;
		below_q <= !near[256];
		subtract_q <= subtract;
		done_q <= near_valid_q;
		if (near_valid_q)
			result_q <= use_other ? other[255:0] : near_q[255:0];

		if (reset) begin
			digits_q <= 5'd0;
			parts_valid_q <= 1'b0;
			parts_last_q <= 1'b0;
			product_valid_q <= 1'b0;
			product_last_q <= 1'b0;
			sum_done_q <= 1'b0;
			near_valid_q <= 1'b0;
			done_q <= 1'b0;
		end
	end

	assign ready = digits_q == 5'd0 && !parts_valid_q && !product_valid_q && !sum_done_q && !near_valid_q;
	assign done = done_q;
	assign result = result_q;
endmodule

`default_nettype wire
