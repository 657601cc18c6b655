// The miner on Lattice's iCE40-HX8K breakout board: the clock, reset, the serial line and the lamps around
// miner_top. The board's USB chip brings the serial line to the host.
`default_nettype none

module hx8k #(
	parameter DEPTH = 2,		// round stages of the ring
	parameter CLOCK_HZ = 69000000,	// that the PLL's numbers below make of 12 MHz
	parameter BAUD = 115200		// of the serial line
) (
	input  wire       clk12,
	input  wire       rx,
	output wire       tx,
	output wire [7:0] led		// 0: interrupt, 1: the clock is steady
);
	wire clk, locked;
	SB_PLL40_CORE #(
		.FEEDBACK_PATH("SIMPLE"), .PLLOUT_SELECT("GENCLK"),
		.DIVR(4'd0), .DIVF(7'd45), .DIVQ(3'd3), .FILTER_RANGE(3'd1)	// 12 MHz * 46 / 8
	) pll (.REFERENCECLK(clk12), .PLLOUTGLOBAL(clk), .LOCK(locked), .RESETB(1'b1), .BYPASS(1'b0));

	// Reset until the clock has been steady for 16 of its periods; flip-flops are 0 after configuration.
	reg [3:0] steady_q = 4'd0;
	reg       aresetn_q = 1'b0;
	always @(posedge clk) begin
		steady_q <= locked ? steady_q + {3'd0, !aresetn_q} : 4'd0;
		aresetn_q <= locked && (aresetn_q || &steady_q);
	end

	wire [11:0] awaddr, araddr;
	wire [31:0] wdata, rdata;
	wire        awvalid, awready, wvalid, wready, arvalid, arready, rvalid, irq;
	uart_axil #(.CLOCKS_A_BIT(CLOCK_HZ / BAUD)) bridge (
		.clk(clk), .reset(!aresetn_q), .rx(rx), .tx(tx),
		.m_axil_awaddr(awaddr), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
		.m_axil_wdata(wdata), .m_axil_wvalid(wvalid), .m_axil_wready(wready),
		.m_axil_araddr(araddr), .m_axil_arvalid(arvalid), .m_axil_arready(arready),
		.m_axil_rdata(rdata), .m_axil_rvalid(rvalid));

	miner_top #(.CORES(1), .DEPTH(DEPTH), .HITS_LOG2(1), .BALANCED(1)) miner (
		.aclk(clk), .aresetn(aresetn_q),
		.s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
		.s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
		.s_axil_bresp(), .s_axil_bvalid(), .s_axil_bready(1'b1),
		.s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
		.s_axil_rdata(rdata), .s_axil_rresp(), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
		.irq(irq));

	assign led = {6'd0, aresetn_q, irq};
endmodule

`default_nettype wire
