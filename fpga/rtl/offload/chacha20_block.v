// The ChaCha20 block function (RFC 8439, 2.3), one round a clock, 20 clocks a block: a block's first round is done
// in the clock that takes its number, and its last addition on its way out, while the next has its rounds.
//
// The state's four rows are kept result: after a column round so that the diagonals stand in columns, after a
// diagonal round back again. So one row of quarter rounds does both.
//
// Contract: a block's number goes in with start_valid and start_ready, and 20 clocks later at the earliest its pad
// comes out, 16 bytes a clock, four times; the first byte is pad[7:0], of key key[7:0]. key and nonce stand still
// from reset until the last block has left. A block waits inside while its predecessor has not left.
`default_nettype none

module chacha20_block (
	input  wire         clk,
	input  wire         reset,
	input  wire [255:0] key,
	input  wire [95:0]  nonce,
	input  wire [31:0]  count,	// the block's number
	input  wire         start_valid,
	output wire         start_ready,
	output wire [127:0] pad,
	output wire         pad_valid,
	input  wire         pad_ready
);
	localparam [127:0] CONSTANTS = 128'h6b206574_79622d32_3320646e_61707865;	// "expand 32-byte k"
	localparam [4:0]   ROUNDS = 20;

	reg         full_q;	// a block is inside
	reg [4:0]   done_q;	// rounds done of it
	reg [31:0]  count_q;
	reg [511:0] state_q;	// its rows, word 0 in the low bits

	reg         out_valid_q;
	reg [1:0]   out_beat_q;
	reg [31:0]  out_count_q;
	reg [511:0] out_q;	// to be added to the initial state, as the rows are sent

	wire ready  = full_q && done_q == ROUNDS;
	wire unload = ready && (!out_valid_q || (pad_ready && out_beat_q == 2'd3));
	wire take   = start_valid && start_ready;
	wire diagonal = done_q[0] && !take;
	assign start_ready = !full_q || unload;

	wire [511:0] rows = take ? {nonce, count, key, CONSTANTS} : state_q;
	wire [511:0] result;
	genvar i;
	generate
		for (i = 0; i < 4; i = i + 1) begin : column
			chacha20_quarter quarter (
				.a(rows[32*i +: 32]), .b(rows[128 + 32*i +: 32]),
				.c(rows[256 + 32*i +: 32]), .d(rows[384 + 32*i +: 32]),
				.next_a(result[32*i +: 32]), .next_b(result[128 + 32*i +: 32]),
				.next_c(result[256 + 32*i +: 32]), .next_d(result[384 + 32*i +: 32]));
			add32 add (.a(out_q[32*i +: 32]), .b(initial_row[32*i +: 32]), .sum(pad[32*i +: 32]));
		end
	endgenerate
	wire [127:0] b = result[255:128], c = result[383:256], d = result[511:384];

	reg [127:0] initial_row;
	always @* case (out_beat_q)
	2'd0: initial_row = CONSTANTS;
	2'd1: initial_row = key[127:0];
	2'd2: initial_row = key[255:128];
	2'd3: initial_row = {nonce, out_count_q};
	endcase
	assign pad_valid = out_valid_q;

	always @(posedge clk) begin
		if (take)
			count_q <= count;
		if (take || !ready) begin
			state_q[127:0]   <= result[127:0];
			state_q[255:128] <= diagonal ? {b[95:0], b[127:96]} : {b[31:0], b[127:32]};
			state_q[383:256] <= {c[63:0], c[127:64]};
			state_q[511:384] <= diagonal ? {d[31:0], d[127:32]} : {d[95:0], d[127:96]};
			done_q <= take ? 5'd1 : done_q + 5'd1;
		end
		full_q <= take || (full_q && !unload);

		if (unload) begin
			out_q <= state_q;
			out_count_q <= count_q;
			out_beat_q <= 2'd0;
			out_valid_q <= 1'b1;
		end else if (out_valid_q && pad_ready) begin
			out_q <= {128'd0, out_q[511:128]};
			out_beat_q <= out_beat_q + 2'd1;
			out_valid_q <= out_beat_q != 2'd3;
		end

		if (reset) begin
			full_q <= 1'b0;
			done_q <= 5'd0;
			out_valid_q <= 1'b0;
		end
	end
endmodule

`default_nettype wire
