// axil_slave under random orders and stalls of all five channels: each transfer is answered once, writes reach
// the register side once and whole, and reads bring what that side held. Payloads stand while they wait.
`timescale 1ns/1ps
`default_nettype none

module axil_slave_tb;
	reg         clk = 1'b0, reset = 1'b1;
	reg  [11:0] awaddr = 12'd0, araddr = 12'd0;
	reg         awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
	reg  [31:0] wdata = 32'd0;
	reg  [3:0]  wstrb = 4'd0;
	wire        awready, wready, bvalid, arready, rvalid, write, read;
	wire [1:0]  bresp, rresp;
	wire [31:0] rdata, write_data;
	wire [11:0] write_addr, read_addr;
	reg  [31:0] pops = 32'd0;	// rises with each read: one shown twice or never would show

	axil_slave #(.ADDR_WIDTH(12)) dut (
		.clk(clk), .reset(reset),
		.s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
		.s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
		.s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
		.s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
		.s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
		.write(write), .write_addr(write_addr), .write_data(write_data),
		.read(read), .read_addr(read_addr), .read_data({pops[19:0], read_addr}));

	always #5 clk = !clk;

	integer seed = 1, aw_sent = 0, w_sent = 0, b_seen = 0, writes_seen = 0, ar_sent = 0, r_seen = 0, i;
	integer strobed = 0;
	// Writes by number: what was sent, and which of them were of four bytes.
	reg [11:0] sent_addr [0:4095];
	reg [31:0] sent_data [0:4095];
	reg [3:0]  sent_strb [0:4095];
	reg [11:0] read_sent [0:4095];
	reg        b_waits = 1'b0, r_waits = 1'b0;
	reg [31:0] r_held = 32'd0;

	task fatal(input [8*48-1:0] why);
		begin
			$display("FAILED axil_slave_tb, write %0d, read %0d: %0s", b_seen, r_seen, why);
			$fatal;
		end
	endtask

	// What happens at the edge, seen before it.
	always @(posedge clk) if (!reset) begin
		if (awvalid && awready) aw_sent = aw_sent + 1;
		if (wvalid && wready) w_sent = w_sent + 1;
		if (arvalid && arready) begin
			if (!read) fatal("a read is taken and not shown");
			ar_sent = ar_sent + 1;
		end else if (read) fatal("a read is shown and not taken");
		if (read) pops <= pops + 1;
		if (write) begin
			while (sent_strb[writes_seen] != 4'hf) writes_seen = writes_seen + 1;
			if (write_addr !== sent_addr[writes_seen] || write_data !== sent_data[writes_seen])
				fatal("a write is not the one that was sent");
			writes_seen = writes_seen + 1;
			strobed = strobed + 1;
		end
		if (b_waits && !bvalid) fatal("an answer to a write is withdrawn");
		if (r_waits && (!rvalid || rdata !== r_held)) fatal("an answer to a read changes");
		if (bvalid && bready) begin
			b_seen = b_seen + 1;
			if (bresp !== 2'b00) fatal("bresp");
			if (b_seen > aw_sent || b_seen > w_sent) fatal("a write is answered before it is there");
		end
		if (rvalid && rready) begin
			if (rresp !== 2'b00) fatal("rresp");
			if (rdata[11:0] !== read_sent[r_seen] || rdata[31:12] !== r_seen) fatal("read data");
			r_seen = r_seen + 1;
		end
		b_waits <= bvalid && !bready;
		r_waits <= rvalid && !rready;
		r_held <= rdata;
	end

	integer mood, want, aw_next = 0, w_next = 0, ar_next = 0;
	initial begin
		for (i = 0; i < 4096; i = i + 1) begin
			sent_addr[i] = $random(seed);
			sent_data[i] = $random(seed);
			sent_strb[i] = i % 7 == 3 ? $random(seed) : 4'hf;
			read_sent[i] = $random(seed);
		end
		repeat (3) @(negedge clk);
		reset = 1'b0;
		for (i = 0; b_seen < 3000 || r_seen < 3000; i = i + 1) begin
			if (i > 200000) fatal("nothing happens any more");
			mood = i / 300 % 4;	// balanced, slow address, slow data, slow answers
			// An offer stands until it is taken; valid never waits for ready.
			if (aw_next == aw_sent && aw_next < 3000 && (mood != 1 || ($random(seed) & 7) == 0) && ($random(seed) & 1) != 0) begin
				awvalid = 1'b1;
				awaddr = sent_addr[aw_next];
				aw_next = aw_next + 1;
			end
			if (w_next == w_sent && w_next < 3000 && (mood != 2 || ($random(seed) & 7) == 0) && ($random(seed) & 1) != 0) begin
				wvalid = 1'b1;
				wdata = sent_data[w_next];
				wstrb = sent_strb[w_next];
				w_next = w_next + 1;
			end
			if (ar_next == ar_sent && ar_next < 3000 && ($random(seed) & 1) != 0) begin
				arvalid = 1'b1;
				araddr = read_sent[ar_next];
				ar_next = ar_next + 1;
			end
			bready = mood == 3 ? ($random(seed) & 7) == 0 : $random(seed);
			rready = mood == 3 ? ($random(seed) & 7) == 0 : $random(seed);
			@(negedge clk);
			if (aw_next == aw_sent) begin awvalid = 1'b0; awaddr = $random(seed); end
			if (w_next == w_sent) begin wvalid = 1'b0; wdata = $random(seed); wstrb = $random(seed); end
			if (ar_next == ar_sent) begin arvalid = 1'b0; araddr = $random(seed); end
		end
		want = 0;
		for (i = 0; i < 3000; i = i + 1)
			if (sent_strb[i] == 4'hf) want = want + 1;
		if (strobed != want) fatal("whole writes are lost, or partial ones shown");
		if (aw_sent != 3000 || w_sent != 3000 || ar_sent != 3000 || b_seen != 3000 || r_seen != 3000) fatal("counts");
		$display("ok axil_slave_answers_each_transfer_once");
		$finish;
	end
endmodule

`default_nettype wire
