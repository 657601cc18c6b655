// secp256k1_mod by stream: pairs of field elements in, a result out for each; the next pair comes in meanwhile.
//
// Contract: a pair is four words on s_axis, a result two on m_axis. Elements are 32 bytes, most significant first,
// the first byte in tdata[7:0]. tlast comes back with a result's second word; within a pair it ends it, as if zeros
// followed. operation stands still while pairs are inside.
`default_nettype none

module secp256k1_block (
	input  wire         clk,
	input  wire         reset,
	input  wire [1:0]   operation,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire         s_axis_tlast,
	output wire [127:0] m_axis_tdata,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,
	output wire         m_axis_tlast
);
	reg [511:0] in_q;	// the first word at the top, each word's first byte lowest
	reg [1:0]   in_word_q;
	reg         in_full_q, in_last_q;
	reg         inside_q, result_q, last_q;	// a pair is in the multiplier; its result is there; the packet's last
	reg [1:0]   out_left_q;
	reg         out_last_q;
	reg [255:0] out_q;

	wire [511:0] pair;	// numbers
	wire [255:0] result, turned;
	wire         ready, done;
	genvar i, j;
	generate
		for (i = 0; i < 4; i = i + 1) begin : word
			for (j = 0; j < 16; j = j + 1) begin : place
				assign pair[128*i + 8*j +: 8] = in_q[128*i + 8*(15 - j) +: 8];
			end
		end
		for (j = 0; j < 32; j = j + 1) begin : place
			assign turned[8*j +: 8] = result[8*(31 - j) +: 8];
		end
	endgenerate

	wire in     = s_axis_tvalid && s_axis_tready;
	wire unload = inside_q && (result_q || done) && (out_left_q == 2'd0 || (out_left_q == 2'd1 && m_axis_tready));
	wire start  = in_full_q && ready && (!inside_q || unload);
	assign s_axis_tready = !in_full_q;

	secp256k1_mod field (
		.clk(clk), .reset(reset), .start(start), .ready(ready), .operation(operation),
		.a(pair[511:256]), .b(pair[255:0]), .done(done), .result(result));

	always @(posedge clk) begin
		if (in) begin
			case (in_word_q)
			2'd0: in_q <= {s_axis_tdata, 384'd0};
			2'd1: in_q[383:256] <= s_axis_tdata;
			2'd2: in_q[255:128] <= s_axis_tdata;
			2'd3: in_q[127:0] <= s_axis_tdata;
			endcase
			in_last_q <= s_axis_tlast;
			in_word_q <= s_axis_tlast ? 2'd0 : in_word_q + 2'd1;
		end
		in_full_q <= (in && (s_axis_tlast || in_word_q == 2'd3)) || (in_full_q && !start);

		if (start)
			last_q <= in_last_q;
		inside_q <= start || (inside_q && !unload);
		result_q <= inside_q && (result_q || done) && !unload;

		if (unload) begin
			out_q <= turned;
			out_last_q <= last_q;
			out_left_q <= 2'd2;
		end else if (m_axis_tvalid && m_axis_tready) begin
			out_q[127:0] <= out_q[255:128];
			out_left_q <= out_left_q - 2'd1;
		end

		if (reset) begin
			in_word_q <= 2'd0;
			in_full_q <= 1'b0;
			inside_q <= 1'b0;
			result_q <= 1'b0;
			out_left_q <= 2'd0;
		end
	end

	assign m_axis_tdata  = out_q[127:0];
	assign m_axis_tvalid = out_left_q != 2'd0;
	assign m_axis_tlast  = out_last_q && out_left_q == 2'd1;
endmodule

`default_nettype wire
