/* Lines and JSON of each card's counters: see card_report.h. */
#include "cli/card_report.h"

#include <stdio.h>

#include "base/log.h"
#include "cli/report.h"

void card_report(const struct cards *cards, const struct worker *workers, double seconds)
{
	for (unsigned i = 0; i < cards->count; i++) {
		const struct fpga_unit *unit = &cards->units[i];
		char rate[RATE_TEXT], heat[32] = "";
		double celsius;

		report_rate(rate, seconds > 0 ? (double)workers[i].hashes / seconds : 0);
		if (cards_temperature(cards, i, &celsius))
			snprintf(heat, sizeof heat, ", %.1f C", celsius);
		log_info("card %s: %s%s, %.1f MHz%s; hits %ju, hardware errors %ju, stale %ju, duplicates %ju", unit->name,
			 unit->on ? "" : "off, ", rate, unit->clock_khz / 1e3, heat, (uintmax_t)unit->hits,
			 (uintmax_t)workers[i].hw_errors, (uintmax_t)unit->stale, (uintmax_t)unit->duplicates);
	}
}

json_t *card_report_json(const struct cards *cards, const struct worker *workers, double seconds)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < cards->count; i++) {
		const struct fpga_unit *unit = &cards->units[i];
		double celsius;
		json_t *heat = cards_temperature(cards, i, &celsius) ? json_real(celsius) : json_null();

		json_array_append_new(list, json_pack("{s:s, s:b, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:i, s:f, s:o}",
			"card", unit->name, "on", (int)unit->on, "hashes", (json_int_t)workers[i].hashes,
			"hashrate", seconds > 0 ? (double)workers[i].hashes / seconds : 0.0, "hits", (json_int_t)unit->hits,
			"hw_errors", (json_int_t)workers[i].hw_errors, "stale", (json_int_t)unit->stale,
			"duplicates", (json_int_t)unit->duplicates, "failures", (json_int_t)unit->failures,
			"missed_interrupts", (json_int_t)unit->missed_irqs, "lost_interrupts", (json_int_t)unit->lost_irqs,
			"cores", (int)unit->cores, "clocks_per_hash", (int)unit->clocks, "clock_mhz", unit->clock_khz / 1e3,
			"temperature", heat));
	}
	return list;
}
