// A stream's words into memory, by bursts of an AXI4 write master, and a word when the last has arrived. A burst
// has 16 beats at most, so it suits the AXI3 ports of a Zynq, and ends where the address is a multiple of 256, so it
// crosses no 4 KiB (AMBA AXI, A3.4.1). The next burst's address goes out while the last one's data do.
//
// Contract: start, while not busy, takes address and the number of 16-byte words, at least 1.
// done is high for one clock when memory has answered for all of them; error when an answer was an error. abort
// gives up: what has been addressed is sent with no byte strobed, and done does not come; busy falls all the same.
`default_nettype none

module stream_to_memory (
	input  wire         clk,
	input  wire         reset,
	input  wire         start,
	input  wire         abort,
	input  wire [59:0]  address,	// in 16 bytes
	input  wire [26:0]  words,
	output wire         busy,
	output wire         done,
	output wire         error,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,

	output wire [63:0]  m_axi_awaddr,
	output wire [7:0]   m_axi_awlen,
	output wire         m_axi_awvalid,
	input  wire         m_axi_awready,
	output wire [127:0] m_axi_wdata,
	output wire [15:0]  m_axi_wstrb,
	output wire         m_axi_wlast,
	output wire         m_axi_wvalid,
	input  wire         m_axi_wready,
	input  wire [1:0]   m_axi_bresp,
	input  wire         m_axi_bvalid,
	output wire         m_axi_bready
);
	reg         busy_q, aborted_q;
	reg         aw_valid_q;
	reg [59:0]  at_q;		// the burst at aw, or the next: its address / 16
	reg [4:0]   len_q;		// its beats, while aw_valid_q
	reg [26:0]  left_q;		// words not addressed yet, those at aw among them
	reg [4:0]   next_q;		// beats addressed whose data come after this burst's; 0: none
	reg [4:0]   beats_q;		// beats of this burst still to be taken
	reg         w_valid_q, w_last_q, w_strobe_q;
	reg [127:0] w_data_q;
	reg [1:0]   unanswered_q;	// bursts addressed, not answered

	wire [4:0] to_boundary = 5'd16 - {1'b0, at_q[3:0]};
	wire [4:0] len = left_q < {22'd0, to_boundary} ? left_q[4:0] : to_boundary;
	wire giving_up = aborted_q || abort;
	wire offer  = busy_q && !aw_valid_q && left_q != 27'd0 && next_q == 5'd0 && unanswered_q != 2'd3 && !giving_up;
	wire aw     = aw_valid_q && m_axi_awready;
	wire room   = !w_valid_q || m_axi_wready;
	wire take   = beats_q != 5'd0 && room && (s_axis_tvalid || aborted_q);
	wire b      = m_axi_bvalid && m_axi_bready;
	wire begins = next_q != 5'd0 && (beats_q == 5'd0 || (take && beats_q == 5'd1));	// the next burst's data
	wire ends   = busy_q && !aw_valid_q && next_q == 5'd0 && beats_q == 5'd0 && unanswered_q == 2'd0
		&& (left_q == 27'd0 || aborted_q);

	assign busy  = busy_q;
	assign done  = ends && !giving_up;
	assign error = b && m_axi_bresp != 2'b00;
	assign m_axi_awaddr  = {at_q, 4'd0};
	assign m_axi_awlen   = {3'd0, len_q - 5'd1};
	assign m_axi_awvalid = aw_valid_q;
	assign m_axi_wdata   = w_data_q;
	assign m_axi_wstrb   = {16{w_strobe_q}};
	assign m_axi_wlast   = w_last_q;
	assign m_axi_wvalid  = w_valid_q;
	assign s_axis_tready = beats_q != 5'd0 && room && !aborted_q;
	assign m_axi_bready  = 1'b1;

	always @(posedge clk) begin
		if (start && !busy_q) begin
			at_q <= address;
			left_q <= words;
		end else if (aw) begin
			at_q <= at_q + {55'd0, len_q};
			left_q <= left_q - {22'd0, len_q};
		end
		if (offer)
			len_q <= len;
		aw_valid_q <= offer || (aw_valid_q && !aw);
		next_q <= aw ? len_q : begins ? 5'd0 : next_q;
		beats_q <= begins ? next_q : beats_q - {4'd0, take};
		w_valid_q <= take || (w_valid_q && !m_axi_wready);
		if (take) begin
			w_data_q <= s_axis_tdata;
			w_last_q <= beats_q == 5'd1;
			w_strobe_q <= !aborted_q;
		end
		unanswered_q <= unanswered_q + {1'b0, aw} - {1'b0, b};
		busy_q <= (start || busy_q) && !ends;
		aborted_q <= busy_q && giving_up && !ends;

		if (reset) begin
			busy_q <= 1'b0;
			aborted_q <= 1'b0;
			aw_valid_q <= 1'b0;
			left_q <= 27'd0;
			next_q <= 5'd0;
			beats_q <= 5'd0;
			w_valid_q <= 1'b0;
			unanswered_q <= 2'd0;
		end
	end
endmodule

`default_nettype wire
