// Nonce counter: issues first..last, one nonce per accepted beat, then stops.
//
// Contract: `load` wins over counting, and takes first and last; `clear` wins over both. `valid` and
// `nonce` stay until `ready`; `valid` is low when there is nothing left. last below first wraps through 0.
`default_nettype none

module nonce_counter (
	input  wire        clk,
	input  wire        clear,
	input  wire        load,
	input  wire [31:0] first,
	input  wire [31:0] last,	// inclusive
	output wire        valid,
	input  wire        ready,
	output wire [31:0] nonce
);
	reg        valid_q;
	reg [31:0] nonce_q;
	reg [31:0] last_q;

	assign valid = valid_q;
	assign nonce = nonce_q;

	always @(posedge clk) begin
		if (load) begin
			nonce_q <= first;
			last_q  <= last;
			valid_q <= 1'b1;
		end else if (valid_q && ready) begin
			nonce_q <= nonce_q + 1'b1;
			valid_q <= nonce_q != last_q;	// equality, so last = 2^32-1 works
		end
		if (clear)
			valid_q <= 1'b0;
	end

`ifdef FORMAL
	// For yosys' sat, by induction (tests/check_rtl.sh): the nonces issued since load are first, first + 1 and
	// so on, and when no more come, and nothing was cleared, there have been last - first + 1 of them.
	reg [31:0] loaded_first, loaded_last;
	reg [32:0] issued;
	reg        searching = 1'b0;	// loaded, and not cleared since
	wire [31:0] span = loaded_last - loaded_first;
	initial assume (clear);

	always @(posedge clk) begin
		if (load) begin
			loaded_first <= first;
			loaded_last <= last;
			issued <= 33'd0;
		end else if (valid && ready)
			issued <= issued + 33'd1;
		searching <= !clear && (load || searching);
	end

	reg started = 1'b0;
	always @(posedge clk)
		started <= 1'b1;
	always @* if (started) begin
		if (!searching)
			assert (!valid);
		if (searching)
			assert (last_q == loaded_last);
		if (searching && valid)
			assert (nonce == loaded_first + issued[31:0] && issued <= {1'b0, span});
		if (searching && !valid)
			assert (issued == {1'b0, span} + 33'd1);
	end
`endif
endmodule

`default_nettype wire
