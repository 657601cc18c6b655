// One pair of field elements from registers through a core that takes them by stream, its result back into a register:
// so single sums and products need no DMA. Else the streams pass through.
//
// Contract: start, while nothing is inside the core, sends `item`, byte 0 in [7:0], and 64 bytes long; busy is high
// until done, for one clock, says that `result` is there, 32 bytes. s_axis and m_axis wait meanwhile.
`default_nettype none

module item_by_registers (
	input  wire         clk,
	input  wire         reset,
	input  wire         start,
	input  wire [511:0] item,
	output wire         busy,
	output wire         done,
	output wire [255:0] result,

	input  wire         s_axis_tvalid,
	output wire         s_axis_tready,
	input  wire [127:0] s_axis_tdata,
	input  wire         s_axis_tlast,
	output wire         m_axis_tvalid,
	input  wire         m_axis_tready,

	output wire [127:0] to_core_tdata,
	output wire         to_core_tvalid,
	input  wire         to_core_tready,
	output wire         to_core_tlast,
	input  wire [127:0] from_core_tdata,
	input  wire         from_core_tvalid,
	output wire         from_core_tready,
	input  wire         from_core_tlast
);
	reg         busy_q, sending_q;
	reg [1:0]   word_q;
	reg [255:0] result_q;

	assign busy = busy_q;
	assign done = busy_q && from_core_tvalid && from_core_tlast;
	assign result = result_q;

	assign to_core_tdata  = busy_q ? item[{word_q, 7'd0} +: 128] : s_axis_tdata;
	assign to_core_tvalid = busy_q ? sending_q : s_axis_tvalid;
	assign to_core_tlast  = busy_q ? word_q == 2'd3 : s_axis_tlast;
	assign s_axis_tready  = to_core_tready && !busy_q;
	assign m_axis_tvalid  = from_core_tvalid && !busy_q;
	assign from_core_tready = m_axis_tready || busy_q;

	always @(posedge clk) begin
		if (start && !busy_q) begin
			busy_q <= 1'b1;
			sending_q <= 1'b1;
			word_q <= 2'd0;
		end else if (busy_q) begin
			if (sending_q && to_core_tready) begin
				word_q <= word_q + 2'd1;
				sending_q <= word_q != 2'd3;
			end
			if (from_core_tvalid)
				result_q <= {from_core_tdata, result_q[255:128]};
			if (done)
				busy_q <= 1'b0;
		end
		if (reset) begin
			busy_q <= 1'b0;
			sending_q <= 1'b0;
		end
	end
endmodule

`default_nettype wire
