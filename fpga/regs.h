/* Made from fpga/regs.def by fpga/regs_gen.sh; do not edit. */
#ifndef FPGA_REGS_H
#define FPGA_REGS_H

#define FPGA_REGS_LEN                   0x1000u	/* bytes of address space */

#define FPGA_ID                         0x000u	/* RO: "ADIT"; anything else is not this miner */

#define FPGA_VERSION                    0x004u	/* RO: of this register layout: major << 16 | minor; a driver knows one major */

#define FPGA_CAPS                       0x008u	/* RO: what was built */
#define FPGA_CAPS_ALGO                  0x000000ffu	/* algorithm: 1 is sha256d */
#define FPGA_CAPS_ALGO_SHIFT            0
#define FPGA_CAPS_CORES                 0x0000ff00u	/* hash cores, which share one range */
#define FPGA_CAPS_CORES_SHIFT           8
#define FPGA_CAPS_CLOCKS                0x00ff0000u	/* clocks a hash of one core */
#define FPGA_CAPS_CLOCKS_SHIFT          16
#define FPGA_CAPS_HITS_LOG2             0xff000000u	/* log2 of the number of hits the queue holds */
#define FPGA_CAPS_HITS_LOG2_SHIFT       24

#define FPGA_CONTROL                    0x010u	/* WO: commands; one bit in each write */
#define FPGA_CONTROL_START              0x00000001u	/* take the JOB registers as the job, in one clock; what is in flight of the old job is abandoned */
#define FPGA_CONTROL_STOP               0x00000002u	/* abandon the job; hits already queued stay */
#define FPGA_CONTROL_RESET              0x00000004u	/* stop, empty the queue, clear interrupts, their enables and the counters; the JOB registers stay */

#define FPGA_STATUS                     0x014u	/* RO: the state now */
#define FPGA_STATUS_BUSY                0x00000001u	/* a job is being searched */
#define FPGA_STATUS_HIT                 0x00000002u	/* HIT_TAG and HIT_NONCE hold a hit */
#define FPGA_STATUS_FULL                0x00000004u	/* the queue is full; the search waits when the next hit is found, and nothing is lost */

#define FPGA_IRQ_STATUS                 0x018u	/* W1C: what has happened since it was last cleared; raises the interrupt where enabled */
#define FPGA_IRQ_STATUS_HIT             0x00000001u	/* a hit was queued */
#define FPGA_IRQ_STATUS_EXHAUSTED       0x00000002u	/* every nonce of the job is hashed and its hits are queued; START clears it */

#define FPGA_IRQ_ENABLE                 0x01cu	/* RW: which bits of IRQ_STATUS raise the interrupt */

#define FPGA_HIT_TAG                    0x020u	/* RO: the JOB_TAG of the oldest hit; read it before HIT_NONCE. Undefined without STATUS.HIT */

#define FPGA_HIT_NONCE                  0x024u	/* POP: the nonce of the oldest hit, which leaves the queue. Undefined without STATUS.HIT */

#define FPGA_CYCLES                     0x030u	/* RO: clocks since reset, modulo 2^32: every 43 s at 100 MHz */

#define FPGA_BUSY_CYCLES                0x034u	/* RO: clocks since reset with a job being searched, modulo 2^32 */

#define FPGA_HASHES                     0x038u	/* RO: nonces hashed since reset, modulo 2^32 */

#define FPGA_JOB_TAG                    0x040u	/* RW: returned with every hit, so late hits find their work */

#define FPGA_JOB_TARGET                 0x044u	/* RW: most significant word of the target; a digest's top word <= this is a hit */

#define FPGA_JOB_FIRST                  0x048u	/* RW: first nonce */

#define FPGA_JOB_LAST                   0x04cu	/* RW: last nonce, inclusive; below JOB_FIRST the range wraps through 0 */

#define FPGA_JOB_TAIL0                  0x050u	/* RW: header bytes 64..67: the end of the merkle root */

#define FPGA_JOB_TAIL1                  0x054u	/* RW: header bytes 68..71: the time */

#define FPGA_JOB_TAIL2                  0x058u	/* RW: header bytes 72..75: the bits */

#define FPGA_JOB_MIDSTATE0              0x05cu	/* RW: SHA-256 state after header bytes 0..63, word a */

#define FPGA_JOB_MIDSTATE1              0x060u	/* RW: word b */

#define FPGA_JOB_MIDSTATE2              0x064u	/* RW: word c */

#define FPGA_JOB_MIDSTATE3              0x068u	/* RW: word d */

#define FPGA_JOB_MIDSTATE4              0x06cu	/* RW: word e */

#define FPGA_JOB_MIDSTATE5              0x070u	/* RW: word f */

#define FPGA_JOB_MIDSTATE6              0x074u	/* RW: word g */

#define FPGA_JOB_MIDSTATE7              0x078u	/* RW: word h */

#endif
