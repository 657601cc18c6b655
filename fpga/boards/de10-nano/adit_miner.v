// miner_top as Platform Designer wants an AXI4-Lite agent: with the protection bits, which nobody here looks at,
// and an interrupt it calls a sender. Wiring and nothing else.
`default_nettype none

module adit_miner #(
	parameter CORES = 1,	// see miner_top
	parameter DEPTH = 16
) (
	input  wire        aclk,
	input  wire        aresetn,
	input  wire [11:0] s_axil_awaddr,
	/* verilator lint_off UNUSED */
	input  wire [2:0]  s_axil_awprot,
	/* verilator lint_on UNUSED */
	input  wire        s_axil_awvalid,
	output wire        s_axil_awready,
	input  wire [31:0] s_axil_wdata,
	input  wire [3:0]  s_axil_wstrb,
	input  wire        s_axil_wvalid,
	output wire        s_axil_wready,
	output wire [1:0]  s_axil_bresp,
	output wire        s_axil_bvalid,
	input  wire        s_axil_bready,
	input  wire [11:0] s_axil_araddr,
	/* verilator lint_off UNUSED */
	input  wire [2:0]  s_axil_arprot,
	/* verilator lint_on UNUSED */
	input  wire        s_axil_arvalid,
	output wire        s_axil_arready,
	output wire [31:0] s_axil_rdata,
	output wire [1:0]  s_axil_rresp,
	output wire        s_axil_rvalid,
	input  wire        s_axil_rready,
	output wire        irq
);
	miner_top #(.CORES(CORES), .DEPTH(DEPTH)) miner (
		.aclk(aclk), .aresetn(aresetn),
		.s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
		.s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
		.s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
		.s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
		.s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
		.s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
		.s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
		.irq(irq));
endmodule

`default_nettype wire
