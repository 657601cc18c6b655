/* Counting and reporting: see stats.h. */
#include "tests/devpool/stats.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

#define REPORT_INTERVAL 1.0	/* seconds between two lines, at least */

void stats_share(struct stats *stats, enum verdict verdict, double difficulty)
{
	stats->verdicts[verdict]++;
	if (verdict == SHARE_ACCEPTED)
		stats->difficulty_sum += difficulty;
}

static unsigned rejected(const struct stats *stats)
{
	unsigned sum = 0;

	for (int v = 0; v < VERDICT_COUNT; v++)
		if (v != SHARE_ACCEPTED)
			sum += stats->verdicts[v];
	return sum;
}

/* Hashes per second: difficulty 1 is 2^256 hashes over a target of 0xffff * 2^208. */
static double hashrate(const struct stats *stats, const struct algo *algo)
{
	double hashes = stats->difficulty_sum / algo->diff1 * ldexp(1, 48) / 65535;

	return stats->mining > 0 ? hashes / stats->mining : 0;
}

double stats_report_due(const struct stats *stats)
{
	if (stats->verdicts[SHARE_ACCEPTED] + rejected(stats) == stats->shares_reported)
		return INFINITY;
	return stats->reported + REPORT_INTERVAL;
}

void stats_report(struct stats *stats, const struct algo *algo, double now)
{
	unsigned accepted = stats->verdicts[SHARE_ACCEPTED], refused = rejected(stats);

	log_info("devpool: %u accepted, %u rejected, %u blocks, difficulty sum %.6g, %.4g MH/s after %.1f s", accepted,
		 refused, stats->blocks, stats->difficulty_sum, hashrate(stats, algo) / 1e6, now - stats->started);
	stats->reported = now;
	stats->shares_reported = accepted + refused;
}

static json_t *reasons(const struct stats *stats)
{
	json_t *counts = json_object();

	for (int v = 0; v < VERDICT_COUNT; v++)
		if (v != SHARE_ACCEPTED)
			json_object_set_new(counts, verdict_texts[v].key, json_integer(stats->verdicts[v]));
	return counts;
}

static json_t *strikes(const struct faults *faults)
{
	json_t *counts = json_object();

	for (int f = 0; f < FAULT_COUNT; f++)
		if (faults->struck[f] > 0)
			json_object_set_new(counts, fault_rows[f].name, json_integer(faults->struck[f]));
	return counts;
}

int stats_print_json(const struct stats *stats, const struct algo *algo, const struct faults *faults, unsigned port,
		     unsigned jobs, double now)
{
	const struct {
		const char *name;
		unsigned value;
	} counts[] = {
		{ "port", port },
		{ "connections", stats->connections },
		{ "resumed", stats->resumed },
		{ "cut", stats->cut },
		{ "dropped", stats->dropped },
		{ "jobs", jobs },
		{ "bad_lines", stats->bad_lines },
		{ "answers", stats->answers },
		{ "accepted", stats->verdicts[SHARE_ACCEPTED] },
		{ "rejected", rejected(stats) },
		{ "told_accepted", stats->told_accepted },
		{ "told_rejected", stats->told_rejected },
		{ "duplicates", stats->duplicates },
		{ "unchecked", stats->unchecked },
		{ "after_clean", stats->after_clean },
		{ "late", stats->late },
		{ "blocks", stats->blocks },
	};
	json_t *summary = json_pack("{s:s,s:f}", "algo", algo->name, "seconds", now - stats->started);

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		json_object_set_new(summary, counts[i].name, json_integer(counts[i].value));
	json_object_set_new(summary, "reasons", reasons(stats));
	json_object_set_new(summary, "faults", strikes(faults));
	json_object_set_new(summary, "difficulty_sum", json_real(stats->difficulty_sum));
	json_object_set_new(summary, "hashrate_estimate", json_real(hashrate(stats, algo)));

	char *text = json_dumps(summary, JSON_COMPACT);

	json_decref(summary);
	if (!text)
		return log_error("devpool: no memory for the summary");
	int done = printf("%s\n", text) < 0 || fflush(stdout) != 0 ? -1 : 0;
	free(text);
	return done < 0 ? log_errno("devpool: write the summary") : 0;
}
