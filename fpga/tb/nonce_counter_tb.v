// nonce_counter against a count of its own, under random stalls: every nonce once and in order, offers that
// stand, ranges of one nonce, through 2^32-1 and reloaded in the middle.
`timescale 1ns/1ps
`default_nettype none

module nonce_counter_tb;
	reg         clk = 1'b0, clear = 1'b1, load = 1'b0, ready = 1'b0;
	reg  [31:0] first = 32'd0, last = 32'd0;
	wire        valid;
	wire [31:0] nonce;
	nonce_counter dut (.clk(clk), .clear(clear), .load(load), .first(first), .last(last),
		.valid(valid), .ready(ready), .nonce(nonce));

	always #5 clk = !clk;

	integer    seed = 1, job, left, i;
	reg [31:0] want;

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED nonce_counter_tb, job %0d: %0s", job, why);
			$fatal;
		end
	endtask

	initial begin
		job = 0;
		repeat (3) @(negedge clk);
		clear = 1'b0;
		@(negedge clk);
		if (valid) fatal("valid after clear");
		for (job = 0; job < 300; job = job + 1) begin
			case (job % 4)
			0: first = $random(seed);
			1: first = 32'hffffffff - ($random(seed) & 32'h3f);
			2: first = 32'd0;
			default: first = 32'hfffffff0;
			endcase
			left = job % 5 == 0 ? 1 : 1 + ($random(seed) & 32'h7f);
			last = first + left - 1;
			want = first;
			load = 1'b1;
			ready = $random(seed);
			@(negedge clk);
			load = 1'b0;
			first = $random(seed);	// taken with load, and not after
			last = $random(seed);
			// A third of the jobs is broken off by the next load.
			i = job % 3 == 0 ? left / 2 : left;
			while (i > 0) begin
				if (!valid) fatal("ends early");
				if (nonce !== want) fatal("wrong nonce");
				ready = ($random(seed) & 3) != 0;
				if (ready) begin
					want = want + 1;
					i = i - 1;
				end
				@(negedge clk);
			end
			ready = 1'b1;
			if (job % 3 != 0)
				repeat (5) begin
					if (valid) fatal("goes on after the last");
					@(negedge clk);
				end
			if (job % 50 == 49) begin
				clear = 1'b1;
				load = 1'b1;
				@(negedge clk);
				clear = 1'b0;
				load = 1'b0;
				if (valid) fatal("valid after clear and load at once");
			end
		end
		$display("ok nonce_counter_issues_each_nonce_once");
		$finish;
	end
endmodule

`default_nettype wire
