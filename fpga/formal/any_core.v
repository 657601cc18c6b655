// Any hash core that keeps the contract of sha256d_ring, in its place for proofs: it takes a nonce when it likes, needs
// as long as it likes, and finds it a hit or not. What holds around it holds around every core.
`default_nettype none

module sha256d_ring #(
	parameter DEPTH = 64,
	parameter BALANCED = 0
) (
	input  wire         clk,
	input  wire         clear,
	input  wire [255:0] midstate,
	input  wire [95:0]  tail,
	input  wire [31:0]  target,
	input  wire         nonce_valid,
	output wire         nonce_ready,
	input  wire [31:0]  nonce,
	output wire         hit_valid,
	input  wire         hit_ready,
	output wire [31:0]  hit_nonce,
	output wire         hashed,
	output wire         idle
);
	(* anyseq *) wire take, finish, found;
	reg        busy_q, hit_q;
	reg [31:0] nonce_q, hit_nonce_q;

	wire done = busy_q && finish && !(found && hit_q);	// a second hit goes round until the first is taken
	assign nonce_ready = take && !busy_q;
	assign hit_valid = hit_q;
	assign hit_nonce = hit_nonce_q;
	assign hashed = done && !clear;
	assign idle = !busy_q && !hit_q;

	always @(posedge clk) begin
		if (nonce_valid && nonce_ready)
			nonce_q <= nonce;
		busy_q <= (busy_q && !done) || (nonce_valid && nonce_ready);
		if (done && found)
			hit_nonce_q <= nonce_q;
		hit_q <= (done && found) || (hit_q && !hit_ready);
		if (clear) begin
			busy_q <= 1'b0;
			hit_q <= 1'b0;
		end
	end
endmodule

`default_nettype wire
