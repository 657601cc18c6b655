/* Counting and telling: see tally.h. */
#include "pool/tally.h"

#include <stdio.h>

#include "base/log.h"
#include "base/target.h"
#include "pool/header.h"

void tally_init(struct tally *tally, const char *name)
{
	*tally = (struct tally){ .name = name };
	pthread_mutex_init(&tally->lock, NULL);
}

void tally_destroy(struct tally *tally)
{
	pthread_mutex_destroy(&tally->lock);
}

void tally_read(struct tally *tally, struct pool_stats *stats)
{
	pthread_mutex_lock(&tally->lock);
	*stats = tally->stats;
	pthread_mutex_unlock(&tally->lock);
}

static void add(struct tally *tally, uint64_t *counter, unsigned count)
{
	pthread_mutex_lock(&tally->lock);
	*counter += count;
	pthread_mutex_unlock(&tally->lock);
}

static void set(struct tally *tally, bool *flag, bool value)
{
	pthread_mutex_lock(&tally->lock);
	*flag = value;
	pthread_mutex_unlock(&tally->lock);
}

/* A difficulty for people: no exponent for the usual ones. */
static const char *show(char text[32], double difficulty)
{
	snprintf(text, 32, difficulty >= 1e5 && difficulty < 1e20 ? "%.0f" : "%.6g", difficulty);
	return text;
}

void tally_connection(struct tally *tally)
{
	add(tally, &tally->stats.connections, 1);
}

void tally_login(struct tally *tally, bool logged_in)
{
	set(tally, &tally->stats.connected, logged_in);
}

void tally_gave_up(struct tally *tally)
{
	set(tally, &tally->stats.gave_up, true);
}

void tally_work(struct tally *tally, double difficulty)
{
	char note[THROTTLE_NOTE_MAX], text[32];

	pthread_mutex_lock(&tally->lock);
	bool changed = tally->stats.difficulty != difficulty;
	tally->stats.difficulty = difficulty;
	tally->stats.jobs++;
	pthread_mutex_unlock(&tally->lock);
	if (changed && throttle_pass(&tally->difficulty, note))
		log_info("pool %s: difficulty %s%s", tally->name, show(text, difficulty), note);
}

bool tally_share_sent(struct tally *tally, const struct share *share, long height)
{
	uint32_t digest[8], target[8];
	char name[65], place[40] = "", note[THROTTLE_NOTE_MAX];

	add(tally, &tally->stats.sent, 1);
	target_load(digest, share->digest);
	target_from_bits(target, header_nbits(share->work.header));
	if (!target_met(digest, target) || header_block_name(name, share->work.header) < 0)
		return false;
	add(tally, &tally->stats.blocks, 1);
	if (height >= 0)
		snprintf(place, sizeof place, "height %ld, ", height);
	if (throttle_pass(&tally->block, note))
		log_notice("pool %s: block found, %shash %s%s", tally->name, place, name, note);
	return true;
}

static void tell_reply(struct tally *tally, double difficulty, double seconds, const char *reason)
{
	char note[THROTTLE_NOTE_MAX], text[32];

	if (!throttle_pass(reason ? &tally->rejected : &tally->accepted, note))
		return;
	show(text, difficulty);
	if (reason)
		log_warn("pool %s: share rejected, diff %s, %.0f ms: %s%s", tally->name, text, 1000 * seconds, reason, note);
	else
		log_info("pool %s: share accepted, diff %s, %.0f ms%s", tally->name, text, 1000 * seconds, note);
}

void tally_share_replied(struct tally *tally, double difficulty, double seconds, const char *reason)
{
	tell_reply(tally, difficulty, seconds, reason);
	add(tally, reason ? &tally->stats.rejected : &tally->stats.accepted, 1);
}

void tally_share_stale(struct tally *tally, const struct share *share)
{
	char note[THROTTLE_NOTE_MAX], text[32];

	if (throttle_pass(&tally->stale, note))
		log_debug("pool %s: stale share dropped, diff %s%s", tally->name, show(text, share->difficulty), note);
	add(tally, &tally->stats.stale, 1);
}

void tally_share_dropped(struct tally *tally)
{
	char note[THROTTLE_NOTE_MAX];

	pthread_mutex_lock(&tally->lock);
	tally->stats.dropped++;
	bool say = throttle_pass(&tally->dropped, note);
	pthread_mutex_unlock(&tally->lock);
	if (say)
		log_warn("pool %s: share dropped, too many at once: its difficulty is too low%s", tally->name, note);
}

void tally_shares_unanswered(struct tally *tally, unsigned count)
{
	if (count == 0)
		return;
	log_warn("pool %s: no reply to %u share%s", tally->name, count, count > 1 ? "s" : "");
	add(tally, &tally->stats.unanswered, count);
}
