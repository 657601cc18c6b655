/*
 * A bell that wakes one thread out of poll(), from any thread. Rings are not
 * counted: one that is not yet answered stands for all.
 */
#ifndef POOL_WAKE_H
#define POOL_WAKE_H

struct wake {
	int fd[2];	/* a pipe: [0] is what the sleeper polls for input, [1] what rings it */
};

/* 0, or -1 logged. */
int wake_init(struct wake *);
void wake_destroy(struct wake *);

void wake_ring(struct wake *);

/* The sleeper's part, before it looks at what it may have been woken for. */
void wake_clear(struct wake *);

#endif
