// offload_top in any simulator: the published vectors of a file, under random stalls on both sides, through the
// registers. offload_bench.cpp asks more. $fatal at the first difference.
//
// The file's lines, bytes from left to right as they stand in memory:
//     # any remark
//     w REGISTER VALUE	a register is written
//     i WORD TLAST	16 bytes in
//     o WORD TLAST	16 bytes that must come out; TLAST 1 ends a packet, which then goes through
`timescale 1ns/1ps
`default_nettype none

module offload_tb;
	parameter CORE = 1;
	parameter CORES = 1;
	parameter VECTORS = "chacha20.txt";
	localparam WORDS = 64;

	reg          aclk = 1'b0, aresetn = 1'b0;
	reg  [11:0]  awaddr = 12'd0;
	reg  [31:0]  wdata = 32'd0;
	reg          write = 1'b0;
	wire         awready, wready, bvalid, arready, rvalid, irq, s_ready, m_valid, m_last;
	wire [1:0]   bresp, rresp;
	wire [31:0]  rdata;
	reg  [127:0] s_data = 128'd0;
	reg          s_valid = 1'b0, s_last = 1'b0, m_ready = 1'b0;
	wire [127:0] m_data;

	offload_top #(.CORE(CORE), .CORES(CORES)) dut (
		.aclk(aclk), .aresetn(aresetn),
		.s_axil_awaddr(awaddr), .s_axil_awvalid(write), .s_axil_awready(awready),
		.s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(write), .s_axil_wready(wready),
		.s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(1'b1),
		.s_axil_araddr(12'd0), .s_axil_arvalid(1'b0), .s_axil_arready(arready),
		.s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1), .irq(irq),
		.s_axis_tdata(s_data), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tlast(s_last),
		.m_axis_tdata(m_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tlast(m_last),
		.m_axi_awaddr(), .m_axi_awlen(), .m_axi_awsize(), .m_axi_awburst(), .m_axi_awcache(), .m_axi_awprot(),
		.m_axi_awvalid(), .m_axi_awready(1'b0), .m_axi_wdata(), .m_axi_wstrb(), .m_axi_wlast(), .m_axi_wvalid(),
		.m_axi_wready(1'b0), .m_axi_bresp(2'b00), .m_axi_bvalid(1'b0), .m_axi_bready());

	always #5 aclk = !aclk;

	integer seed = 1, file, sent, got, to_send, to_get, offered, clocks, packets = 0, count;
	reg [127:0] in [0:WORDS-1], want [0:WORDS-1];
	reg         in_last [0:WORDS-1], want_last [0:WORDS-1];
	reg         waits = 1'b0, held_last = 1'b0;
	reg [127:0] held_data = 128'd0;
	reg [8*2-1:0] kind;
	reg [127:0] first;
	reg [31:0]  second;
	reg [8*200-1:0] remark;

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED offload_tb of core %0d, packet %0d, word %0d: %0s", CORE, packets, got, why);
			$fatal;
		end
	endtask

	// The first byte of a line is the lowest of a word.
	function [127:0] turned(input [127:0] word);
		integer i;
		for (i = 0; i < 16; i = i + 1)
			turned[8*i +: 8] = word[8*(15 - i) +: 8];
	endfunction

	always @(posedge aclk) if (aresetn) begin
		if (s_valid && s_ready) sent = sent + 1;
		if (waits && (!m_valid || m_data !== held_data || m_last !== held_last)) fatal("changed while it waited");
		if (m_valid && m_ready) begin
			if (got >= to_get) fatal("more than was asked for");
			if (m_data !== want[got]) fatal("wrong result");
			if (m_last !== want_last[got]) fatal("tlast");
			got = got + 1;
		end
		waits <= m_valid && !m_ready;
		held_data <= m_data;
		held_last <= m_last;
	end

	task run_packet;
		begin
			offered = -1;
			for (clocks = 0; got < to_get; clocks = clocks + 1) begin
				if (clocks > 100000) fatal("nothing happens any more");
				if (offered != sent) begin	// an offer stands until it is taken
					s_valid = 1'b0;
					if (sent < to_send && ($random(seed) & 3) != 0) begin
						offered = sent;
						s_valid = 1'b1;
					end
				end
				s_data = s_valid ? in[sent] : {4{$random(seed)}};
				s_last = s_valid ? in_last[sent] : $random(seed);
				m_ready = clocks / 400 % 2 == 0 ? ($random(seed) & 3) == 0 : ($random(seed) & 255) == 0;
				@(negedge aclk);
			end
			if (sent != to_send) fatal("not all was taken");
			s_valid = 1'b0;
			m_ready = 1'b1;
			repeat (20) @(negedge aclk);
			packets = packets + 1;
		end
	endtask

	initial begin
		sent = 0; got = 0; to_send = 0; to_get = 0;
		file = $fopen(VECTORS, "r");
		if (file == 0) fatal("no vectors");
		repeat (4) @(negedge aclk);
		aresetn = 1'b1;
		while ($fscanf(file, "%s", kind) == 1) begin
			if (kind == "#")
				count = $fgets(remark, file);
			else begin
				if ($fscanf(file, "%h %h", first, second) != 2) fatal("a line of the vectors");
				if (kind == "w") begin
					awaddr = first[11:0];
					wdata = second;
					write = 1'b1;
					@(negedge aclk);
					write = 1'b0;
					repeat (4) @(negedge aclk);
				end else if (kind == "i") begin
					in[to_send] = turned(first);
					in_last[to_send] = second[0];
					to_send = to_send + 1;
				end else begin
					want[to_get] = turned(first);
					want_last[to_get] = second[0];
					to_get = to_get + 1;
					if (second[0]) begin
						run_packet;
						sent = 0; got = 0; to_send = 0; to_get = 0;
					end
				end
			end
		end
		if (packets == 0 || to_send != 0 || to_get != 0) fatal("the vectors are not whole");
		$display("ok offload_core_%0d_of_%0d_gives_the_published_vectors", CORE, CORES);
		$finish;
	end
endmodule

`default_nettype wire
