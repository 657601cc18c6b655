// Registers over a serial line, for a board without a processor: a UART on one side, an AXI4-Lite master on
// the other. It knows no register.
//
// Lines of 8N1. A command is one byte, its lower seven bits the register's offset divided by four:
//     0x80 | word, then four bytes, the lowest first    write; it is not answered
//     word                                              read; answered by four bytes, the lowest first
// A host that does not know how far the last command got sends five zero bytes and lets the line fall silent: they
// end any command, and what is left of them reads register 0. A command during an answer spoils it: ask and wait.
//
// Contract: m_axil_* keep an offer until it is taken; answers are taken at once, their response not looked at.
`default_nettype none

module uart_axil #(
	parameter CLOCKS_A_BIT = 625	// of the serial line, at least 4: clock rate / baud
) (
	input  wire        clk,
	input  wire        reset,
	input  wire        rx,
	output wire        tx,

	output wire [11:0] m_axil_awaddr,
	output wire        m_axil_awvalid,
	input  wire        m_axil_awready,
	output wire [31:0] m_axil_wdata,
	output wire        m_axil_wvalid,
	input  wire        m_axil_wready,
	output wire [11:0] m_axil_araddr,
	output wire        m_axil_arvalid,
	input  wire        m_axil_arready,
	input  wire [31:0] m_axil_rdata,
	input  wire        m_axil_rvalid
);
	localparam TIME_W = $clog2(CLOCKS_A_BIT);
	localparam [31:0] LAST_32 = CLOCKS_A_BIT - 1;
	localparam [31:0] MIDDLE_32 = CLOCKS_A_BIT / 2 - 1;
	localparam [TIME_W-1:0] LAST = LAST_32[TIME_W-1:0], MIDDLE = MIDDLE_32[TIME_W-1:0];

	// Receiver: from the middle of the start bit on, a bit every CLOCKS_A_BIT.
	reg [2:0]        rx_q;		// the line, in step with the clock; [2] is the oldest
	reg [TIME_W-1:0] rx_time_q;
	reg [3:0]        rx_left_q;	// bits still to come, the stop bit too; 0 waits for a start bit
	reg [7:0]        rx_byte_q;
	reg              rx_done_q;	// rx_byte_q is a byte, for one clock
	wire rx_sample = rx_time_q == {TIME_W{1'b0}};

	always @(posedge clk) begin
		rx_q <= {rx_q[1:0], rx};
		rx_done_q <= 1'b0;
		rx_time_q <= rx_sample ? LAST : rx_time_q - 1'b1;
		if (rx_left_q == 4'd0) begin
			rx_time_q <= MIDDLE;
			if (rx_q[2] && !rx_q[1])
				rx_left_q <= 4'd10;
		end else if (rx_sample) begin
			rx_byte_q <= {rx_q[1], rx_byte_q[7:1]};
			rx_left_q <= rx_left_q - 4'd1;
			if (rx_left_q == 4'd10 && rx_q[1])
				rx_left_q <= 4'd0;	// a spike, no start bit
			if (rx_left_q == 4'd1) begin
				rx_byte_q <= rx_byte_q;
				rx_done_q <= rx_q[1];	// without a stop bit it was no byte
			end
		end
		if (reset) begin
			rx_q <= 3'b111;
			rx_left_q <= 4'd0;
			rx_done_q <= 1'b0;
		end
	end

	// The command: its byte, then the four of a write.
	reg [6:0]  word_q;
	reg [2:0]  data_left_q;
	reg [31:0] data_q;		// of a write, or what is left of an answer
	reg        awvalid_q, wvalid_q, arvalid_q;
	assign m_axil_awaddr = {3'd0, word_q, 2'd0};
	assign m_axil_araddr = {3'd0, word_q, 2'd0};
	assign m_axil_wdata = data_q;
	assign m_axil_awvalid = awvalid_q;
	assign m_axil_wvalid = wvalid_q;
	assign m_axil_arvalid = arvalid_q;

	// Transmitter: four bytes of data_q, the lowest first, each between a start bit and a stop bit.
	reg [TIME_W-1:0] tx_time_q;
	reg [3:0]        tx_left_q;	// bits of this byte still on the line
	reg [2:0]        answer_left_q;	// bytes still to be begun
	reg              tx_q;
	assign tx = tx_q;
	wire tx_next = tx_time_q == {TIME_W{1'b0}};
	wire tx_begin = answer_left_q != 3'd0 && tx_left_q == 4'd0;

	always @(posedge clk) begin
		awvalid_q <= awvalid_q && !m_axil_awready;
		wvalid_q <= wvalid_q && !m_axil_wready;
		arvalid_q <= arvalid_q && !m_axil_arready;
		if (rx_done_q) begin
			if (data_left_q != 3'd0) begin
				data_q <= {rx_byte_q, data_q[31:8]};
				data_left_q <= data_left_q - 3'd1;
				awvalid_q <= data_left_q == 3'd1;
				wvalid_q <= data_left_q == 3'd1;
			end else begin
				word_q <= rx_byte_q[6:0];
				data_left_q <= rx_byte_q[7] ? 3'd4 : 3'd0;
				arvalid_q <= !rx_byte_q[7];
			end
		end

		tx_time_q <= tx_next ? LAST : tx_time_q - 1'b1;
		if (tx_begin) begin
			tx_q <= 1'b0;
			tx_time_q <= LAST;
			tx_left_q <= 4'd10;
			answer_left_q <= answer_left_q - 3'd1;
		end else if (tx_left_q != 4'd0 && tx_next) begin
			// The start bit is over, or a data bit, or the stop bit.
			tx_left_q <= tx_left_q - 4'd1;
			tx_q <= tx_left_q > 4'd2 ? data_q[0] : 1'b1;
			if (tx_left_q > 4'd2)
				data_q <= {1'b0, data_q[31:1]};
		end
		if (m_axil_rvalid) begin
			data_q <= m_axil_rdata;
			answer_left_q <= 3'd4;
		end

		if (reset) begin
			awvalid_q <= 1'b0;
			wvalid_q <= 1'b0;
			arvalid_q <= 1'b0;
			data_left_q <= 3'd0;
			tx_q <= 1'b1;
			tx_left_q <= 4'd0;
			answer_left_q <= 3'd0;
		end
	end
endmodule

`default_nettype wire
