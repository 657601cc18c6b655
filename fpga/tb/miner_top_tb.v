// miner_top over its bus: the first block is found by interrupt, with its tag, and the end of the range told.
// miner_bench.cpp asks the rest; this one runs in any simulator.
`timescale 1ns/1ps
`default_nettype none

module miner_top_tb;
	parameter CORES = 2;
	parameter DEPTH = 4;

	reg         aclk = 1'b0, aresetn = 1'b0;
	reg  [11:0] awaddr = 12'd0, araddr = 12'd0;
	reg  [31:0] wdata = 32'd0;
	reg         awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
	wire        awready, wready, bvalid, arready, rvalid, irq;
	wire [1:0]  bresp, rresp;
	wire [31:0] rdata;

	miner_top #(.CORES(CORES), .DEPTH(DEPTH), .HITS_LOG2(2)) dut (
		.aclk(aclk), .aresetn(aresetn),
		.s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
		.s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
		.s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
		.s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
		.s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
		.irq(irq));

	always #5 aclk = !aclk;

	`include "../rtl/regs.vh"
	`include "sha256_reference.vh"

	integer    seed = 1, i, guard;
	reg [1:0]  beats;
	reg [31:0] value, hit_tag, hit_nonce;

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED miner_top_tb: %0s", why);
			$fatal;
		end
	endtask

	// ready is looked at just before the edge that takes the beat.
	task write(input [11:0] addr, input [31:0] data);
		begin
			awaddr = addr;
			wdata = data;
			awvalid = 1'b1;
			repeat ($random(seed) & 3) begin
				@(posedge aclk);
				if (awvalid && awready) begin @(negedge aclk); awvalid = 1'b0; end else @(negedge aclk);
			end
			wvalid = 1'b1;
			bready = 1'b1;
			while (awvalid || wvalid || !bvalid) begin
				@(posedge aclk);
				beats = {awready, wready};
				@(negedge aclk);
				if (beats[1]) awvalid = 1'b0;
				if (beats[0]) wvalid = 1'b0;
			end
			@(negedge aclk);
			bready = 1'b0;
		end
	endtask

	task read(input [11:0] addr);
		begin
			araddr = addr;
			arvalid = 1'b1;
			while (!arready) @(negedge aclk);
			@(negedge aclk);
			arvalid = 1'b0;
			repeat ($random(seed) & 3) @(negedge aclk);
			if (!rvalid) fatal("no answer to a read");
			value = rdata;
			rready = 1'b1;
			@(negedge aclk);
			rready = 1'b0;
		end
	endtask

	initial begin
		repeat (4) @(negedge aclk);
		aresetn = 1'b1;
		@(negedge aclk);
		read(REG_ID);
		if (value !== RESET_ID) fatal("identity");
		for (i = 0; i < 8; i = i + 1)
			write(REG_JOB_MIDSTATE0 + 4 * i, GENESIS_MIDSTATE[255 - 32*i -: 32]);
		write(REG_JOB_TAIL0, GENESIS_TAIL[95:64]);
		write(REG_JOB_TAIL1, GENESIS_TAIL[63:32]);
		write(REG_JOB_TAIL2, GENESIS_TAIL[31:0]);
		write(REG_JOB_TAG, 32'hcafe0001);
		write(REG_JOB_TARGET, 32'd0);
		write(REG_JOB_FIRST, GENESIS_NONCE - 20);
		write(REG_JOB_LAST, GENESIS_NONCE + 20);
		write(REG_IRQ_ENABLE, 32'd1);
		write(REG_CONTROL, 32'd1 << CONTROL_START);
		for (guard = 0; !irq; guard = guard + 1) begin
			if (guard > 20000) fatal("no interrupt");
			@(negedge aclk);
		end
		write(REG_IRQ_STATUS, 32'd1 << IRQ_STATUS_HIT);
		read(REG_STATUS);
		if (!value[STATUS_HIT]) fatal("no hit");
		read(REG_HIT_TAG);
		hit_tag = value;
		read(REG_HIT_NONCE);
		hit_nonce = value;
		if (hit_tag !== 32'hcafe0001 || hit_nonce !== GENESIS_NONCE) fatal("another hit");
		value = 32'd0;
		for (guard = 0; !value[IRQ_STATUS_EXHAUSTED]; guard = guard + 1) begin
			if (guard > 20000) fatal("never exhausted");
			read(REG_IRQ_STATUS);
		end
		read(REG_STATUS);
		if (value !== 32'd0) fatal("not idle at the end");
		read(REG_HASHES);
		if (value !== 32'd41) fatal("hashes");
		$display("ok miner_of_%0d_cores_of_depth_%0d_finds_the_first_block", CORES, DEPTH);
		$finish;
	end
endmodule

`default_nettype wire
