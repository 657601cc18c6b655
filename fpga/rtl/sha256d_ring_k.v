// The round constant of one ring stage, combinational: it does round pass * DEPTH + INDEX of a compression,
// and both compressions take the same number of passes.
`default_nettype none

module sha256d_ring_k #(
	parameter DEPTH = 16,	// stages in the ring
	parameter INDEX = 0	// of the stage, 0..DEPTH-1
) (
	/* verilator lint_off UNUSED */
	input  wire [$clog2(128 / DEPTH)-1:0] pass,	// its highest bit is the compression
	/* verilator lint_on UNUSED */
	output wire [31:0]                    k
);
	`include "sha256_constants.vh"

	localparam PASSES = 64 / DEPTH;	// of one compression

	generate
		if (PASSES == 1) begin : one
			assign k = K[2047 - 32 * INDEX -: 32];
		end else begin : by_pass
			wire [32*PASSES-1:0] ks;
			genvar i;
			for (i = 0; i < PASSES; i = i + 1) begin : row
				assign ks[32*i +: 32] = K[2047 - 32 * (i * DEPTH + INDEX) -: 32];
			end
			assign k = ks[{pass[$clog2(PASSES)-1:0], 5'd0} +: 32];
		end
	endgenerate
endmodule

`default_nettype wire
