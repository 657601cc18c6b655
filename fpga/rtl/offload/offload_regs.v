// The registers of offload.def, the same for all offload cores: commands, keys and numbers on the way in, state,
// interrupts and counters on the way out. What they mean is doc/OFFLOAD_REGISTERS.md; the bus is axil_slave's business.
//
// Contract: read_data is that of read_addr in the same clock. A command shows as load, start or drop for one clock,
// the one of its write; with drop in reset, too. `irq` is high while an enabled bit of IRQ_STATUS is set.
`default_nettype none

module offload_regs #(
	parameter [31:0] CORE = 1,	// for CORE
	parameter [31:0] CAPS = 0	// for CAPS
) (
	input  wire         clk,
	input  wire         reset,
	input  wire         write,
	input  wire [11:0]  write_addr,
	input  wire [31:0]  write_data,
	input  wire [11:0]  read_addr,
	output reg  [31:0]  read_data,
	output reg          irq,

	output wire         load,
	output wire         start,
	output wire         drop,
	output wire [255:0] key,
	output wire [127:0] iv,
	output wire [1:0]   operation,
	output wire [24:0]  count,
	output wire [59:0]  address,	// in 16 bytes
	output wire [255:0] b,
	input  wire [255:0] result,
	input  wire         busy,
	input  wire         packet,	// for one clock each: these happened
	input  wire         done,
	input  wire         error,
	input  wire         item
);
	`include "offload_regs.vh"

	wire control = write && write_addr == REG_CONTROL;
	assign load  = control && write_data[CONTROL_LOAD];
	assign start = control && write_data[CONTROL_START];
	assign drop  = reset || (control && write_data[CONTROL_RESET]);

	reg [31:0] key_q [0:7];
	reg [31:0] iv_q [0:3];
	reg [31:0] b_q [0:7];
	reg [31:0] operation_q, count_q, address_low_q, address_high_q;
	always @(posedge clk) if (write) begin
		if (write_addr[11:5] == REG_KEY0[11:5] && write_addr[1:0] == 2'b00)
			key_q[write_addr[4:2]] <= write_data;
		if (write_addr[11:4] == REG_IV0[11:4] && write_addr[1:0] == 2'b00)
			iv_q[write_addr[3:2]] <= write_data;
		if (write_addr[11:5] == REG_B0[11:5] && write_addr[1:0] == 2'b00)
			b_q[write_addr[4:2]] <= write_data;
		case (write_addr)
		REG_OPERATION:    operation_q <= write_data;
		REG_COUNT:        count_q <= write_data;
		REG_ADDRESS_LOW:  address_low_q <= write_data;
		REG_ADDRESS_HIGH: address_high_q <= write_data;
		default: ;
		endcase
	end

	assign key = {key_q[7], key_q[6], key_q[5], key_q[4], key_q[3], key_q[2], key_q[1], key_q[0]};
	assign iv  = {iv_q[3], iv_q[2], iv_q[1], iv_q[0]};
	assign b   = {b_q[7], b_q[6], b_q[5], b_q[4], b_q[3], b_q[2], b_q[1], b_q[0]};
	assign operation = operation_q[1:0];
	assign count     = count_q[24:0];
	assign address   = {address_high_q, address_low_q[31:4]};

	reg [2:0]  irq_status_q, irq_enable_q;
	reg [31:0] cycles_q, busy_cycles_q, items_q;
	wire [2:0] irq_clear = write && write_addr == REG_IRQ_STATUS ? write_data[2:0] : 3'b000;
	reg [2:0]  irq_event;
	always @* begin
		irq_event[IRQ_STATUS_PACKET] = packet;
		irq_event[IRQ_STATUS_DONE]   = done;
		irq_event[IRQ_STATUS_ERROR]  = error;
	end

	always @(posedge clk) begin
		irq_status_q <= (irq_status_q & ~irq_clear) | irq_event;	// what happens while it is cleared stays
		if (write && write_addr == REG_IRQ_ENABLE)
			irq_enable_q <= write_data[2:0];
		irq <= |(irq_status_q & irq_enable_q);
		cycles_q <= cycles_q + 32'd1;
		busy_cycles_q <= busy_cycles_q + {31'd0, busy};
		items_q <= items_q + {31'd0, item};

		if (drop) begin
			irq_status_q <= RESET_IRQ_STATUS[2:0];
			irq_enable_q <= RESET_IRQ_ENABLE[2:0];
			irq <= 1'b0;
			cycles_q <= RESET_CYCLES;
			busy_cycles_q <= RESET_BUSY_CYCLES;
			items_q <= RESET_ITEMS;
		end
	end

	always @* begin
		case (read_addr)
		REG_ID:           read_data = RESET_ID;
		REG_VERSION:      read_data = RESET_VERSION;
		REG_CORE:         read_data = CORE;
		REG_CAPS:         read_data = CAPS;
		REG_STATUS: begin
			read_data = 32'd0;
			read_data[STATUS_BUSY] = busy;
		end
		REG_IRQ_STATUS:   read_data = {29'd0, irq_status_q};
		REG_IRQ_ENABLE:   read_data = {29'd0, irq_enable_q};
		REG_OPERATION:    read_data = operation_q;
		REG_COUNT:        read_data = count_q;
		REG_ADDRESS_LOW:  read_data = address_low_q;
		REG_ADDRESS_HIGH: read_data = address_high_q;
		REG_CYCLES:       read_data = cycles_q;
		REG_BUSY_CYCLES:  read_data = busy_cycles_q;
		REG_ITEMS:        read_data = items_q;
		REG_IV0:          read_data = iv_q[0];
		REG_IV1:          read_data = iv_q[1];
		REG_IV2:          read_data = iv_q[2];
		REG_IV3:          read_data = iv_q[3];
		default:
			read_data = read_addr[11:5] == REG_RESULT0[11:5] && read_addr[1:0] == 2'b00
				? result[{read_addr[4:2], 5'd0} +: 32] : 32'd0;
		endcase
	end
endmodule

`default_nettype wire
