/* A bounded ring under a lock: see queue.h. */
#include "pool/queue.h"

void queue_init(struct queue *queue)
{
	pthread_mutex_init(&queue->lock, NULL);
	queue->first = queue->count = 0;
}

void queue_destroy(struct queue *queue)
{
	pthread_mutex_destroy(&queue->lock);
}

bool queue_push(struct queue *queue, const struct share *share)
{
	pthread_mutex_lock(&queue->lock);
	bool room = queue->count < QUEUE_MAX;
	if (room)
		queue->shares[(queue->first + queue->count++) % QUEUE_MAX] = *share;
	pthread_mutex_unlock(&queue->lock);
	return room;
}

bool queue_peek(struct queue *queue, struct share *share)
{
	pthread_mutex_lock(&queue->lock);
	bool any = queue->count > 0;
	if (any)
		*share = queue->shares[queue->first];
	pthread_mutex_unlock(&queue->lock);
	return any;
}

void queue_drop(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->first = (queue->first + 1) % QUEUE_MAX;
	queue->count--;
	pthread_mutex_unlock(&queue->lock);
}
