// The pad of ChaCha20, block after block without end, by any number of cores: 20 / CORES clocks a block, and 4 at
// best, for 16 bytes leave a clock. It is made ahead, as far as cores and queue hold it.
//
// Contract: load takes key, nonce and the first block's number, and drops what was made before. Then pad comes out
// while pad_valid, and the next 16 bytes after a clock with pad_ready. Numbers wrap at 2^32, which no user may reach.
`default_nettype none

module chacha20_pads #(
	parameter CORES = 1,		// at least 1; more than 5 do not make it faster
	parameter QUEUE_LOG2 = 4	// log2 of the queue's length, in 16 bytes
) (
	input  wire         clk,
	input  wire         reset,
	input  wire         load,
	input  wire [255:0] key,
	input  wire [95:0]  nonce,
	input  wire [31:0]  count,
	output wire [127:0] pad,
	output wire         pad_valid,
	input  wire         pad_ready
);
	reg         run_q;
	reg [255:0] key_q;
	reg [95:0]  nonce_q;
	reg [31:0]  count_q;
	wire        clear = reset || load;
	wire        counted, made, full, empty;
	wire [127:0] block;

	always @(posedge clk) begin
		if (load) begin
			key_q <= key;
			nonce_q <= nonce;
			count_q <= count;
		end else if (run_q && counted)
			count_q <= count_q + 32'd1;
		run_q <= !reset && (load || run_q);
	end

	wire [CORES-1:0]     in_valid, in_ready, out_valid, out_ready;
	wire [128*CORES-1:0] out_data;
	/* verilator lint_off UNUSED */
	wire last;	// pads have no end
	/* verilator lint_on UNUSED */
	axis_turns #(.CORES(CORES), .WIDTH(128), .IN_WORDS(1), .OUT_WORDS(4)) turns (
		.clk(clk), .reset(clear),
		.s_axis_tvalid(run_q), .s_axis_tready(counted), .s_axis_tlast(1'b0),
		.m_axis_tdata(block), .m_axis_tvalid(made), .m_axis_tready(!full), .m_axis_tlast(last),
		.in_valid(in_valid), .in_ready(in_ready), .out_data(out_data), .out_valid(out_valid), .out_ready(out_ready),
		.out_last({CORES{1'b0}}));

	genvar i;
	generate
		for (i = 0; i < CORES; i = i + 1) begin : core
			chacha20_block rounds (
				.clk(clk), .reset(clear), .key(key_q), .nonce(nonce_q), .count(count_q),
				.start_valid(in_valid[i]), .start_ready(in_ready[i]),
				.pad(out_data[128*i +: 128]), .pad_valid(out_valid[i]), .pad_ready(out_ready[i]));
		end
	endgenerate

	fifo #(.WIDTH(128), .DEPTH_LOG2(QUEUE_LOG2)) queue (
		.clk(clk), .clear(clear), .push(made), .back(block), .full(full),
		.pop(pad_ready), .front(pad), .empty(empty));
	assign pad_valid = !empty;
endmodule

`default_nettype wire
