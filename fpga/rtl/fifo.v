// First in, first out queue in plain registers or LUT memory, its oldest entry always in sight.
//
// Contract: an entry goes in in a clock with push and !full, and the oldest leaves in a clock with pop and
// !empty; both may happen at once. `front` is undefined when empty. An entry is in sight one clock after it
// went in. push when full and pop when empty change nothing.
`default_nettype none

module fifo #(
	parameter WIDTH = 64,		// bits of an entry
	parameter DEPTH_LOG2 = 4	// log2 of the number of entries, at least 1
) (
	input  wire             clk,
	input  wire             clear,
	input  wire             push,
	input  wire [WIDTH-1:0] back,	// what goes in
	output wire             full,
	input  wire             pop,
	output wire [WIDTH-1:0] front,	// what comes out
	output wire             empty
);
	// One bit more than an index: that bit tells full from empty when the indices are equal.
	reg [DEPTH_LOG2:0] write_q;
	reg [DEPTH_LOG2:0] read_q;
	reg [WIDTH-1:0]    entries [0:(1 << DEPTH_LOG2) - 1];

	wire same_index = write_q[DEPTH_LOG2-1:0] == read_q[DEPTH_LOG2-1:0];
	assign empty = write_q == read_q;
	assign full  = same_index && !empty;
	assign front = entries[read_q[DEPTH_LOG2-1:0]];

	always @(posedge clk) begin
		if (push && !full) begin
			entries[write_q[DEPTH_LOG2-1:0]] <= back;
			write_q <= write_q + 1'b1;
		end
		if (pop && !empty)
			read_q <= read_q + 1'b1;
		if (clear) begin
			write_q <= {(DEPTH_LOG2+1){1'b0}};
			read_q <= {(DEPTH_LOG2+1){1'b0}};
		end
	end

`ifdef FORMAL
	// For yosys' sat, by induction (tests/check_rtl.sh): any one entry, watched from the moment it goes in,
	// comes out as it was and in its turn, unless cleared; full and empty are what the count says.
	(* anyseq *) wire watch;
	reg [DEPTH_LOG2:0] count;	// entries inside
	reg                watching;
	reg [WIDTH-1:0]    watched;
	reg [DEPTH_LOG2:0] ahead;	// entries that leave before it
	wire [DEPTH_LOG2-1:0] place = read_q[DEPTH_LOG2-1:0] + ahead[DEPTH_LOG2-1:0];
	wire in = push && !full, out = pop && !empty;
	initial begin
		assume (clear);
		watching = 1'b0;
	end

	always @(posedge clk) begin
		count <= clear ? 0 : count + {{DEPTH_LOG2{1'b0}}, in} - {{DEPTH_LOG2{1'b0}}, out};
		if (clear)
			watching <= 1'b0;
		else if (!watching && in && watch) begin
			watching <= 1'b1;
			watched <= back;
			ahead <= count - {{DEPTH_LOG2{1'b0}}, out};
		end else if (watching && out) begin
			watching <= ahead != 0;
			ahead <= ahead - 1'b1;
		end
	end

	reg started = 1'b0;
	always @(posedge clk)
		started <= 1'b1;
	always @* if (started) begin
		assert (count == write_q - read_q && count <= 1 << DEPTH_LOG2);
		assert (full == (count == 1 << DEPTH_LOG2));
		assert (empty == (count == 0));
		if (watching) begin
			assert (ahead < count);
			assert (entries[place] == watched);
			if (ahead == 0)
				assert (front == watched);
		end
	end
`endif
endmodule

`default_nettype wire
