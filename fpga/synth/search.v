// A hash core, its nonce counter and a job, with seven pins: what the iCE40 figures are measured on. The job
// comes in by one pin and the hit leaves by another, so that place and route sees the core and not a bus.
`default_nettype none

module search #(
	parameter DEPTH = 4	// round stages of the ring (2, 4, ...), or 0 for the iterative core
) (
	input  wire clk,
	input  wire shift,	// take another bit of the job
	input  wire job_bit,
	input  wire start,	// search the range that came in
	input  wire hit_ready,
	output wire hit_bit,	// a hit leaves by it, highest bit first
	output wire idle
);
	reg [447:0] job_q;
	always @(posedge clk)
		if (shift)
			job_q <= {job_q[446:0], job_bit};

	wire        nonce_valid, nonce_ready, hit_valid, hashed;
	wire [31:0] nonce, hit_nonce;
	nonce_counter counter (
		.clk(clk), .clear(1'b0), .load(start), .first(job_q[447:416]), .last(job_q[415:384]),
		.valid(nonce_valid), .ready(nonce_ready), .nonce(nonce));

	generate
		if (DEPTH == 0) begin : iter
			sha256d_iter core (
				.clk(clk), .clear(start), .midstate(job_q[255:0]), .tail(job_q[351:256]), .target(job_q[383:352]),
				.nonce_valid(nonce_valid), .nonce_ready(nonce_ready), .nonce(nonce), .hit_valid(hit_valid),
				.hit_ready(hit_ready), .hit_nonce(hit_nonce), .hashed(hashed), .idle(idle));
		end else begin : ring
			sha256d_ring #(.DEPTH(DEPTH), .BALANCED(1)) core (
				.clk(clk), .clear(start), .midstate(job_q[255:0]), .tail(job_q[351:256]), .target(job_q[383:352]),
				.nonce_valid(nonce_valid), .nonce_ready(nonce_ready), .nonce(nonce), .hit_valid(hit_valid),
				.hit_ready(hit_ready), .hit_nonce(hit_nonce), .hashed(hashed), .idle(idle));
		end
	endgenerate

	reg [31:0] hit_q;
	always @(posedge clk)
		hit_q <= hit_valid && hit_ready ? hit_nonce : {hit_q[30:0], hashed};
	assign hit_bit = hit_q[31];
endmodule

`default_nettype wire
