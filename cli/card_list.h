/*
 * The FPGA cards as the user names them, and the designs to load into them. As with pools, the
 * first card on the command line sends away those of the configuration file.
 */
#ifndef CLI_CARD_LIST_H
#define CLI_CARD_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "fpga/cards.h"

#define DESIGNS_MAX 8

struct card_list {
	char *root;			/* --fpga-root; NULL: "/" */
	struct fpga_spec specs[CARDS_MAX];
	unsigned count;
	struct card_design designs[DESIGNS_MAX];	/* their files are the list's */
	unsigned design_count;
	bool on_command_line;
	bool named_there;		/* a card */
};

/* From now on it is the command line that names. */
void card_list_command_line(struct card_list *);

/* The value of --fpga, or of --fpga-bitstream. 0, or -1 with the reason in `why`. */
int card_list_add(struct card_list *, const char *value, char *why, size_t why_len);
int card_list_design(struct card_list *, const char *value, char *why, size_t why_len);

/* Whether this backend is one of cards alone: "fpga" or "fpga-dma". NULL is not. */
bool card_list_only(const char *backend);

/*
 * Whether the named cards are there for this algorithm. They are for the one that was asked for, where one was. Else those
 * on boards are for each algorithm that a design was named for, or, without any design, for what cards search; and if all
 * are simulated, they become whatever is wanted.
 */
bool card_list_serves(const struct card_list *, const struct algo *asked, const struct algo *);

/* The cards, not opened yet; starting them ends when a signal comes. NULL, logged: no memory. */
struct cards *card_list_create(const struct card_list *);

void card_list_free(struct card_list *);

#endif
