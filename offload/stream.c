/* See stream.h. */
#include "offload/stream.h"

#include "base/clock.h"
#include "base/log.h"

struct run {
	const struct stream *stream;
	struct ring ring;
};

struct worker_thread {
	pthread_t thread;
	struct run *run;
	struct stream_worker *worker;
	const struct device_want *want;
};

static void *fill(void *ctx)
{
	struct run *run = ctx;
	const struct stream *stream = run->stream;
	uint64_t number = stream->first;
	struct task *task;
	int more = 0;

	while ((task = ring_fill_begin(&run->ring))) {
		task->batch = (struct batch){ .core = stream->core, .params = stream->params, .first = number,
					      .in = task->in, .out = task->out };
		more = stream->fill(stream->ctx, task);
		if (more != 1)
			break;
		number += task->batch.items;
		ring_fill_end(&run->ring, task);
	}
	if (task && more == 0)
		ring_unfill(&run->ring, task);
	if (more < 0)
		ring_abort(&run->ring);
	else
		ring_close(&run->ring);
	return NULL;
}

static void *compute(void *ctx)
{
	struct worker_thread *own = ctx;
	struct stream_worker *worker = own->worker;
	struct ring *ring = &own->run->ring;
	struct task *task;

	if (device_open(&worker->device, own->want, own->run->stream->core) < 0) {
		worker->lost = true;
		ring_leave(ring);
		return NULL;
	}
	while ((task = ring_take(ring))) {
		if (device_run(&worker->device, &task->batch) < 0) {
			log_warn("%s %u is lost, the others go on", own->want->kind->name, own->want->index);
			worker->lost = true;
			ring_give_back(ring, task);
			break;
		}
		worker->tasks++;
		worker->items += task->batch.items;
		ring_done(ring, task);
	}
	device_close(&worker->device);
	ring_leave(ring);
	return NULL;
}

int stream_run(const struct stream *stream, struct stream_result *result)
{
	const struct core *core = stream->core;
	struct run run = { .stream = stream };
	struct worker_thread workers[DEVICES_MAX];
	unsigned started = 0;
	pthread_t filler;
	struct task *task;
	int status = -1;

	*result = (struct stream_result){ .worker_count = stream->want_count };
	if (ring_init(&run.ring, stream->depth, stream->task_items * core->item_in, stream->task_items * core->item_out) < 0)
		return -1;
	double began = clock_now();

	for (unsigned i = 0; i < stream->want_count; i++)
		ring_join(&run.ring);
	for (; started < stream->want_count; started++) {
		workers[started] = (struct worker_thread){ .run = &run, .worker = &result->workers[started], .want = &stream->wants[started] };
		if (pthread_create(&workers[started].thread, NULL, compute, &workers[started]) != 0)
			break;
	}
	if (started < stream->want_count || pthread_create(&filler, NULL, fill, &run) != 0) {
		log_error("no more threads can be started");
		ring_abort(&run.ring);
	} else {
		while ((task = ring_next(&run.ring))) {
			if (stream->take_off(stream->ctx, task) < 0)
				ring_abort(&run.ring);
			ring_release(&run.ring, task);
		}
		pthread_join(filler, NULL);
		if (!ring_aborted(&run.ring))
			status = 0;
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	result->seconds = clock_now() - began;
	bool all_lost = started > 0;
	for (unsigned i = 0; i < started; i++)
		all_lost &= result->workers[i].lost;
	if (all_lost)		/* even where there was nothing to do */
		status = log_error("no worker is left");
	ring_destroy(&run.ring);
	return status;
}
