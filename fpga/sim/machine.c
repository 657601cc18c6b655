/* Reading the list of cards and powering them up: see machine.h. */
#include "fpga/sim/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_card cards[MACHINE_CARDS];
static unsigned count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A machine that is not as it should be is no place to go on testing. */
static void refuse(const char *root, const char *what)
{
	fprintf(stderr, "fpga sim: %s: %s\n", root, what);
	abort();
}

static FILE *open_file(const char *root, const char *name)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/%s", root, name) >= (int)sizeof path)
		refuse(root, "the path is too long");
	return fopen(path, "re");
}

static uint64_t number(const char *root, const char *buffer, const char *attribute)
{
	char name[128], text[32] = "";

	snprintf(name, sizeof name, "sys/class/u-dma-buf/%s/%s", buffer, attribute);
	FILE *file = open_file(root, name);
	if (!file || !fgets(text, sizeof text, file))
		refuse(root, "a buffer of the list of cards has no size or phys_addr below sys/class/u-dma-buf");
	fclose(file);
	return strtoull(text, NULL, 0);
}

static void read_list(const char *root)
{
	char line[256];
	FILE *file = open_file(root, "cards");

	if (!file)
		refuse(root, "there is no file `cards`; fpga/sim/mkroot makes it");
	while (fgets(line, sizeof line, file)) {
		struct sim_card *card = &cards[count];
		if (count == MACHINE_CARDS)
			refuse(root, "too many cards");
		if (sscanf(line, "%31s %u %31s %31s %31s", card->design, &card->length_bits, card->device[BOARD_CARD],
			   card->device[BOARD_DMA], card->buffer) != 5 || card->length_bits < 8 || card->length_bits > 26)
			refuse(root, line);
		count++;
	}
	fclose(file);
}

/*
 * The design in the FPGA: where the FPGA manager was told to load a file whose first line is `design NAME`, that one; else, as
 * after power-up or with any other file, the card's own.
 */
static void find_design(char design[MACHINE_NAME], const struct sim_card *card, const char *root)
{
	char name[128], loaded[64] = "";
	FILE *file = open_file(root, "sys/class/fpga_manager/fpga0/firmware");

	memcpy(design, card->design, MACHINE_NAME);
	if (!file)
		return;
	const bool told = fscanf(file, "%63s", loaded) == 1;
	fclose(file);
	if (!told)
		return;
	snprintf(name, sizeof name, "lib/firmware/%s", loaded);
	file = open_file(root, name);
	if (!file)
		return;
	if (fscanf(file, "design %31s", design) != 1)
		memcpy(design, card->design, MACHINE_NAME);
	fclose(file);
}

static void power_up(struct sim_card *card, const char *root)
{
	char faults[4096], why[128];
	struct board_config config = {
		.design = card->design, .length_bits = card->length_bits, .faults = faults, .card = (unsigned)(card - cards),
	};

	if (snprintf(faults, sizeof faults, "%s/faults", root) >= (int)sizeof faults)
		refuse(root, "the path is too long");
	if (strcmp(card->buffer, "-") != 0) {
		if (memory_init(&card->memory, (size_t)number(root, card->buffer, "size")) < 0)
			refuse(root, "no memory for a buffer");
		config.memory = (struct bus_memory){
			.bytes = card->memory.device, .len = card->memory.len, .addr = number(root, card->buffer, "phys_addr"),
		};
	}
	card->board = board_new(&config, why, sizeof why);
	if (!card->board)
		refuse(root, why);
}

/* The first card for which one of its names is this one; of the devices, or else the buffer. */
static struct sim_card *find(const char *root, const char *name, enum board_device *device)
{
	struct sim_card *found = NULL;

	pthread_mutex_lock(&lock);
	if (count == 0)
		read_list(root);
	for (unsigned i = 0; i < count && !found; i++) {
		if (!device) {
			found = strcmp(cards[i].buffer, name) == 0 ? &cards[i] : NULL;
			continue;
		}
		for (*device = 0; *device < BOARD_DEVICES && !found; ++*device)
			if (strcmp(cards[i].device[*device], name) == 0) {
				found = &cards[i];
				break;
			}
	}
	if (found && !found->board)
		power_up(found, root);
	pthread_mutex_unlock(&lock);
	return found;
}

struct sim_card *machine_device(const char *root, const char *name, enum board_device *device)
{
	struct sim_card *card = find(root, name, device);
	char design[MACHINE_NAME];

	if (card) {
		find_design(design, card, root);
		if (!board_load(card->board, design))
			refuse(root, "no such design was built as the one that the FPGA manager loaded");
	}
	return card;
}

struct sim_card *machine_buffer(const char *root, const char *name)
{
	return find(root, name, NULL);
}
