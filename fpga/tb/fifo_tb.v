// fifo against a queue of its own, under random pushes and pops: order, full, empty, and nothing lost where
// both happen at once at either end. $fatal at the first difference.
`timescale 1ns/1ps
`default_nettype none

module fifo_tb;
	parameter DEPTH_LOG2 = 3;
	localparam DEPTH = 1 << DEPTH_LOG2;

	reg         clk = 1'b0, clear = 1'b1, push = 1'b0, pop = 1'b0;
	reg  [15:0] back = 16'd0;
	wire [15:0] front;
	wire        full, empty;
	fifo #(.WIDTH(16), .DEPTH_LOG2(DEPTH_LOG2)) dut (.clk(clk), .clear(clear), .push(push), .back(back), .full(full),
		.pop(pop), .front(front), .empty(empty));

	always #5 clk = !clk;

	// What went in and came out; the numbers of entries only rise.
	reg [15:0] model [0:65535];
	integer    seed = 1, in = 0, out = 0, step, push_odds, pop_odds;

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED fifo_tb, step %0d: %0s", step, why);
			$fatal;
		end
	endtask

	initial begin
		step = 0;
		repeat (3) @(negedge clk);
		clear = 1'b0;
		for (step = 0; step < 30000; step = step + 1) begin
			if (empty !== (in == out)) fatal("empty is wrong");
			if (full !== (in - out == DEPTH)) fatal("full is wrong");
			if (!empty && front !== model[out]) fatal("front is wrong");
			// Long stretches that fill, that drain, and that balance.
			push_odds = step / 500 % 3 == 0 ? 15 : 8;
			pop_odds  = step / 500 % 3 == 1 ? 15 : 8;
			push = ($random(seed) & 15) < push_odds;
			pop  = ($random(seed) & 15) < pop_odds;
			back = $random(seed);
			clear = step % 4000 == 3999;
			if (push && in - out < DEPTH && !(clear)) begin
				model[in] = back;
				if (pop && in != out) out = out + 1;
				in = in + 1;
			end else if (pop && in != out)
				out = out + 1;
			if (clear) out = in;
			@(negedge clk);
		end
		$display("ok fifo_%0d_keeps_order_and_loses_nothing", DEPTH);
		$finish;
	end
endmodule

`default_nettype wire
