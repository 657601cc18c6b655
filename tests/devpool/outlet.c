/* Saying things, well or badly: see outlet.h. */
#include "tests/devpool/outlet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/devpool/message.h"
#include "tests/devpool/nonsense.h"

void outlet_open(struct outlet *outlet, struct peer *peer, struct faults *faults, struct stats *stats, uint16_t port)
{
	*outlet = (struct outlet){ .peer = peer, .faults = faults, .stats = stats, .port = port, .turn = faults->turn };
}

void outlet_close(struct outlet *outlet)
{
	for (size_t i = 0; i < outlet->late_count; i++)
		free(outlet->late[i].text);
}

/* One line, of which nothing but the way it is written may be wrong. */
static void write_line(struct outlet *outlet, const char *text)
{
	struct faults *faults = outlet->faults;
	struct peer *peer = outlet->peer;

	if (!text) {
		peer_doom(peer, "no memory for its answer", false);
		return;
	}
	peer->chunk = fault_strikes(faults, FAULT_HALVES) ? (size_t)fmax(1, fault_argument(faults, FAULT_HALVES)) : 0;
	if (peer->out_len == 0 && fault_strikes(faults, FAULT_BATCH))
		peer->hold_until = fmax(peer->hold_until, faults->now + fault_argument(faults, FAULT_BATCH) / 1e3);
	if (fault_strikes(faults, FAULT_BLANK))
		peer_send(peer, faults->struck[FAULT_BLANK] % 2 == 0 ? "" : "   ");
	peer->line_end = fault_strikes(faults, FAULT_CRLF) ? "\r\n" : "\n";
	peer_send(peer, text);
}

static char *take_text(json_t *message)
{
	char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

	json_decref(message);
	return text;
}

static void write_message(struct outlet *outlet, json_t *message)
{
	char *text = take_text(message);

	write_line(outlet, text);
	free(text);
}

void outlet_say(struct outlet *outlet, json_t *message)
{
	if (message && fault_strikes(outlet->faults, FAULT_STYLE))
		nonsense_style(message, outlet->faults->struck[FAULT_STYLE]);
	write_message(outlet, message);
}

void outlet_difficulty(struct outlet *outlet, double difficulty)
{
	outlet->difficulty = difficulty;
	outlet_say(outlet, message_notification("mining.set_difficulty", json_pack("[f]", difficulty)));
}

void outlet_job(struct outlet *outlet, json_t *message)
{
	struct faults *faults = outlet->faults;
	json_t *bad = NULL;

	if (message && fault_strikes(faults, FAULT_BADJOBS))
		bad = nonsense_job(message, faults->struck[FAULT_BADJOBS]);
	outlet_say(outlet, message);
	if (bad)
		write_message(outlet, bad);
}

static void tell(struct outlet *outlet, const char *text, bool good)
{
	write_line(outlet, text);
	if (good)
		outlet->stats->told_accepted++;
	else
		outlet->stats->told_rejected++;
}

/* An answer nobody waits for, and this one a second time. */
static void say_astray(struct outlet *outlet, const char *text)
{
	write_line(outlet, "{\"id\":999999999,\"result\":true,\"error\":null}");
	write_line(outlet, text);
}

void outlet_verdict(struct outlet *outlet, json_t *message, json_t *id, bool good)
{
	struct faults *faults = outlet->faults;
	double delay = 0;

	if (good && fault_strikes(faults, FAULT_REFUSALS)) {
		json_decref(message);
		message = nonsense_refusal(id, faults->struck[FAULT_REFUSALS]);
		good = false;
	}
	if (message && fault_strikes(faults, FAULT_STYLE))
		nonsense_style(message, faults->struck[FAULT_STYLE]);

	char *text = take_text(message);

	if (fault_strikes(faults, FAULT_MUTE)) {
		free(text);
		return;
	}
	if (fault_strikes(faults, FAULT_LATE))
		delay += fault_argument(faults, FAULT_LATE) / 1e3;
	if (fault_strikes(faults, FAULT_SHUFFLE))
		delay += fault_argument(faults, FAULT_SHUFFLE) / 1e3 * fault_random(faults);
	if (text && delay > 0 && outlet->late_count < OUTLET_LATE_MAX) {
		size_t i = outlet->late_count++;

		outlet->late[i].due = faults->now + delay;
		outlet->late[i].text = text;
		outlet->late[i].good = good;
		return;
	}
	tell(outlet, text, good);
	if (text && fault_strikes(faults, FAULT_STRAY))
		say_astray(outlet, text);
	free(text);
}

