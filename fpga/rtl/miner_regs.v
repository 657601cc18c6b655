// The registers of regs.def: commands and the job on the way in, hits, interrupts and counters on the way
// out. What they mean is doc/REGISTERS.md; the bus is axil_slave's business, the search miner_engine's.
//
// Contract: read_data is that of read_addr in the same clock. A command shows as start, stop or clear for
// one clock, the one of its write. `irq` is high while an enabled bit of IRQ_STATUS is set.
`default_nettype none

module miner_regs #(
	parameter CORES = 1,		// for CAPS: hash cores
	parameter CLOCKS = 124,		// for CAPS: clocks a hash of one core
	parameter HITS_LOG2 = 4		// for CAPS: log2 of the number of hits the queue holds
) (
	input  wire         clk,
	input  wire         reset,
	input  wire         write,
	input  wire [11:0]  write_addr,
	input  wire [31:0]  write_data,
	input  wire         read,
	input  wire [11:0]  read_addr,
	output reg  [31:0]  read_data,
	output reg          irq,

	output wire         start,
	output wire         stop,
	output wire         clear,
	output wire [31:0]  job_tag,
	output wire [255:0] job_midstate,
	output wire [95:0]  job_tail,
	output wire [31:0]  job_target,
	output wire [31:0]  job_first,
	output wire [31:0]  job_last,
	input  wire         busy,
	input  wire         exhausted,
	input  wire [7:0]   hashed,		// nonces to count
	input  wire         hit_queued,		// one went into the queue
	input  wire         hits_full,
	input  wire         hits_empty,
	input  wire [31:0]  front_tag,		// the oldest hit
	input  wire [31:0]  front_nonce,
	output wire         hit_pop
);
	`include "regs.vh"

	localparam [31:0] ALGO_SHA256D = 1;
	localparam [31:0] CAPS = ALGO_SHA256D << CAPS_ALGO | CORES << CAPS_CORES | CLOCKS << CAPS_CLOCKS
		| HITS_LOG2 << CAPS_HITS_LOG2;

	wire control = write && write_addr == REG_CONTROL;
	assign start = control && write_data[CONTROL_START];
	assign stop  = control && write_data[CONTROL_STOP];
	assign clear = reset || (control && write_data[CONTROL_RESET]);
	assign hit_pop = read && read_addr == REG_HIT_NONCE;

	// The JOB registers: one after the other from REG_JOB_TAG on.
	localparam JOB_WORDS = 15;
	localparam [11:0] JOB_END = REG_JOB_TAG + 12'd4 * JOB_WORDS;
	reg [31:0] job_q [0:JOB_WORDS-1];
	wire write_job = write && write_addr >= REG_JOB_TAG && write_addr < JOB_END;
	always @(posedge clk)
		if (write_job)
			job_q[write_addr[5:2]] <= write_data;

	assign job_tag    = job_q[0];
	assign job_target = job_q[1];
	assign job_first  = job_q[2];
	assign job_last   = job_q[3];
	assign job_tail   = {job_q[4], job_q[5], job_q[6]};
	assign job_midstate = {job_q[7], job_q[8], job_q[9], job_q[10], job_q[11], job_q[12], job_q[13], job_q[14]};

	reg [1:0]  irq_status_q, irq_enable_q;
	reg [31:0] cycles_q, busy_cycles_q, hashes_q;
	wire [1:0] irq_clear = write && write_addr == REG_IRQ_STATUS ? write_data[1:0] : 2'b00;
	wire [1:0] irq_event = {exhausted, hit_queued};

	always @(posedge clk) begin
		irq_status_q <= (irq_status_q & ~irq_clear) | irq_event;	// what happens while it is cleared stays
		if (start)
			irq_status_q[IRQ_STATUS_EXHAUSTED] <= 1'b0;
		if (write && write_addr == REG_IRQ_ENABLE)
			irq_enable_q <= write_data[1:0];
		irq <= |(irq_status_q & irq_enable_q);
		cycles_q <= cycles_q + 32'd1;
		busy_cycles_q <= busy_cycles_q + {31'd0, busy};
		hashes_q <= hashes_q + {24'd0, hashed};

		if (clear) begin
			irq_status_q <= RESET_IRQ_STATUS[1:0];
			irq_enable_q <= RESET_IRQ_ENABLE[1:0];
			irq <= 1'b0;
			cycles_q <= RESET_CYCLES;
			busy_cycles_q <= RESET_BUSY_CYCLES;
			hashes_q <= RESET_HASHES;
		end
	end

	always @* begin
		case (read_addr)
		REG_ID:          read_data = RESET_ID;
		REG_VERSION:     read_data = RESET_VERSION;
		REG_CAPS:        read_data = CAPS;
		REG_STATUS: begin
			read_data = 32'd0;
			read_data[STATUS_BUSY] = busy;
			read_data[STATUS_HIT]  = !hits_empty;
			read_data[STATUS_FULL] = hits_full;
		end
		REG_IRQ_STATUS:  read_data = {30'd0, irq_status_q};
		REG_IRQ_ENABLE:  read_data = {30'd0, irq_enable_q};
		REG_HIT_TAG:     read_data = front_tag;
		REG_HIT_NONCE:   read_data = front_nonce;
		REG_CYCLES:      read_data = cycles_q;
		REG_BUSY_CYCLES: read_data = busy_cycles_q;
		REG_HASHES:      read_data = hashes_q;
		default:
			read_data = read_addr >= REG_JOB_TAG && read_addr < JOB_END && read_addr[1:0] == 2'b00
				? job_q[read_addr[5:2]] : 32'd0;
		endcase
	end
endmodule

`default_nettype wire
