// AES-128's key schedule (FIPS 197, 5.2), two clocks a round key: 21 clocks after load all eleven are there.
//
// Contract: load takes key; `ready` is low until round_keys holds all of them, number n at [128*(10 - n) +: 128].
`default_nettype none

module aes128_keys (
	input  wire          clk,
	input  wire          reset,
	input  wire          load,
	input  wire [127:0]  key,
	output wire [1407:0] round_keys,
	output wire          ready
);
	reg [1407:0] keys_q;	// the newest at the low end
	reg [3:0]    made_q;	// round keys made, with the key itself; 0: none yet
	reg          answer_q;	// the S-boxes have the newest key's last word
	reg [7:0]    rcon_q;

	wire [31:0] rotated = {keys_q[103:96], keys_q[127:104]};
	wire [31:0] sub;
	aes128_sbox low  (.clk(clk), .advance(1'b1), .a(rotated[7:0]), .b(rotated[15:8]), .sub_a(sub[7:0]), .sub_b(sub[15:8]));
	aes128_sbox high (.clk(clk), .advance(1'b1), .a(rotated[23:16]), .b(rotated[31:24]), .sub_a(sub[23:16]), .sub_b(sub[31:24]));

	wire [31:0] word0 = keys_q[31:0] ^ sub ^ {24'd0, rcon_q};
	wire [31:0] word1 = keys_q[63:32] ^ word0;
	wire [31:0] word2 = keys_q[95:64] ^ word1;
	wire [31:0] word3 = keys_q[127:96] ^ word2;
	wire make = answer_q && made_q != 4'd0 && made_q != 4'd11;

	always @(posedge clk) begin
		answer_q <= !answer_q && !load;
		if (load) begin
			keys_q[127:0] <= key;
			made_q <= 4'd1;
			rcon_q <= 8'h01;
		end else if (make) begin
			keys_q <= {keys_q[1279:0], word3, word2, word1, word0};
			made_q <= made_q + 4'd1;
			rcon_q <= {rcon_q[6:0], 1'b0} ^ (8'h1b & {8{rcon_q[7]}});
		end
		if (reset)
			made_q <= 4'd0;
	end

	assign round_keys = keys_q;
	assign ready = made_q == 4'd11;
endmodule

`default_nettype wire
