// sha256d_axis against the behavioural reference: packets of random blocks under random stalls on both sides,
// digests in order, tlast with the last word of each packet's last. axis_bench.cpp asks more.
`timescale 1ns/1ps
`default_nettype none

module sha256d_axis_tb;
	parameter CORES = 2;
	localparam BLOCKS = 12;
	localparam PACKET = 3;	// blocks

	reg         aclk = 1'b0, aresetn = 1'b0, s_valid = 1'b0, s_last = 1'b0, m_ready = 1'b0;
	reg  [31:0] s_data = 32'd0;
	wire        s_ready, m_valid, m_last;
	wire [31:0] m_data;

	sha256d_axis #(.CORES(CORES)) dut (
		.aclk(aclk), .aresetn(aresetn),
		.s_axis_tdata(s_data), .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tlast(s_last),
		.m_axis_tdata(m_data), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready), .m_axis_tlast(m_last));

	always #5 aclk = !aclk;

	`include "sha256_reference.vh"

	integer seed = 1, i, sent = 0, got = 0, offered = -1, clocks;
	reg [511:0] blocks [0:BLOCKS-1];
	reg [255:0] digests [0:BLOCKS-1];
	reg         waits = 1'b0, held_last = 1'b0;
	reg [31:0]  held_data = 32'd0, want;

	task fatal(input [8*40-1:0] why);
		begin
			$display("FAILED sha256d_axis_tb, word %0d: %0s", got, why);
			$fatal;
		end
	endtask

	always @(posedge aclk) if (aresetn) begin
		if (s_valid && s_ready) sent = sent + 1;
		if (waits && (!m_valid || m_data !== held_data || m_last !== held_last)) fatal("changed while it waited");
		if (m_valid && m_ready) begin
			if (got >= 8 * BLOCKS) fatal("more than was asked for");
			want = ref_swap(digests[got / 8][255 - 32 * (got % 8) -: 32]);
			if (m_data !== want) fatal("wrong digest");
			if (m_last !== (got % (8 * PACKET) == 8 * PACKET - 1)) fatal("tlast");
			got = got + 1;
		end
		waits <= m_valid && !m_ready;
		held_data <= m_data;
		held_last <= m_last;
	end

	initial begin
		ref_init;
		for (i = 0; i < BLOCKS * 16; i = i + 1)
			blocks[i / 16][511 - 32 * (i % 16) -: 32] = $random(seed);
		for (i = 0; i < BLOCKS; i = i + 1)
			digests[i] = ref_sha256d(ref_first_state(0), blocks[i]);
		repeat (4) @(negedge aclk);
		aresetn = 1'b1;
		for (clocks = 0; got < 8 * BLOCKS; clocks = clocks + 1) begin
			if (clocks > 100000) fatal("nothing happens any more");
			if (offered != sent) begin	// an offer stands until it is taken
				s_valid = 1'b0;
				if (sent < 16 * BLOCKS && ($random(seed) & 3) != 0) begin
					offered = sent;
					s_valid = 1'b1;
				end
			end
			s_data = s_valid ? ref_swap(blocks[sent / 16][511 - 32 * (sent % 16) -: 32]) : $random(seed);
			s_last = s_valid ? sent % (16 * PACKET) == 16 * PACKET - 1 : $random(seed);
			m_ready = clocks / 500 % 2 == 0 ? $random(seed) : ($random(seed) & 31) == 0;
			@(negedge aclk);
		end
		repeat (300) @(negedge aclk);
		$display("ok axis_of_%0d_cores_agrees_with_the_standard", CORES);
		$finish;
	end
endmodule

`default_nettype wire
