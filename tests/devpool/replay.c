/* Playing a recorded session: see replay.h. */
#include "tests/devpool/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static const char *method_of(json_t *message)
{
	return json_string_value(json_object_get(message, "method"));
}

/* Ids may come back as their decimal digits in a text. */
static bool same_id(json_t *request, json_t *reply)
{
	json_t *asked = json_object_get(request, "id"), *answered = json_object_get(reply, "id");
	const char *text = json_string_value(answered);

	if (json_is_integer(asked) && text)
		return strtoll(text, NULL, 10) == json_integer_value(asked);
	return asked && answered && json_equal(asked, answered);
}

/* Make `message`, from the pool, the reply to the first request of its id that has none. Takes it over. */
static bool is_reply(struct replay_scene *scene, json_t *message)
{
	for (size_t i = 0; json_is_object(message) && !method_of(message) && i < scene->answer_count; i++)
		if (!scene->answers[i].reply && same_id(scene->answers[i].request, message)) {
			scene->answers[i].reply = message;
			return true;
		}
	json_decref(message);
	return false;
}

/* A line from the client. Takes it over. 0, or -1 for no memory. */
static int add_request(struct replay_scene *scene, json_t *message, double time)
{
	struct replay_answer *answers;

	if (!method_of(message)) {	/* an answer of its own: nothing follows from it */
		json_decref(message);
		return 0;
	}
	if (!scene->logs_in && strcmp(method_of(message), "mining.authorize") == 0) {
		scene->logs_in = true;
		scene->start = time;
	}
	answers = realloc(scene->answers, (scene->answer_count + 1) * sizeof *answers);
	if (!answers) {
		json_decref(message);
		return -1;
	}
	scene->answers = answers;
	answers[scene->answer_count++] = (struct replay_answer){ .request = message };
	return 0;
}

static int add_cue(struct replay_scene *scene, const struct record_line *line)
{
	struct replay_cue *cues = realloc(scene->cues, (scene->cue_count + 1) * sizeof *cues);

	if (!cues)
		return -1;
	scene->cues = cues;
	cues[scene->cue_count++] = (struct replay_cue){ .time = line->time, .text = line->text };
	return 0;
}

static int add_line(struct replay *replay, const struct record_line *line)
{
	struct replay_scene *scene = &replay->scenes[line->connection - 1];
	json_t *message;

	if (line->call > 0)
		return 0;		/* the site's */
	message = json_loads(line->text, 0, NULL);
	if (!scene->begun)
		scene->start = line->time;
	scene->begun = true;
	scene->end = line->time;
	if (!line->from_pool)
		return add_request(scene, message, line->time);
	return is_reply(scene, message) ? 0 : add_cue(scene, line);
}

int replay_load(struct replay *replay, const char *path, unsigned pool, double speed)
{
	*replay = (struct replay){ .speed = speed, .site.speed = speed };
	if (record_load(&replay->record, path, pool) < 0)
		return -1;
	if (calls_load(&replay->site.calls, &replay->record) < 0) {
		replay_free(replay);
		return -1;
	}
	replay->scenes = calloc(replay->record.connections + 1, sizeof *replay->scenes);
	for (size_t i = 0; i < replay->record.count; i++)
		if (!replay->scenes || add_line(replay, &replay->record.lines[i]) < 0) {
			replay_free(replay);
			return log_error("record %s: no memory", path);
		}
	return 0;
}

void replay_free(struct replay *replay)
{
	for (unsigned i = 0; replay->scenes && i < replay->record.connections; i++) {
		struct replay_scene *scene = &replay->scenes[i];

		for (size_t k = 0; k < scene->answer_count; k++) {
			json_decref(scene->answers[k].request);
			json_decref(scene->answers[k].reply);
		}
		free(scene->answers);
		free(scene->cues);
	}
	free(replay->scenes);
	calls_free(&replay->site.calls);
	record_free(&replay->record);
}

/* It is a client that speaks lines: the next connection is its. 0, or -1 logged. */
static int begin_scene(struct player *player, double now)
{
	unsigned n = ++player->replay->clients, connections = player->replay->record.connections;

	player->scene = &player->replay->scenes[(n < connections ? n : connections) - 1];
	player->started = player->scene->logs_in ? INFINITY : now;
	player->last = n >= connections;
	player->given = calloc(player->scene->answer_count + 1, sizeof *player->given);
	return player->given ? 0 : log_error("replay: no memory");
}

