// CubeHash16/32-256 of 32-byte messages, one round a clock, 192 clocks a message: 16 rounds after the message, 16
// after the padding, 160 to finish. The next message is taken meanwhile, and the digest leaves during the next.
//
// Contract: a message is two words on s_axis and a digest two on m_axis, byte 0 in tdata[7:0]; tlast comes back with
// the digest's second word. tlast on a message's first word ends it, as if zeros followed.
`default_nettype none

module cubehash256_block (
	input  wire         clk,
	input  wire         reset,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	// The state after the parameters 32, 32, 16 and 160 rounds.
	localparam [1023:0] IV = {
		128'hd6032c0a_9cdaf8af_4ab6aad6_15815aeb, 128'h85254725_774abfdd_9e4b4e60_2af2b5ae,
		128'h93cb6285_65c892fd_5fa25603_09392549, 128'hf0b26679_6c859d41_6107fbd5_d89041c3,
		128'h40e5fbab_4680ac00_8ef8ad83_28cceca4, 128'h3361da8c_d0720c35_42af2070_c2d0b696,
		128'hf4cc12be_7e624131_e5d94e63_22512d5b, 128'h35481eae_63117e71_ccd6f29f_ea2bd4b4
	};
	localparam [7:0] ROUNDS = 192;

	reg [255:0]  in_q;
	reg          in_second_q;	// its second word comes next
	reg          in_full_q, in_last_q;

	reg [1023:0] state_q;
	reg          full_q, last_q;	// a message is in state_q; its packet ends with it
	reg [7:0]    round_q;		// the round to be done

	reg [1:0]    out_left_q;	// words of the digest still to be sent
	reg          out_last_q;
	reg [255:0]  out_q;

	wire [1023:0] next;
	cubehash_round round (.state(state_q), .next(next));

	wire final_round = round_q == ROUNDS - 8'd1;
	wire out_free = out_left_q == 2'd0 || (out_left_q == 2'd1 && m_axis_tready);
	wire step   = full_q && (!final_round || out_free);
	wire unload = step && final_round;
	wire start  = in_full_q && (!full_q || unload);
	wire in     = s_axis_tvalid && s_axis_tready;
	assign s_axis_tready = !in_full_q;

	always @(posedge clk) begin
		if (in) begin
			in_q[255:128] <= in_second_q ? s_axis_tdata : 128'd0;
			if (!in_second_q)
				in_q[127:0] <= s_axis_tdata;
			in_last_q <= s_axis_tlast;
			in_second_q <= !in_second_q && !s_axis_tlast;
		end
		in_full_q <= (in && (in_second_q || s_axis_tlast)) || (in_full_q && !start);

		if (step) begin
			state_q <= next;
			if (round_q == 8'd15)
				state_q[7] <= !next[7];		// the padding: 0x80
			if (round_q == 8'd31)
				state_q[992] <= !next[992];	// the end: 1 to the last word
			round_q <= round_q + 8'd1;
		end
		if (start) begin
			state_q <= {IV[1023:256], IV[255:0] ^ in_q};
			last_q <= in_last_q;
			round_q <= 8'd0;
		end
		full_q <= start || (full_q && !unload);

		if (unload) begin
			out_q <= next[255:0];
			out_last_q <= last_q;
			out_left_q <= 2'd2;
		end else if (m_axis_tvalid && m_axis_tready) begin
			out_q[127:0] <= out_q[255:128];
			out_left_q <= out_left_q - 2'd1;
		end

		if (reset) begin
			in_second_q <= 1'b0;
			in_full_q <= 1'b0;
			full_q <= 1'b0;
			out_left_q <= 2'd0;
		end
	end

	assign m_axis_tdata  = out_q[127:0];
	assign m_axis_tvalid = out_left_q != 2'd0;
	assign m_axis_tlast  = out_last_q && out_left_q == 2'd1;
endmodule

`default_nettype wire
