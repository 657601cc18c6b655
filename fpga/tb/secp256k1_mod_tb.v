// secp256k1_mod against the simulator's own wide arithmetic, at random and near 0 and p; and how many clocks each
// operation takes, from the clock that takes it to the one that shows the result. $fatal at the first difference.
`timescale 1ns/1ps
`default_nettype none

module secp256k1_mod_tb;
	localparam [511:0] P = {256'd0, {223{1'b1}}, 33'h0fffffc2f};

	reg          clk = 1'b0, reset = 1'b1, start = 1'b0;
	reg  [1:0]   operation = 2'd0;
	reg  [255:0] a = 256'd0, b = 256'd0;
	wire         ready, done;
	wire [255:0] result;
	secp256k1_mod dut (.clk(clk), .reset(reset), .start(start), .ready(ready), .operation(operation), .a(a), .b(b),
		.done(done), .result(result));

	always #5 clk = !clk;

	integer seed = 1, round, clocks, limit;
	reg [511:0] want;

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED secp256k1_mod_tb, operation %0d, %h %h: %0s", operation, a, b, why);
			$fatal;
		end
	endtask

	function [255:0] element(input integer dummy);
		begin
			element = {$random(seed), $random(seed), $random(seed), $random(seed),
				$random(seed), $random(seed), $random(seed), $random(seed)};
			case ($random(seed) & 7)
			0: element = element[3:0];
			1: element = P - 1 - element[3:0];
			2: element[223:32] = {192{element[0]}};
			3: element[255:64] = {192{1'b1}};
			endcase
			element = element % P;
		end
	endfunction

	initial begin
		repeat (3) @(negedge clk);
		reset = 1'b0;
		for (round = 0; round < 3000; round = round + 1) begin
			if (!ready) fatal("not ready");
			operation = round % 3;
			a = element(0);
			b = element(0);
			want = operation == 0 ? {256'd0, a} + b : operation == 1 ? P + a - b : {256'd0, a} * b;
			want = want % P;
			limit = operation == 2 ? 21 : 2;
			start = 1'b1;
			@(negedge clk);
			start = 1'b0;
			for (clocks = 1; !done; clocks = clocks + 1) begin
				if (clocks > limit) fatal("too slow");
				@(negedge clk);
			end
			if (clocks != limit) fatal("clocks");
			if (result !== want[255:0]) fatal("wrong result");
			repeat ($random(seed) & 1) @(negedge clk);
		end
		$display("ok secp256k1_adds_and_subtracts_in_2_clocks_and_multiplies_in_21");
		$finish;
	end
endmodule

`default_nettype wire
