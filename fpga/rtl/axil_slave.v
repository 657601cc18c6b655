// AXI4-Lite slave side: turns bus transfers into single-clock register accesses. It knows the bus and no
// register. AMBA AXI (ARM IHI 0022), B1.
//
// Contract: `write` is high for one clock with write_addr and write_data; a transfer that does not strobe all
// four bytes is answered and never shown. `read` is high for one clock with read_addr, and read_data is taken
// in that same clock, so it may pop a queue. Every transfer is answered OKAY: an error answer would be a bus
// error and the end of the driver's process. Write address and data may come in any order.
`default_nettype none

module axil_slave #(
	parameter ADDR_WIDTH = 12	// bits of byte address
) (
	input  wire                  clk,
	input  wire                  reset,
	input  wire [ADDR_WIDTH-1:0] s_axil_awaddr,
	input  wire                  s_axil_awvalid,
	output wire                  s_axil_awready,
	input  wire [31:0]           s_axil_wdata,
	input  wire [3:0]            s_axil_wstrb,
	input  wire                  s_axil_wvalid,
	output wire                  s_axil_wready,
	output wire [1:0]            s_axil_bresp,
	output wire                  s_axil_bvalid,
	input  wire                  s_axil_bready,
	input  wire [ADDR_WIDTH-1:0] s_axil_araddr,
	input  wire                  s_axil_arvalid,
	output wire                  s_axil_arready,
	output wire [31:0]           s_axil_rdata,
	output wire [1:0]            s_axil_rresp,
	output wire                  s_axil_rvalid,
	input  wire                  s_axil_rready,

	output wire                  write,
	output wire [ADDR_WIDTH-1:0] write_addr,
	output wire [31:0]           write_data,
	output wire                  read,
	output wire [ADDR_WIDTH-1:0] read_addr,
	input  wire [31:0]           read_data
);
	reg                  have_addr_q, have_data_q, all_bytes_q, bvalid_q, rvalid_q;
	reg [ADDR_WIDTH-1:0] addr_q;
	reg [31:0]           data_q, rdata_q;

	// Address and data wait for each other, and for the last answer to be taken.
	wire complete = have_addr_q && have_data_q && (!bvalid_q || s_axil_bready);
	assign s_axil_awready = !have_addr_q;
	assign s_axil_wready  = !have_data_q;
	assign s_axil_bvalid  = bvalid_q;
	assign s_axil_bresp   = 2'b00;
	assign write      = complete && all_bytes_q;
	assign write_addr = addr_q;
	assign write_data = data_q;

	assign s_axil_arready = !rvalid_q;
	assign s_axil_rvalid  = rvalid_q;
	assign s_axil_rdata   = rdata_q;
	assign s_axil_rresp   = 2'b00;
	assign read      = s_axil_arvalid && !rvalid_q && !reset;
	assign read_addr = s_axil_araddr;

	always @(posedge clk) begin
		if (s_axil_awvalid && !have_addr_q)
			addr_q <= s_axil_awaddr;
		if (s_axil_wvalid && !have_data_q) begin
			data_q <= s_axil_wdata;
			all_bytes_q <= &s_axil_wstrb;
		end
		have_addr_q <= have_addr_q ? !complete : s_axil_awvalid;
		have_data_q <= have_data_q ? !complete : s_axil_wvalid;
		bvalid_q <= complete || (bvalid_q && !s_axil_bready);

		if (read)
			rdata_q <= read_data;
		rvalid_q <= read || (rvalid_q && !s_axil_rready);

		if (reset) begin
			have_addr_q <= 1'b0;
			have_data_q <= 1'b0;
			bvalid_q <= 1'b0;
			rvalid_q <= 1'b0;
		end
	end
`ifdef FORMAL
	// For yosys' sat, by induction (tests/check_rtl.sh), against any manager: answers come for what was asked and for
	// nothing else, and stand until they are taken; each whole write is shown once, as it was sent, and each read.
	reg                  was_reset = 1'b1;
	reg [1:0]            addresses, words, reads;	// taken and not yet answered
	reg                  answer_waited, data_waited, whole_taken;
	reg [31:0]           data_taken, data_held, read_held;
	reg [ADDR_WIDTH-1:0] addr_taken;
	wire aw = s_axil_awvalid && s_axil_awready, w = s_axil_wvalid && s_axil_wready;
	wire b = s_axil_bvalid && s_axil_bready;
	wire ar = s_axil_arvalid && s_axil_arready, r = s_axil_rvalid && s_axil_rready;
	initial assume (reset);

	always @(posedge clk) begin
		was_reset <= reset;
		addresses <= reset ? 2'd0 : addresses + {1'b0, aw} - {1'b0, b};
		words <= reset ? 2'd0 : words + {1'b0, w} - {1'b0, b};
		reads <= reset ? 2'd0 : reads + {1'b0, ar} - {1'b0, r};
		answer_waited <= s_axil_bvalid && !s_axil_bready && !reset;
		data_waited <= s_axil_rvalid && !s_axil_rready && !reset;
		data_held <= s_axil_rdata;
		if (ar)
			read_held <= read_data;
		if (aw)
			addr_taken <= s_axil_awaddr;
		if (w) begin
			data_taken <= s_axil_wdata;
			whole_taken <= s_axil_wstrb == 4'hf;
		end
	end

	reg started = 1'b0;
	always @(posedge clk)
		started <= 1'b1;
	always @* if (started) begin
		assert (s_axil_bresp == 2'b00 && s_axil_rresp == 2'b00);
		if (answer_waited)
			assert (s_axil_bvalid);
		if (data_waited)
			assert (s_axil_rvalid && s_axil_rdata == data_held);
		// One write at most waits before the registers, and one answer for the manager.
		assert (addresses == {1'b0, have_addr_q} + {1'b0, s_axil_bvalid});
		assert (words == {1'b0, have_data_q} + {1'b0, s_axil_bvalid});
		assert (reads == {1'b0, s_axil_rvalid});
		if (s_axil_rvalid)
			assert (s_axil_rdata == read_held);
		assert (read == (ar && !reset));
		if (read)
			assert (read_addr == s_axil_araddr);
		if (have_addr_q)
			assert (write_addr == addr_taken);
		if (have_data_q)
			assert (write_data == data_taken && all_bytes_q == whole_taken);
		// Shown when both halves are there, if whole, and once: both places are free after it.
		assert (write == (have_addr_q && have_data_q && whole_taken && (!s_axil_bvalid || s_axil_bready)));
		if (was_reset)
			assert (!have_addr_q && !have_data_q && !s_axil_bvalid && !s_axil_rvalid);
	end
`endif
endmodule

`default_nettype wire
