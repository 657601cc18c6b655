/* See stream.h. */
#include "offload/stream.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"

struct run {
	const struct stream *stream;
	struct ring ring;
	uint64_t next_item;		/* the first of the next task: whoever fills has it */
	atomic_uint opening;		/* workers that are not open yet */
};

struct worker_thread {
	pthread_t thread;
	struct run *run;
	struct stream_worker *worker;
	const struct device_want *want;
};

static void fill(struct run *run, struct task *task)
{
	const struct stream *stream = run->stream;

	task->batch = (struct batch){ .core = stream->core, .params = stream->params, .first = run->next_item,
				      .in = task->in, .out = task->out };
	int more = stream->fill(stream->ctx, task);
	if (more < 0) {
		ring_abort(&run->ring);
	} else if (more == 0) {
		ring_close(&run->ring, task);
	} else {
		run->next_item += task->batch.items;
		ring_done(&run->ring, task);
	}
}

/* 0, or -1: the device is lost. */
static int compute(struct run *run, struct stream_worker *worker, struct task *task)
{
	struct device *device = &worker->device;

	if (device_run(device, &task->batch) < 0) {
		log_warn("%s %u is lost, the others go on", device->kind->name, device->index);
		ring_give_back(&run->ring, task);
		return -1;
	}
	worker->tasks++;
	worker->items += task->batch.items;
	ring_done(&run->ring, task);
	return 0;
}

static void take_off(struct run *run, struct task *task)
{
	if (run->stream->take_off(run->stream->ctx, task) < 0)
		ring_abort(&run->ring);
	else
		ring_done(&run->ring, task);
}

/* Do what is to be done until nothing is. `worker` is who computes, where that is among the duties. 0, or -1: its device is lost. */
static int serve(struct run *run, unsigned duties, struct stream_worker *worker)
{
	struct task *task;

	for (;;) {
		switch (ring_next(&run->ring, duties, &task)) {
		case DUTY_FILL:
			fill(run, task);
			break;
		case DUTY_COMPUTE:
			if (compute(run, worker, task) < 0)
				return -1;
			break;
		case DUTY_TAKE_OFF:
			take_off(run, task);
			break;
		default:
			return 0;
		}
	}
}

/* One more worker is open, or lost. */
static void opened(struct run *run)
{
	const struct stream *stream = run->stream;

	if (atomic_fetch_sub(&run->opening, 1) > 1 || !stream->ready)
		return;
	stream->ready(stream->ctx, run->ring.tasks);
	ring_let_go(&run->ring);
}

static void *fill_all(void *ctx)
{
	serve(ctx, DUTY_FILL, NULL);
	return NULL;
}

static void *work(void *ctx)
{
	struct worker_thread *own = ctx;
	struct stream_worker *worker = own->worker;
	const struct stream *stream = own->run->stream;

	worker->lost = device_open(&worker->device, own->want, stream->core) < 0;
	opened(own->run);
	if (!worker->lost) {
		worker->lost = serve(own->run, stream->workers_do_all ? DUTY_ALL : DUTY_COMPUTE, worker) < 0;
		device_close(&worker->device);
	}
	ring_leave(&own->run->ring);
	if (ring_aborted(&own->run->ring) && stream->stop)	/* which wakes all but who waits in fill() */
		stream->stop(stream->ctx);
	return NULL;
}

int stream_run(const struct stream *stream, struct stream_result *result)
{
	const struct core *core = stream->core;
	struct run run = { .stream = stream, .next_item = stream->first, .opening = stream->want_count };
	struct worker_thread workers[DEVICES_MAX];
	const bool own_filler = !stream->workers_do_all;
	unsigned started = 0;
	pthread_t filler;
	bool filling = false;

	*result = (struct stream_result){ .worker_count = stream->want_count };
	if (ring_init(&run.ring, stream->depth, stream->task_items * core->item_in, stream->task_items * core->item_out) < 0)
		return -1;
	double began = clock_now();

	if (stream->ready)
		ring_hold(&run.ring);
	for (unsigned i = 0; i < stream->want_count; i++)
		ring_join(&run.ring);
	for (; started < stream->want_count; started++) {
		workers[started] = (struct worker_thread){ .run = &run, .worker = &result->workers[started], .want = &stream->wants[started] };
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
			break;
	}
	if (own_filler && started == stream->want_count)
		filling = pthread_create(&filler, NULL, fill_all, &run) == 0;
	if (started < stream->want_count || filling != own_filler) {
		log_error("no more threads can be started");
		ring_abort(&run.ring);
	}
	if (filling) {
		serve(&run, DUTY_TAKE_OFF, NULL);
		pthread_join(filler, NULL);
	}
	bool all_lost = started > 0;
	for (unsigned i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
		all_lost &= result->workers[i].lost;
	}
	result->seconds = clock_now() - began;
	int status = ring_aborted(&run.ring) ? -1 : 0;
	if (all_lost)		/* even where there was nothing to do */
		status = log_error("no worker is left");
	ring_destroy(&run.ring);
	return status;
}
