/*
 * What is to go wrong with a simulated card, asked for in a file that may change while it
 * runs. Replace the file by rename(), so that no half of it is ever read.
 *
 * A line is `CARD FAULT [TIMES]`: cards count from 0; without TIMES it lasts as long as the
 * line stands. Each new version of the file begins anew. What did happen is appended to FILE.log
 * as `CARD FAULT`, at most FAULTS_LOGGED lines a version, so that a test can show that it tested
 * something.
 *
 *   lost-interrupt   the line rises and nobody is told; the interrupt is masked all the same
 *   stuck-interrupt  the line is always high: every unmasking is answered at once
 *   wrong-nonce      HIT_NONCE reads as the nonce after the true one
 *   repeated-nonce   a hit that was read stands in the queue once more
 *   bit-flip         one bit of a hit is wrong, in turn in HIT_NONCE and in HIT_TAG
 *   no-answer        registers read as all ones, and what is written is lost
 *   hang             the same, and each access takes 5 ms
 *   dma-error        the next transfer ends with a decode error, and the channel halts; or what a core writes to memory
 *                    by itself is answered with one
 *   short-transfer   the next transfer from the card ends one word early
 *   no-place         an answer that is sent for before it has a place, MM2S before S2MM, is lost: MM2S fails
 *   stall            from the next transfer on no word moves any more, until the DMA is reset
 *   unplug           no-answer, and the interrupt's file answers EIO; a card that comes back is a new one
 *   no-irqcontrol    the interrupt is never masked, and unmasking it answers ENOSYS, as some UIO drivers do
 */
#ifndef FPGA_SIM_FAULTS_H
#define FPGA_SIM_FAULTS_H

#include <stdbool.h>
#include <sys/stat.h>

#define FAULTS_LOGGED	1000

#define FAULTS(FAULT) \
	FAULT(LOST_INTERRUPT, "lost-interrupt") \
	FAULT(STUCK_INTERRUPT, "stuck-interrupt") \
	FAULT(WRONG_NONCE, "wrong-nonce") \
	FAULT(REPEATED_NONCE, "repeated-nonce") \
	FAULT(BIT_FLIP, "bit-flip") \
	FAULT(NO_ANSWER, "no-answer") \
	FAULT(HANG, "hang") \
	FAULT(DMA_ERROR, "dma-error") \
	FAULT(SHORT_TRANSFER, "short-transfer") \
	FAULT(NO_PLACE, "no-place") \
	FAULT(STALL, "stall") \
	FAULT(UNPLUG, "unplug") \
	FAULT(NO_IRQCONTROL, "no-irqcontrol")

enum fault {
#define FAULT(name, text) FAULT_##name,
	FAULTS(FAULT)
#undef FAULT
	FAULT_COUNT
};

struct faults {
	char path[4096];		/* "": nothing ever goes wrong */
	unsigned card;
	struct stat seen;		/* the version that was read */
	int logged;			/* lines, of this version */
	long left[FAULT_COUNT];		/* times; below 0: no end */
};

/* path NULL: no faults. A path that is too long, or a line that cannot be understood, ends the program with a sentence. */
void faults_init(struct faults *, const char *path, unsigned card);

/* Read the file when it is another one than before. */
void faults_look(struct faults *);

/* Is it asked for? Takes nothing away and is not logged. */
bool faults_stand(const struct faults *, enum fault);

/* Does it happen now? Takes one of its times. */
bool faults_strike(struct faults *, enum fault);

#endif
