// The HX8K board's top as its host sees it: two wires. Registers are written and read back over the serial line, a
// broken command is got over, noise is no command, and Bitcoin's first block is found. The clock is not the PLL's.
`timescale 1ns/1ps
`default_nettype none

module SB_PLL40_CORE #(
	parameter FEEDBACK_PATH = "", parameter PLLOUT_SELECT = "", parameter [3:0] DIVR = 0, parameter [6:0] DIVF = 0,
	parameter [2:0] DIVQ = 0, parameter [2:0] FILTER_RANGE = 0
) (
	input wire REFERENCECLK, output wire PLLOUTGLOBAL, output reg LOCK, input wire RESETB, input wire BYPASS
);
	assign PLLOUTGLOBAL = REFERENCECLK;
	initial begin
		LOCK = 1'b0;
		#200 LOCK = 1'b1;
	end
endmodule

module hx8k_tb;
	parameter CLOCKS_A_BIT = 8;
	reg        clk = 1'b0, rx = 1'b1;
	wire       tx;
	wire [7:0] led;

	hx8k #(.CLOCK_HZ(CLOCKS_A_BIT), .BAUD(1)) dut (.clk12(clk), .rx(rx), .tx(tx), .led(led));
	always #5 clk = !clk;

	`include "../rtl/regs.vh"
	`include "sha256_reference.vh"

	integer    seed = 1, i, answered = 0, guard;
	reg [31:0] value, words [0:14];

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED hx8k_tb, byte %0d: %0s", answered, why);
			$fatal;
		end
	endtask

	// The host's clock is up to 2 % off.
	integer bit_ns = 10 * CLOCKS_A_BIT;
	task send(input [7:0] sent);
		integer n;
		begin
			rx = 1'b0;
			#(bit_ns);
			for (n = 0; n < 8; n = n + 1) begin
				rx = sent[n];
				#(bit_ns);
			end
			rx = 1'b1;
			#(bit_ns);
			if (($random(seed) & 3) == 0) #($random(seed) & 1023);
		end
	endtask

	// What comes back, as bytes in `value`, the first lowest.
	integer r;
	reg [7:0] got;
	always begin
		@(negedge tx);
		#(bit_ns / 2);
		if (tx !== 1'b0) fatal("no start bit");
		for (r = 0; r < 8; r = r + 1) begin
			#(bit_ns) got[r] = tx;
		end
		#(bit_ns);
		if (tx !== 1'b1) fatal("no stop bit");
		value = {got, value[31:8]};
		answered = answered + 1;
	end

	task write(input [11:0] addr, input [31:0] data);
		begin
			send({1'b1, addr[8:2]});
			for (i = 0; i < 4; i = i + 1)
				send(data[8*i +: 8]);
		end
	endtask

	task read(input [11:0] addr);
		integer already;
		begin
			already = answered;
			send({1'b0, addr[8:2]});
			for (guard = 0; answered != already + 4; guard = guard + 1) begin
				if (guard > 100 * CLOCKS_A_BIT) fatal("no answer");
				@(negedge clk);
			end
		end
	endtask

	integer n;
	initial begin
		#1000;
		read(REG_ID);
		if (value !== RESET_ID) fatal("identity");

		for (n = 0; n < 40; n = n + 1) begin
			bit_ns = 10 * CLOCKS_A_BIT + (n % 3 - 1) * (CLOCKS_A_BIT / 5);
			words[n % 15] = $random(seed);
			write(REG_JOB_TAG + 4 * (n % 15), words[n % 15]);
			if (n >= 15) begin
				read(REG_JOB_TAG + 4 * ((n + 1) % 15));
				if (value !== words[(n + 1) % 15]) fatal("another word comes back");
			end
		end
		bit_ns = 10 * CLOCKS_A_BIT;
		$display("ok serial_line_reaches_every_job_register");

		for (n = 0; n < 5; n = n + 1) begin	// a write of which the last 4 - n bytes never come
			send({1'b1, REG_IRQ_ENABLE[8:2]});
			repeat (n) send(8'h00);
			repeat (5) send(8'h00);
			#(60 * bit_ns);
			read(REG_ID);
			if (value !== RESET_ID) fatal("out of step after five zeros");
		end
		$display("ok five_zero_bytes_bring_the_line_in_step");

		answered = 0;
		rx = 1'b0;
		#(bit_ns / 4) rx = 1'b1;		// a spike
		#(20 * bit_ns) rx = 1'b0;
		#(15 * bit_ns) rx = 1'b1;		// a break
		#(60 * bit_ns);
		if (answered != 0) fatal("noise is taken for a command");
		read(REG_ID);
		if (value !== RESET_ID) fatal("out of step after noise");
		$display("ok noise_is_no_command");

		for (n = 0; n < 8; n = n + 1)
			write(REG_JOB_MIDSTATE0 + 4 * n, GENESIS_MIDSTATE[255 - 32*n -: 32]);
		write(REG_JOB_TAIL0, GENESIS_TAIL[95:64]);
		write(REG_JOB_TAIL1, GENESIS_TAIL[63:32]);
		write(REG_JOB_TAIL2, GENESIS_TAIL[31:0]);
		write(REG_JOB_TAG, 32'hcafe0001);
		write(REG_JOB_TARGET, 32'd0);
		write(REG_JOB_FIRST, GENESIS_NONCE - 20);
		write(REG_JOB_LAST, GENESIS_NONCE + 20);
		write(REG_IRQ_ENABLE, 32'd1);
		write(REG_CONTROL, 32'd1 << CONTROL_START);
		value = 32'd0;
		for (n = 0; !value[IRQ_STATUS_EXHAUSTED]; n = n + 1) begin
			if (n > 200) fatal("never exhausted");
			read(REG_IRQ_STATUS);
		end
		if (led !== 8'h03) fatal("lamps");
		read(REG_HIT_TAG);
		if (value !== 32'hcafe0001) fatal("tag");
		read(REG_HIT_NONCE);
		if (value !== GENESIS_NONCE) fatal("nonce");
		$display("ok board_finds_the_first_block_over_its_serial_line");
		$finish;
	end
endmodule

`default_nettype wire
