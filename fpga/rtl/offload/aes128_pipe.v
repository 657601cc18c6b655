// AES-128 encryption (FIPS 197) of a stream, one block a clock: ECB, or CTR (SP 800-38A, 6.1 and 6.5). Ten rounds
// after one another, each a clock, whose 160 S-boxes are 80 block RAMs of 18 Kbit; the key schedule is hardware, too.
//
// Contract: load takes key, ctr and counter, and drops what is inside; 21 clocks later words are taken. A word is a
// block, its first byte tdata[7:0]. counter is that of the first block, most significant byte first, and counts up
// over packets. A block leaves 11 clocks after it came; all stand still while m_axis_tready is low and one waits there.
`default_nettype none

module aes128_pipe (
	input  wire         clk,
	input  wire         reset,
	input  wire         load,
	input  wire [127:0] key,
	input  wire         ctr,	// 1: encrypt counters and XOR the text; 0: encrypt the text
	input  wire [127:0] counter,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	localparam ROUNDS = 10;

	wire [1407:0] round_keys;
	wire          keys_ready;
	aes128_keys keys (.clk(clk), .reset(reset), .load(load), .key(key), .round_keys(round_keys), .ready(keys_ready));

	reg                      ctr_q;
	reg [127:0]              counter_q;		// the number, not its bytes
	reg [ROUNDS-1:0]         valid_q, last_q;	// of what the rounds hold, the newest at the low end
	reg [128*ROUNDS-1:0]     text_q;
	reg                      out_valid_q, out_last_q;
	reg [127:0]              out_q;

	wire advance = !out_valid_q || m_axis_tready;
	wire take    = s_axis_tvalid && s_axis_tready;
	assign s_axis_tready = keys_ready && advance && !load;

	wire [127:0] first_counter, now;
	wire [128*(ROUNDS+1)-1:0] state;
	genvar i;
	generate
		for (i = 0; i < 16; i = i + 1) begin : turned
			assign first_counter[8*i +: 8] = counter[8*(15 - i) +: 8];
			assign now[8*i +: 8] = counter_q[8*(15 - i) +: 8];
		end
		for (i = 1; i <= ROUNDS; i = i + 1) begin : round
			aes128_round #(.LAST(i == ROUNDS ? 1 : 0)) transform (
				.clk(clk), .advance(advance), .state(state[128*(i - 1) +: 128]),
				.round_key(round_keys[128*(ROUNDS - i) +: 128]), .result(state[128*i +: 128]));
		end
	endgenerate
	assign state[127:0] = (ctr_q ? now : s_axis_tdata) ^ round_keys[128*ROUNDS +: 128];

	always @(posedge clk) begin
		if (load) begin
			ctr_q <= ctr;
			counter_q <= first_counter;
		end else if (take)
			counter_q <= counter_q + 128'd1;
		if (advance) begin
			valid_q <= {valid_q[ROUNDS-2:0], take};
			last_q <= {last_q[ROUNDS-2:0], s_axis_tlast};
			text_q <= {text_q[128*(ROUNDS-1)-1:0], s_axis_tdata & {128{ctr_q}}};
			out_valid_q <= valid_q[ROUNDS-1];
			out_last_q <= last_q[ROUNDS-1];
			out_q <= state[128*ROUNDS +: 128] ^ text_q[128*(ROUNDS-1) +: 128];
		end
		if (reset || load) begin
			valid_q <= {ROUNDS{1'b0}};
			out_valid_q <= 1'b0;
		end
	end

	assign m_axis_tdata  = out_q;
	assign m_axis_tvalid = out_valid_q;
	assign m_axis_tlast  = out_last_q;
endmodule

`default_nettype wire
