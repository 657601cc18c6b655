// The search: hash cores that share one job and one range of nonces. It knows no bus and no register.
//
// Contract: `start` takes the job, in that one clock, from whatever was going on; `stop` ends it. `clear` is
// stop and reset. A hit is offered with the tag of the job it belongs to until hit_ready; `start` and `stop`
// abandon the nonces in flight and hits not yet taken, so no hit is ever offered under another job's tag.
// `exhausted` is high for one clock when all nonces of the job are hashed and all its hits are taken.
// CORES * DEPTH is at most 128: one nonce a clock is issued.
`default_nettype none

module miner_engine #(
	parameter CORES = 1,	// hash cores, 1..127
	parameter DEPTH = 0,	// of each: round stages of a ring (2, 4, 8, 16, 32 or 64), or 0 for the iterative core
	parameter BALANCED = 0	// of a ring: see sha256d_ring
) (
	input  wire         clk,
	input  wire         clear,
	input  wire         start,
	input  wire         stop,
	input  wire [31:0]  job_tag,
	input  wire [255:0] job_midstate,
	input  wire [95:0]  job_tail,
	input  wire [31:0]  job_target,
	input  wire [31:0]  job_first,
	input  wire [31:0]  job_last,
	output wire         hit_valid,
	input  wire         hit_ready,
	output wire [31:0]  hit_tag,
	output wire [31:0]  hit_nonce,
	output wire         busy,
	output wire         exhausted,
	output reg  [7:0]   hashed_q	// nonces hashed in the clock before
);
	// The job that the cores see: constant from one start to the next.
	reg         busy_q;
	reg [31:0]  tag_q, target_q;
	reg [255:0] midstate_q;
	reg [95:0]  tail_q;
	always @(posedge clk) begin
		if (start) begin
			tag_q <= job_tag;
			midstate_q <= job_midstate;
			tail_q <= job_tail;
			target_q <= job_target;
		end
	end

	wire abandon = clear || stop || start;
	wire counter_valid;
	wire [31:0] nonce;
	wire [CORES-1:0] nonce_ready, core_hit_valid, core_hit_ready, core_hashed, core_idle;
	wire [32*CORES-1:0] core_hit_nonce;

	nonce_counter counter (
		.clk(clk), .clear(clear || stop), .load(start), .first(job_first), .last(job_last),
		.valid(counter_valid), .ready(|nonce_ready), .nonce(nonce));

	// The lowest core that asks gets the nonce, the lowest that has a hit hands it out. A ring that goes
	// away with an empty slot asks again when the slot comes round, so all find clocks of their own.
	genvar i;
	generate
		for (i = 0; i < CORES; i = i + 1) begin : core
			wire first_asking, first_hit;
			if (i == 0) begin : lowest
				assign first_asking = 1'b1;
				assign first_hit = 1'b1;
			end else begin : higher
				assign first_asking = !(|nonce_ready[i-1:0]);
				assign first_hit = !(|core_hit_valid[i-1:0]);
			end
			assign core_hit_ready[i] = hit_ready && first_hit;

			if (DEPTH == 0) begin : iter
				sha256d_iter hash (
					.clk(clk), .clear(abandon), .midstate(midstate_q), .tail(tail_q), .target(target_q),
					.nonce_valid(counter_valid && first_asking), .nonce_ready(nonce_ready[i]), .nonce(nonce),
					.hit_valid(core_hit_valid[i]), .hit_ready(core_hit_ready[i]),
					.hit_nonce(core_hit_nonce[32*i +: 32]), .hashed(core_hashed[i]), .idle(core_idle[i]));
			end else begin : ring
				sha256d_ring #(.DEPTH(DEPTH), .BALANCED(BALANCED)) hash (
					.clk(clk), .clear(abandon), .midstate(midstate_q), .tail(tail_q), .target(target_q),
					.nonce_valid(counter_valid && first_asking), .nonce_ready(nonce_ready[i]), .nonce(nonce),
					.hit_valid(core_hit_valid[i]), .hit_ready(core_hit_ready[i]),
					.hit_nonce(core_hit_nonce[32*i +: 32]), .hashed(core_hashed[i]), .idle(core_idle[i]));
			end
		end
	endgenerate

	integer c;
	reg [31:0] first_hit_nonce;
	reg [7:0]  hashed;
	always @* begin
		first_hit_nonce = core_hit_nonce[31:0];
		hashed = 8'd0;
		for (c = CORES - 1; c >= 0; c = c - 1) begin
			if (core_hit_valid[c])
				first_hit_nonce = core_hit_nonce[32*c +: 32];
			hashed = hashed + {7'd0, core_hashed[c]};
		end
	end

	assign hit_valid = |core_hit_valid;
	assign hit_tag   = tag_q;
	assign hit_nonce = first_hit_nonce;
	assign busy      = busy_q;
	assign exhausted = busy_q && !counter_valid && &core_idle && !abandon;

	always @(posedge clk) begin
		hashed_q <= clear ? 8'd0 : hashed;
		busy_q <= start || (busy_q && !exhausted);
		if (clear || stop)
			busy_q <= 1'b0;
	end
`ifdef FORMAL
	// For yosys' sat, by induction (tests/check_rtl.sh), with formal/any_core.v for the hash cores and the assertions of
	// nonce_counter: in any job, any one nonce is given out once if it is in the range and never if not; every hit of a core is
	// handed out once, as it is, with its job's tag, and waits while the queue is full; exhausted comes once, at the end.
	(* anyconst *) wire [31:0] watched;
	reg         searching = 1'b0;	// a job was started and not abandoned
	reg         given;		// the watched nonce was
	reg         hit_waited = 1'b0, was_exhausted = 1'b0, started = 1'b0;
	reg  [31:0] started_tag, started_first, started_last;
	wire        give = counter_valid && |nonce_ready && nonce == watched;
	wire        in_range = watched - started_first <= started_last - started_first;
	wire [CORES-1:0] handed_out = core_hit_valid & core_hit_ready;
	reg  [31:0] handed_out_nonce;
	integer     f, out_count;
	initial assume (clear);

	always @(posedge clk) begin
		started <= 1'b1;
		if (start) begin
			started_tag <= job_tag;
			started_first <= job_first;
			started_last <= job_last;
		end
		given <= !start && (given || give);
		searching <= !clear && !stop && (start || searching);
		hit_waited <= hit_valid && !hit_ready && !abandon;
		was_exhausted <= exhausted;
	end

	always @* begin
		out_count = 0;
		handed_out_nonce = 32'd0;
		for (f = 0; f < CORES; f = f + 1)
			if (handed_out[f]) begin
				out_count = out_count + 1;
				handed_out_nonce = handed_out_nonce | core_hit_nonce[32*f +: 32];
			end
		if (started) begin
			if (searching) begin
				assert (tag_q == started_tag && hit_tag == started_tag);
				if (give)
					assert (in_range && !given);
				if (counter_valid)
					assert (given == (watched - started_first < nonce - started_first));
				else
					assert (given == in_range);
			end else
				assert (!counter_valid && !busy);
			assert (out_count == (hit_valid && hit_ready ? 1 : 0));
			if (out_count == 1)
				assert (hit_nonce == handed_out_nonce);
			if (hit_waited)
				assert (hit_valid);
			if (exhausted)
				assert (searching && !counter_valid && &core_idle && !hit_valid && !was_exhausted);
		end
	end
`endif
endmodule

`default_nettype wire
