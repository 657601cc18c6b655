/* Made from fpga/offload.def by fpga/regs_gen.sh; do not edit. */
#ifndef FPGA_OFFLOAD_REGS_H
#define FPGA_OFFLOAD_REGS_H

#define OFFLOAD_REGS_LEN                0x1000u	/* bytes of address space */

#define OFFLOAD_ID                      0x000u	/* RO: "ADOF"; anything else is not an offload core */

#define OFFLOAD_VERSION                 0x004u	/* RO: of this register layout: major << 16 | minor; a driver knows one major */

#define OFFLOAD_CORE                    0x008u	/* RO: which core it is: 1 chacha20, 2 aes128, 3 sha256d, 4 cubehash256, 5 secp256k1 */

#define OFFLOAD_CAPS                    0x00cu	/* RO: what was built */
#define OFFLOAD_CAPS_CORES              0x000000ffu	/* cores side by side, which share one stream */
#define OFFLOAD_CAPS_CORES_SHIFT        0
#define OFFLOAD_CAPS_CLOCKS             0x0000ff00u	/* clocks an item of one core */
#define OFFLOAD_CAPS_CLOCKS_SHIFT       8
#define OFFLOAD_CAPS_ITEM_IN            0x00ff0000u	/* bytes of an item on the way in */
#define OFFLOAD_CAPS_ITEM_IN_SHIFT      16
#define OFFLOAD_CAPS_ITEM_OUT           0xff000000u	/* bytes of an item on the way out */
#define OFFLOAD_CAPS_ITEM_OUT_SHIFT     24

#define OFFLOAD_CONTROL                 0x010u	/* WO: commands; one bit in each write */
#define OFFLOAD_CONTROL_LOAD            0x00000001u	/* take KEY, IV and OPERATION for the items to come; only while not BUSY, or those inside are lost */
#define OFFLOAD_CONTROL_START           0x00000002u	/* after LOAD, and only while not BUSY. chacha20: write COUNT blocks of pad to ADDRESS; secp256k1: RESULT = KEY, as an element, OPERATION B. Then DONE */
#define OFFLOAD_CONTROL_RESET           0x00000004u	/* drop what is inside, clear interrupts, their enables and the counters; LOAD comes next. A memory write ends with its burst, whose rest changes nothing in memory */

#define OFFLOAD_STATUS                  0x014u	/* RO: the state now */
#define OFFLOAD_STATUS_BUSY             0x00000001u	/* items are inside, or START is not done */

#define OFFLOAD_IRQ_STATUS              0x018u	/* W1C: what has happened since it was last cleared; raises the interrupt where enabled */
#define OFFLOAD_IRQ_STATUS_PACKET       0x00000001u	/* the last word of a packet has left by the stream */
#define OFFLOAD_IRQ_STATUS_DONE         0x00000002u	/* what START asked for is done: all COUNT blocks are in memory, or RESULT is there */
#define OFFLOAD_IRQ_STATUS_ERROR        0x00000004u	/* memory answered a write with an error */

#define OFFLOAD_IRQ_ENABLE              0x01cu	/* RW: which bits of IRQ_STATUS raise the interrupt */

#define OFFLOAD_OPERATION               0x020u	/* RW: aes128: 0 ECB, 1 CTR; secp256k1: 0 add, 1 subtract, 2 multiply; others do one thing */

#define OFFLOAD_COUNT                   0x024u	/* RW: of blocks for START, 1..2^24; LOAD again before the next START or packet goes on where this ends */

#define OFFLOAD_ADDRESS_LOW             0x028u	/* RW: bus address for START, a multiple of 64; bits 31:0 */

#define OFFLOAD_ADDRESS_HIGH            0x02cu	/* RW: bits 63:32 */

#define OFFLOAD_CYCLES                  0x030u	/* RO: clocks since reset, modulo 2^32: every 43 s at 100 MHz */

#define OFFLOAD_BUSY_CYCLES             0x034u	/* RO: clocks since reset with BUSY, modulo 2^32 */

#define OFFLOAD_ITEMS                   0x038u	/* RO: items that have left by the stream since reset, modulo 2^32 */

#define OFFLOAD_KEY0                    0x040u	/* WO: chacha20, aes128: key bytes 0..3; secp256k1: START's first operand, most significant byte first. It cannot be read back */

#define OFFLOAD_KEY1                    0x044u	/* WO: bytes 4..7 */

#define OFFLOAD_KEY2                    0x048u	/* WO: bytes 8..11 */

#define OFFLOAD_KEY3                    0x04cu	/* WO: bytes 12..15 */

#define OFFLOAD_KEY4                    0x050u	/* WO: chacha20, secp256k1: bytes 16..19 */

#define OFFLOAD_KEY5                    0x054u	/* WO: bytes 20..23 */

#define OFFLOAD_KEY6                    0x058u	/* WO: bytes 24..27 */

#define OFFLOAD_KEY7                    0x05cu	/* WO: bytes 28..31 */

#define OFFLOAD_IV0                     0x060u	/* RW: chacha20: nonce bytes 0..3; aes128 CTR: bytes 0..3 of the first item's counter, most significant first */

#define OFFLOAD_IV1                     0x064u	/* RW: bytes 4..7 */

#define OFFLOAD_IV2                     0x068u	/* RW: bytes 8..11 */

#define OFFLOAD_IV3                     0x06cu	/* RW: chacha20: number of the first block; aes128 CTR: bytes 12..15 */

#define OFFLOAD_B0                      0x080u	/* WO: secp256k1: START's second operand, bytes 0..3 */

#define OFFLOAD_B1                      0x084u	/* WO: bytes 4..7 */

#define OFFLOAD_B2                      0x088u	/* WO: bytes 8..11 */

#define OFFLOAD_B3                      0x08cu	/* WO: bytes 12..15 */

#define OFFLOAD_B4                      0x090u	/* WO: bytes 16..19 */

#define OFFLOAD_B5                      0x094u	/* WO: bytes 20..23 */

#define OFFLOAD_B6                      0x098u	/* WO: bytes 24..27 */

#define OFFLOAD_B7                      0x09cu	/* WO: bytes 28..31 */

#define OFFLOAD_RESULT0                 0x0a0u	/* RO: secp256k1: what START gave, bytes 0..3 */

#define OFFLOAD_RESULT1                 0x0a4u	/* RO: bytes 4..7 */

#define OFFLOAD_RESULT2                 0x0a8u	/* RO: bytes 8..11 */

#define OFFLOAD_RESULT3                 0x0acu	/* RO: bytes 12..15 */

#define OFFLOAD_RESULT4                 0x0b0u	/* RO: bytes 16..19 */

#define OFFLOAD_RESULT5                 0x0b4u	/* RO: bytes 20..23 */

#define OFFLOAD_RESULT6                 0x0b8u	/* RO: bytes 24..27 */

#define OFFLOAD_RESULT7                 0x0bcu	/* RO: bytes 28..31 */

#endif
