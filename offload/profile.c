/*
 * Where the plain ciphers spend their time, by class of function: each is run alone, as
 * often as a block has it, and its part of the sum is shown beside the whole block's time.
 */
#include <jansson.h>
#include <stdio.h>

#include "base/clock.h"
#include "cipher/aes128.h"
#include "cipher/chacha20.h"
#include "offload/runs.h"

#define BLOCKS	20000
#define TRIES	7	/* the best counts: a disturbance only makes one slower */

static struct aes128 aes;
static struct chacha20 chacha;
static uint8_t bytes[64] = { 1, 2, 3 };
static uint32_t words[16] = { 1, 2, 3 };

static void sub_bytes(void)
{
	for (unsigned i = 0; i < AES128_ROUNDS; i++)
		aes128_sub_bytes(bytes);
}

static void shift_rows(void)
{
	for (unsigned i = 0; i < AES128_ROUNDS; i++)
		aes128_shift_rows(bytes);
}

static void mix_columns(void)
{
	for (unsigned i = 0; i < AES128_ROUNDS - 1; i++)
		aes128_mix_columns(bytes);
}

static void add_round_key(void)
{
	for (unsigned i = 0; i < AES128_ROUNDS + 1; i++)
		aes128_add_round_key(bytes, aes.round_keys[i]);
}

static void aes_block(void)
{
	aes128_encrypt(&aes, bytes, bytes);
}

static void quarter_rounds(void)
{
	chacha20_rounds(words);
}

static void chacha_block(void)
{
	chacha20_block(&chacha, words[0]++, bytes);
}

#define CLASSES_MAX	4

static const struct {
	const char *core;
	unsigned block;			/* bytes */
	void (*whole)(void);
	struct { const char *name; void (*run)(void); } classes[CLASSES_MAX];
} profiles[] = {
	{ "aes128-ecb", AES128_BLOCK, aes_block,
	  { { "MixColumns", mix_columns }, { "AddRoundKey", add_round_key }, { "SubBytes", sub_bytes }, { "ShiftRows", shift_rows } } },
	{ "chacha20", CHACHA20_BLOCK, chacha_block, { { "quarter rounds", quarter_rounds } } },
};

/* Nanoseconds of a call. */
static double time_of(void (*run)(void))
{
	double best = 0;

	for (unsigned try = 0; try < TRIES; try++) {
		double began = clock_thread_cpu();

		for (unsigned i = 0; i < BLOCKS; i++)
			run();
		double taken = (clock_thread_cpu() - began) / BLOCKS * 1e9;
		best = try == 0 || taken < best ? taken : best;
	}
	return best;
}

/* Alone the parts lose what the CPU overlaps in a block, so their sum may be above it. */
static void print_rest(double whole, double sum)
{
	if (sum > whole)
		printf("  alone they take %.1f ns; in a block they overlap\n", sum);
	else
		printf("  %-16s %8.1f ns %5.1f %%\n", "the rest", whole - sum, 100 * (whole - sum) / whole);
}

int run_profile(const struct offload_options *options)
{
	json_t *all = json_array();

	aes128_init(&aes, bytes);
	chacha20_init(&chacha, bytes, bytes);
	for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
		double whole = time_of(profiles[i].whole), each[CLASSES_MAX], sum = 0;
		json_t *classes = json_array();

		for (unsigned j = 0; j < CLASSES_MAX && profiles[i].classes[j].name; j++)
			sum += each[j] = time_of(profiles[i].classes[j].run);
		double all_of_it = sum > whole ? sum : whole;
		if (!options->json)
			printf("%s, plain C: %.1f ns a block of %u bytes\n", profiles[i].core, whole, profiles[i].block);
		for (unsigned j = 0; j < CLASSES_MAX && profiles[i].classes[j].name; j++) {
			if (!options->json)
				printf("  %-16s %8.1f ns %5.1f %%\n", profiles[i].classes[j].name, each[j], 100 * each[j] / all_of_it);
			json_array_append_new(classes, json_pack("{s:s,s:f,s:f}", "class", profiles[i].classes[j].name, "ns", each[j],
								 "share", each[j] / all_of_it));
		}
		if (!options->json)
			print_rest(whole, sum);
		json_array_append_new(all, json_pack("{s:s,s:i,s:f,s:o}", "core", profiles[i].core, "block", (int)profiles[i].block,
						     "ns", whole, "classes", classes));
	}
	json_t *root = json_pack("{s:o}", "profile", all);
	if (options->json) {
		json_dumpf(root, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
		putchar('\n');
	}
	json_decref(root);
	return 0;
}