int player_open(struct player *player, struct replay *replay, struct peer *peer, double now)
{
	*player = (struct player){ .replay = replay, .peer = peer };
	return replay->site.calls.count > 0 ? 0 : begin_scene(player, now);
}

void player_close(struct player *player)
{
	free(player->given);
	if (player->is_web)
		web_close(&player->web);
}

/*
 * The answer to the first request of this method that has not been given yet; when all
 * were given, the last one again. NULL when there never was such a request.
 */
static json_t *const *find_answer(struct player *player, const char *method)
{
	json_t *const *last = NULL;

	for (size_t i = 0; i < player->scene->answer_count; i++) {
		const struct replay_answer *answer = &player->scene->answers[i];

		if (strcmp(method_of(answer->request), method) != 0)
			continue;
		last = &answer->reply;
		if (!player->given[i]) {
			player->given[i] = true;
			break;
		}
	}
	return last;
}

static void send_message(struct player *player, json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT);

	if (text)
		peer_send(player->peer, text);
	else
		peer_doom(player->peer, "no memory for its answer", false);
	free(text);
}

/* With the id of now, in the type that it came back in then. */
static void send_reply(struct player *player, json_t *reply, json_t *id)
{
	json_t *message = json_copy(reply);

	if (json_is_string(json_object_get(reply, "id")) && json_is_integer(id))
		json_object_set_new(message, "id", json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(id)));
	else
		json_object_set(message, "id", id);
	send_message(player, message);
	json_decref(message);
}

static void player_line(struct player *player, const char *line, size_t len, double now)
{
	json_t *request = json_loadb(line, len, 0, NULL), *id = json_object_get(request, "id");
	const char *method = method_of(request);

	if (method) {
		json_t *const *reply = find_answer(player, method);

		if (!reply)
			log_info("replay: %s was not asked then", method);
		else if (*reply)
			send_reply(player, *reply, id);
		if (strcmp(method, "mining.authorize") == 0 && isinf(player->started))
			player->started = now;
	}
	json_decref(request);
}

/* When what was at `time` is to be now. */
static double moment(const struct player *player, double time)
{
	return player->started + fmax(0, time - player->scene->start) / player->replay->speed;
}

/* Of what is a node, too, the first bytes tell who calls. */
static void tell_client(struct player *player, double now)
{
	static const char post[] = "POST ";
	size_t len, begun;
	const char *bytes = peer_bytes(player->peer, &len);

	begun = len < strlen(post) ? len : strlen(post);
	if (player->scene || player->is_web || begun == 0)
		return;
	if (memcmp(bytes, post, begun) != 0) {
		if (player->replay->record.connections == 0)
			peer_doom(player->peer, "no lines were spoken with the node of then", true);
		else if (begin_scene(player, now) < 0)
			peer_doom(player->peer, "no memory", false);
	} else if (begun == strlen(post)) {
		player->is_web = true;
		web_open(&player->web, &player->replay->site, player->peer);
	}
}

void player_hear(struct player *player, double now)
{
	const char *line;
	size_t len;

	tell_client(player, now);
	if (player->is_web)
		web_hear(&player->web, now);
	while (player->scene && (line = peer_line(player->peer, &len)))
		player_line(player, line, len, now);
}

double player_due(const struct player *player)
{
	if (player->is_web)
		return web_due(&player->web);
	if (!player->scene)
		return INFINITY;
	if (player->next_cue < player->scene->cue_count)
		return moment(player, player->scene->cues[player->next_cue].time);
	return player->last ? INFINITY : moment(player, player->scene->end);
}

void player_step(struct player *player, double now)
{
	if (player->is_web)
		web_step(&player->web, now);
	if (!player->scene)
		return;
	while (player_due(player) <= now && !player->peer->doom) {
		if (player->next_cue < player->scene->cue_count) {
			peer_send(player->peer, player->scene->cues[player->next_cue++].text);
			continue;
		}
		peer_flush(player->peer, now);
		peer_doom(player->peer, "its recording ends here", false);
	}
}
