/* Stratum's extensions: see extensions.h. */
#include "tests/devpool/extensions.h"

#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/hex.h"
#include "tests/devpool/message.h"

#define DIFFICULTY_MAX 1e15	/* that a client may ask for */

/*
 * BIP310: what both want to roll is granted, unless that is less than the client says
 * it needs. Its jobs before this one stay as they are.
 */
static json_t *configure_rolling(struct session *session, json_t *result, json_t *options)
{
	const char *text = json_string_value(json_object_get(options, "version-rolling.mask"));
	json_int_t least = json_integer_value(json_object_get(options, "version-rolling.min-bit-count"));
	uint32_t mask = session->pool->options->version_mask;
	uint8_t wanted[4];
	char granted[9];

	if (text) {
		if (!hex_decode(wanted, sizeof wanted, text))
			return json_string("version-rolling.mask is not 8 hex digits");
		mask &= load_be32(wanted);
	}
	if (mask == 0 || __builtin_popcount(mask) < least)
		return json_false();
	session->rolling = true;
	session->granted = session->mask = mask;
	session->next_mask = clock_now() + session->pool->options->mask_interval;
	message_number(granted, mask);
	json_object_set_new(result, "version-rolling.mask", json_string(granted));
	return json_true();
}

static json_t *configure_least(struct session *session, json_t *result, json_t *options)
{
	json_t *value = json_object_get(options, "minimum-difficulty.value");
	double least = json_number_value(value);

	(void)result;
	if (!json_is_number(value) || !(least >= 0 && least <= DIFFICULTY_MAX))
		return json_string("minimum-difficulty.value is not a difficulty");
	session->least = least;
	return json_true();
}

static json_t *configure_xnonce(struct session *session, json_t *result, json_t *options)
{
	(void)result;
	(void)options;
	session->follows_xnonce = true;
	session->next_xnonce = clock_now() + session->pool->options->xnonce_interval;
	return json_true();
}

static const struct {
	const char *name;
	json_t *(*agree)(struct session *, json_t *result, json_t *options);	/* true, false or what is wrong */
} extensions[] = {
	{ "version-rolling", configure_rolling },
	{ "minimum-difficulty", configure_least },
	{ "subscribe-extranonce", configure_xnonce },
};

static json_t *agree(struct session *session, const char *name, json_t *result, json_t *options)
{
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (strcmp(extensions[i].name, name) == 0)
			return extensions[i].agree(session, result, options);
	return json_false();
}

void extensions_configure(struct session *session, json_t *id, json_t *params)
{
	json_t *names = json_array_get(params, 0), *options = json_array_get(params, 1), *name;
	json_t *result = json_object();
	size_t i;

	if (!json_is_array(names) || !json_is_object(options)) {
		json_decref(result);
		outlet_say(session->outlet, message_error(id, 20, "Not a list of extensions and an object"));
		return;
	}
	json_array_foreach(names, i, name)
		if (json_is_string(name))
			json_object_set_new(result, json_string_value(name),
					    agree(session, json_string_value(name), result, options));
	outlet_say(session->outlet, message_reply(id, result));
}

void extensions_suggest_difficulty(struct session *session, json_t *id, json_t *params)
{
	json_t *value = json_array_get(params, 0);
	double difficulty = json_number_value(value);

	if (!json_is_number(value) || !(difficulty > 0 && difficulty <= DIFFICULTY_MAX)) {
		outlet_say(session->outlet, message_error(id, 20, "Not a difficulty"));
		return;
	}
	/* below this every hash is a share, and less would mean nothing */
	session->tenure.difficulty = fmax(difficulty, ldexp(session->pool->options->algo->diff1, -32));
	vardiff_start(&session->vardiff, clock_now());
	outlet_say(session->outlet, message_reply(id, json_true()));
}

void extensions_subscribe_xnonce(struct session *session, json_t *id, json_t *params)
{
	(void)params;
	outlet_say(session->outlet, message_reply(id, configure_xnonce(session, NULL, NULL)));
}

/* The three lowest bits of the mask. */
static uint32_t narrow(uint32_t mask)
{
	uint32_t rest = mask;

	for (int i = 0; i < 3; i++)
		rest &= rest - 1;	/* clears the lowest bit; 0 stays 0 */
	return mask & ~rest;
}

static void change_mask(struct session *session)
{
	char text[9];

	session->mask = session->mask == session->granted ? narrow(session->granted) : session->granted;
	message_number(text, session->mask);
	outlet_say(session->outlet, message_notification("mining.set_version_mask", json_pack("[s]", text)));
}

static void change_xnonce(struct session *session)
{
	const struct xnonce *xnonce = &session->tenure.xnonce;
	char first[2 * XNONCE1_MAX + 1];

	session_new_xnonce(session);
	hex_encode(first, xnonce->first, xnonce->first_len);
	outlet_say(session->outlet, message_notification("mining.set_extranonce",
							 json_pack("[s,i]", first, (int)xnonce->second_len)));
}

void extensions_step(struct session *session, double now)
{
	if (now >= session->next_mask) {
		session->next_mask = now + session->pool->options->mask_interval;
		change_mask(session);
	}
	if (now >= session->next_xnonce && session->subscribed) {
		session->next_xnonce = now + session->pool->options->xnonce_interval;
		change_xnonce(session);
	}
}

double extensions_due(const struct session *session)
{
	return fmin(session->next_mask, session->subscribed ? session->next_xnonce : INFINITY);
}
