// A hash core against the behavioural reference: Bitcoin's first block, then random jobs under random stalls.
// DEPTH 0 is sha256d_iter, else sha256d_ring. core_bench.cpp asks more; this one runs in any simulator.
`timescale 1ns/1ps
`default_nettype none

module core_tb;
	parameter DEPTH = 0;
	parameter BALANCED = 0;
	parameter JOBS = 6;

	reg          clk = 1'b0, clear = 1'b1, nonce_valid = 1'b0, hit_ready = 1'b0;
	reg  [255:0] midstate = 256'd0;
	reg  [95:0]  tail = 96'd0;
	reg  [31:0]  target = 32'd0, nonce = 32'd0;
	wire         nonce_ready, hit_valid, hashed, idle;
	wire [31:0]  hit_nonce;

	generate
		if (DEPTH == 0) begin : iter
			sha256d_iter dut (.clk(clk), .clear(clear), .midstate(midstate), .tail(tail), .target(target),
				.nonce_valid(nonce_valid), .nonce_ready(nonce_ready), .nonce(nonce), .hit_valid(hit_valid),
				.hit_ready(hit_ready), .hit_nonce(hit_nonce), .hashed(hashed), .idle(idle));
		end else begin : ring
			sha256d_ring #(.DEPTH(DEPTH), .BALANCED(BALANCED)) dut (.clk(clk), .clear(clear), .midstate(midstate), .tail(tail),
				.target(target), .nonce_valid(nonce_valid), .nonce_ready(nonce_ready), .nonce(nonce),
				.hit_valid(hit_valid), .hit_ready(hit_ready), .hit_nonce(hit_nonce), .hashed(hashed), .idle(idle));
		end
	endgenerate

	always #5 clk = !clk;

	`include "sha256_reference.vh"

	integer seed = 1, job, count, taken, done, i, clocks, stalls;
	reg [31:0]   first;
	reg [1023:0] hits;	// by nonce - first

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED core_tb, depth %0d, job %0d: %0s", DEPTH, job, why);
			$fatal;
		end
	endtask

	always @(posedge clk) if (!clear) begin
		if (nonce_valid && nonce_ready) taken = taken + 1;
		if (hashed) done = done + 1;
		if (hit_valid && hit_ready) begin
			if (hit_nonce - first >= count) fatal("a hit that was never a nonce");
			if (hits[hit_nonce - first]) fatal("a hit twice");
			hits[hit_nonce - first] = 1'b1;
		end
	end

	initial begin
		ref_init;
		if (ref_top_word(GENESIS_MIDSTATE, GENESIS_TAIL, GENESIS_NONCE) !== 32'd0) fatal("reference");
		for (job = 0; job < JOBS; job = job + 1) begin
			clear = 1'b1;
			nonce_valid = 1'b0;
			@(negedge clk);
			clear = 1'b0;
			taken = 0;
			done = 0;
			hits = 1024'd0;
			if (job == 0) begin
				midstate = GENESIS_MIDSTATE;
				tail = GENESIS_TAIL;
				target = 32'd0;
				first = GENESIS_NONCE - 5;
				count = 12;
			end else begin
				for (i = 0; i < 8; i = i + 1) midstate[32*i +: 32] = $random(seed);
				for (i = 0; i < 3; i = i + 1) tail[32*i +: 32] = $random(seed);
				target = 32'hffffffff >> (job % 4);
				first = job == 1 ? 32'hfffffff0 : $random(seed);
				count = 20 + ($random(seed) & 31);
			end
			stalls = job * 3 % 8;
			for (clocks = 0; taken < count || !idle; clocks = clocks + 1) begin
				if (clocks > 200000) fatal("nothing happens any more");
				if (!nonce_valid || nonce != first + taken)	// an offer stands until it is taken
					nonce_valid = taken < count && ($random(seed) & 7) >= stalls;
				nonce = first + taken;
				hit_ready = ($random(seed) & 7) >= stalls;
				@(negedge clk);
			end
			if (done != count) fatal("nonces are not hashed, or twice");
			for (i = 0; i < count; i = i + 1)
				if (hits[i] !== (ref_top_word(midstate, tail, first + i) <= target)) fatal("a hit is missed or false");
			if (job == 0 && hits !== 1024'd1 << 5) fatal("the first block");
		end
		$display("ok core_of_depth_%0d_agrees_with_the_standard", DEPTH);
		$finish;
	end
endmodule

`default_nettype wire