/* The earliest of the answers that are due first, so that equally late ones keep their order. */
static void say_late(struct outlet *outlet)
{
	for (;;) {
		size_t first = 0;

		for (size_t i = 1; i < outlet->late_count; i++)
			if (outlet->late[i].due < outlet->late[first].due)
				first = i;
		if (outlet->late_count == 0 || outlet->late[first].due > outlet->faults->now)
			return;
		tell(outlet, outlet->late[first].text, outlet->late[first].good);
		free(outlet->late[first].text);
		outlet->late_count--;
		memmove(outlet->late + first, outlet->late + first + 1,
			(outlet->late_count - first) * sizeof *outlet->late);
	}
}

/* Is one of those that come now and then due? The first comes within a period, a drop at any time. */
static bool is_due(struct outlet *outlet, enum fault fault)
{
	struct faults *faults = outlet->faults;
	double period = fault_argument(faults, fault), *next = &outlet->next[fault], chance;

	if (!fault_on(faults, fault)) {
		*next = 0;
		return false;
	}
	if (*next == 0) {
		chance = fault_random(faults);
		*next = faults->now + period * (fault == FAULT_DROP ? -log(1 - chance) : chance);
	}
	if (faults->now < *next)
		return false;
	*next = faults->now + (fault == FAULT_SILENT ? 2 : 1) * period;
	return fault_strikes(faults, fault);
}

static void say_nonsense(struct outlet *outlet)
{
	const unsigned *turns = outlet->faults->struck;
	char *text;

	if (is_due(outlet, FAULT_GARBAGE))
		write_line(outlet, nonsense_garbage(turns[FAULT_GARBAGE]));
	if (is_due(outlet, FAULT_DEEP)) {
		text = nonsense_deep(turns[FAULT_DEEP]);
		write_line(outlet, text);
		free(text);
	}
	if (outlet->difficulty > 0 && is_due(outlet, FAULT_LONG)) {
		text = nonsense_long(outlet->difficulty);
		write_line(outlet, text);
		free(text);
	}
	if (is_due(outlet, FAULT_REQUESTS))
		write_line(outlet, nonsense_request(turns[FAULT_REQUESTS]));
	if (is_due(outlet, FAULT_RECONNECT))
		write_message(outlet, nonsense_reconnect(outlet->port, turns[FAULT_RECONNECT]));
}

static void cut(struct outlet *outlet, const char *why)
{
	outlet->stats->cut++;
	peer_doom(outlet->peer, why, false);
}

void outlet_subscribed(struct outlet *outlet)
{
	if (!fault_strikes(outlet->faults, FAULT_HANGUP))
		return;
	peer_flush(outlet->peer, outlet->faults->now);
	cut(outlet, "hung up on after subscribe");
}

void outlet_step(struct outlet *outlet)
{
	struct faults *faults = outlet->faults;
	bool new_turn = outlet->turn != faults->turn;

	outlet->turn = faults->turn;
	if (outlet->peer->doom)
		return;
	if (new_turn && (faults->in_turn == FAULT_HANGUP || faults->in_turn == FAULT_REFUSE))
		cut(outlet, "to come back");	/* these faults meet only who comes */
	if (is_due(outlet, FAULT_DROP))
		cut(outlet, "dropped");
	if (is_due(outlet, FAULT_SILENT))
		outlet->peer->hold_until = faults->now + fault_argument(faults, FAULT_SILENT);
	say_late(outlet);
	say_nonsense(outlet);
}
