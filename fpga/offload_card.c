/* Driving offload_top's registers and its stream: see offload_card.h. */
#include "fpga/offload_card.h"

#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/log.h"
#include "fpga/offload_regs.h"
#include "fpga/uio_card.h"

#define ID		0x41444f46	/* "ADOF" */
#define MINER_ID	0x41444954	/* "ADIT" */
#define VERSION_MAJOR	1		/* the register layout this driver knows */
#define SLOWEST_HZ	50e3		/* the least clock that is waited for: a simulation's on a busy machine */
#define RESET_READS	1000		/* of STATUS, until a write to memory has ended with its burst */
#define LOOK_S		0.01		/* a lost interrupt costs no more */

#define BLOCK		64u		/* bytes of chacha20's pad; an item of it */
#define FIELD		32u		/* bytes of a field element */
#define FIELD_C		UINT64_C(0x1000003d1)	/* its prime is 2^256 - this: SEC 2, 2.4.1 */

enum { CHACHA20 = 1, AES128, SHA256D, CUBEHASH256, SECP256K1 };	/* CORE */

/* The number of the first item, added to or put into the IV. */
typedef void count_fn(uint8_t iv[16], uint64_t first);

struct offload_core {
	const char *name;		/* of cores/core.h */
	const char *design;		/* which the simulation has for it */
	uint32_t number;		/* CORE */
	size_t item_in, item_out, key;	/* bytes */
	uint32_t operation;		/* for its one operation; secp256k1 is told with each batch */
	uint64_t items_max;		/* of a stream; 0: no bound */
	count_fn *count;		/* NULL: items are not counted, and there is no IV */
};

/* RFC 8439, 2.3: the block's number comes before the nonce in the cipher's state, and after it in IV. */
static void count_blocks(uint8_t iv[16], uint64_t first)
{
	store_le32(iv + 12, (uint32_t)first);
}

/* SP 800-38A, B.1, with all bits as the counter, most significant byte first. */
static void count_up(uint8_t iv[16], uint64_t first)
{
	unsigned carry = 0;

	for (unsigned i = 16; i-- > 0; first >>= 8) {
		carry += iv[i] + (unsigned)(first & 0xff);
		iv[i] = (uint8_t)carry;
		carry >>= 8;
	}
}

static const struct offload_core known[] = {
	{ "chacha20", "chacha20", CHACHA20, BLOCK, BLOCK, 32, 0, (uint64_t)1 << 32, count_blocks },
	{ "aes128-ecb", "aes128", AES128, 16, 16, 16, 0, 0, NULL },
	{ "aes128-ctr", "aes128", AES128, 16, 16, 16, 1, 0, count_up },
	{ "sha256d", "sha256d", SHA256D, 64, 32, 0, 0, 0, NULL },
	{ "cubehash256", "cubehash256", CUBEHASH256, 32, 32, 0, 0, 0, NULL },
	{ "secp256k1", "secp256k1", SECP256K1, 2 * FIELD, FIELD, 0, 0, 0, NULL },
};

static const struct offload_core *find(const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i];
	return NULL;
}

bool offload_card_offers(const char *core)
{
	return find(core) != NULL;
}

static uint32_t read_reg(struct offload_card *card, unsigned offset)
{
	return card->transport.ops->read(&card->transport, offset);
}

static void write_reg(struct offload_card *card, unsigned offset, uint32_t value)
{
	card->transport.ops->write(&card->transport, offset, value);
}

static void write_bytes(struct offload_card *card, unsigned offset, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i += 4)
		write_reg(card, offset + (unsigned)i, load_le32(bytes + i));
}

static uint32_t field(uint32_t value, uint32_t mask, unsigned shift)
{
	return (value & mask) >> shift;
}

/* Which core of CORE's numbers it is. */
static const char *core_name(uint32_t number)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].number == number)
			return known[i].design;
	return "unknown to this driver";
}

/* Of something that answers: is it this core, and one that this driver can use? 0, or -1 logged. */
static int check_kind(struct offload_card *card, uint32_t id, uint32_t version, uint32_t number, uint32_t caps)
{
	const struct offload_core *core = card->core;
	const char *name = card->transport.name;
	size_t in = field(caps, OFFLOAD_CAPS_ITEM_IN, OFFLOAD_CAPS_ITEM_IN_SHIFT);
	size_t out = field(caps, OFFLOAD_CAPS_ITEM_OUT, OFFLOAD_CAPS_ITEM_OUT_SHIFT);

	if (id == MINER_ID)
		return log_error("card %s: this is a miner, and no offload core", name);
	if (id != ID)
		return log_error("card %s: this is no offload core: its identity is %08x", name, (unsigned)id);
	if (version >> 16 != VERSION_MAJOR)
		return log_error("card %s: its registers are of version %u.%u, and this driver knows %d", name,
				 (unsigned)(version >> 16), (unsigned)(version & 0xffff), VERSION_MAJOR);
	if (number != core->number)
		return log_error("card %s: its core is number %u, %s, where %s is wanted", name, (unsigned)number,
				 core_name(number), core->name);
	card->cores = field(caps, OFFLOAD_CAPS_CORES, OFFLOAD_CAPS_CORES_SHIFT);
	card->clocks = field(caps, OFFLOAD_CAPS_CLOCKS, OFFLOAD_CAPS_CLOCKS_SHIFT);
	if (card->cores == 0 || card->clocks == 0 || in != core->item_in || out != core->item_out)
		return log_error("card %s: its capabilities %08x are not those of %s", name, (unsigned)caps, core->name);
	return 0;
}

/* 0, or -1 logged: it is silent, if only for a moment, or foreign. */
static int identify(struct offload_card *card)
{
	uint32_t id = read_reg(card, OFFLOAD_ID), version = read_reg(card, OFFLOAD_VERSION);
	uint32_t number = read_reg(card, OFFLOAD_CORE), caps = read_reg(card, OFFLOAD_CAPS);

	if (id == TRANSPORT_GONE || version == TRANSPORT_GONE || number == TRANSPORT_GONE || caps == TRANSPORT_GONE)
		return log_error("card %s: nothing answers there", card->transport.name);
	card->foreign = check_kind(card, id, version, number, caps) < 0;
	return card->foreign ? -1 : 0;
}

/* Empty it. False: it does not get empty. */
static bool reset(struct offload_card *card)
{
	uint32_t status = OFFLOAD_STATUS_BUSY;

	write_reg(card, OFFLOAD_CONTROL, OFFLOAD_CONTROL_RESET);
	for (int i = 0; i < RESET_READS && status == OFFLOAD_STATUS_BUSY; i++)
		status = read_reg(card, OFFLOAD_STATUS);
	return status == 0 && read_reg(card, OFFLOAD_IRQ_STATUS) == 0 && read_reg(card, OFFLOAD_ITEMS) == 0;
}

/* What is inside is of no use any more. Returns -1, for whoever has logged why. */
static int give_up(struct offload_card *card)
{
	reset(card);
	return -1;
}

int offload_card_use(struct offload_card *card, const struct transport *transport, const char *core)
{
	*card = (struct offload_card){ .transport = *transport, .core = find(core), .timeout_s = OFFLOAD_TIMEOUT_S };
	if (!card->core)
		return log_error("card %s: there is no offload core for %s", transport->name, core);
	if (identify(card) < 0)
		return -1;
	if (!reset(card))
		return log_error("card %s: a reset does not empty it", transport->name);
	if (transport->ops->stream) {
		size_t in = transport->in_size / card->core->item_in, out = transport->out_size / card->core->item_out;

		card->room = in < out ? in : out;
	}
	return 0;
}

static int open_transport(struct transport *transport, const char *root, const struct fpga_spec *spec, const char *core)
{
	const struct uio_card_names names = uio_card_names(spec);

	if (!find(core))
		return log_error("fpga: there is no offload core for %s", core);
	if (spec->serial)
		return log_error("fpga %s: an offload core is not reached by a serial line", spec->miner);
	return spec->sim ? transport_open_sim(transport, find(core)->design) : transport_open_uio(transport, root, &names);
}

int offload_card_open(struct offload_card *card, const char *root, const struct fpga_spec *spec, const char *core)
{
	struct transport transport;

	if (open_transport(&transport, root, spec, core) < 0)
		return -1;
	if (offload_card_use(card, &transport, core) == 0)
		return 0;
	transport.ops->close(&transport);
	return -1;
}

void offload_card_close(struct offload_card *card)
{
	static const uint8_t nothing[32];

	if (reset(card)) {
		write_bytes(card, OFFLOAD_KEY0, nothing, sizeof nothing);
		write_bytes(card, OFFLOAD_B0, nothing, sizeof nothing);
		write_reg(card, OFFLOAD_CONTROL, OFFLOAD_CONTROL_LOAD);
		reset(card);
	}
	card->transport.ops->close(&card->transport);
}

/* Key, first number and operation for items from `first` on; nothing may be inside. */
static void load(struct offload_card *card, const struct core_params *params, uint64_t first)
{
	const struct offload_core *core = card->core;
	uint8_t iv[16];

	if (core->key > 0)
		write_bytes(card, OFFLOAD_KEY0, params->key, core->key);
	if (core->count) {
		memcpy(iv, params->iv, sizeof iv);
		core->count(iv, first);
		write_bytes(card, OFFLOAD_IV0, iv, sizeof iv);
	}
	write_reg(card, OFFLOAD_OPERATION, core->number == SECP256K1 ? (uint32_t)params->operation : core->operation);
	write_reg(card, OFFLOAD_CONTROL, OFFLOAD_CONTROL_LOAD);
}

/* How long that many items may take in all. */
static double patience(const struct offload_card *card, size_t items)
{
	return card->timeout_s + (double)items * card->clocks / SLOWEST_HZ;
}

/* Its clocks, when a transfer begins and when it has ended. */
struct clocks {
	uint32_t cycles, busy;
};

static struct clocks clocks_now(struct offload_card *card)
{
	struct clocks now;

	now.cycles = read_reg(card, OFFLOAD_CYCLES);
	now.busy = read_reg(card, OFFLOAD_BUSY_CYCLES);
	return now;
}

static void count_clocks(struct offload_card *card, const struct clocks *before)
{
	const struct clocks after = clocks_now(card);

	card->sums.cycles += after.cycles - before->cycles;	/* modulo 2^32 */
	card->sums.busy_cycles += after.busy - before->busy;
}

/* Items that stand in the stream's memory, through it and back. 0, or -1 logged. */
static int transfer(struct offload_card *card, size_t items)
{
	struct transport *t = &card->transport;
	const size_t in = items * card->core->item_in, out = items * card->core->item_out;
	const uint32_t before = read_reg(card, OFFLOAD_ITEMS);
	const struct clocks clocks = clocks_now(card);

	if (t->ops->stream(t, in, out, patience(card, items)) < 0)
		return -1;
	uint32_t went = read_reg(card, OFFLOAD_ITEMS) - before;
	if (went != (uint32_t)items)		/* one that was reset meanwhile, and so lost its key or its place */
		return log_error("card %s: it counts %u items where %zu went through it", t->name, (unsigned)went, items);
	count_clocks(card, &clocks);
	card->sums.items += items;
	card->sums.bytes_in += in;
	card->sums.bytes_out += out;
	return 0;
}

/* The core adds and subtracts what is below the prime: each of `count` elements that is not becomes so. */
static void reduce(uint8_t *elements, size_t count)
{
	static const uint8_t ones[FIELD - 8] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	};

	for (uint8_t *at = elements; count-- > 0; at += FIELD) {
		uint64_t low = load_be64(at + sizeof ones);

		if (memcmp(at, ones, sizeof ones) != 0 || low < -FIELD_C)
			continue;
		memset(at, 0, sizeof ones);
		store_be64(at + sizeof ones, low + FIELD_C);	/* modulo 2^64, and so modulo 2^256 */
	}
}

static bool items_are_numbered(const struct offload_core *core, uint64_t first, size_t items)
{
	return core->items_max == 0 || (first < core->items_max && items <= core->items_max - first);
}

int offload_card_run(struct offload_card *card, const struct batch *batch)
{
	const struct offload_core *core = card->core;
	struct transport *t = &card->transport;
	double time = clock_now();

	if (card->room == 0)
		return log_error("card %s: it has no stream: %s wants dma= and buf= for it", t->name, core->name);
	if (!items_are_numbered(core, batch->first, batch->items))
		return log_error("card %s: %s does not count to so many items", t->name, core->name);
	load(card, batch->params, batch->first);
	for (size_t at = 0, part; at < batch->items; at += part) {
		part = batch->items - at < card->room ? batch->items - at : card->room;
		memcpy(t->in, batch->in + at * core->item_in, part * core->item_in);
		if (core->number == SECP256K1)
			reduce(t->in, 2 * part);
		double filled = clock_now();
		if (transfer(card, part) < 0)
			return give_up(card);
		double done = clock_now();
		memcpy(batch->out + at * core->item_out, t->out, part * core->item_out);
		card->sums.in += filled - time;
		card->sums.kernel += done - filled;
		time = clock_now();
		card->sums.out += time - done;
	}
	return 0;
}

/* START, and wait until the core says that it is done with that many items. 0, or -1 logged. */
static int start(struct offload_card *card, size_t items)
{
	struct transport *t = &card->transport;
	const double end = clock_now() + patience(card, items);
	const struct clocks clocks = clocks_now(card);
	bool late = false;

	write_reg(card, OFFLOAD_IRQ_STATUS, OFFLOAD_IRQ_STATUS_PACKET | OFFLOAD_IRQ_STATUS_DONE | OFFLOAD_IRQ_STATUS_ERROR);
	write_reg(card, OFFLOAD_IRQ_ENABLE, OFFLOAD_IRQ_STATUS_DONE | OFFLOAD_IRQ_STATUS_ERROR);
	if (t->ops->unmask(t) < 0)
		return -1;
	write_reg(card, OFFLOAD_CONTROL, OFFLOAD_CONTROL_START);
	for (;;) {
		if (t->ops->wait(t, LOOK_S) < 0)
			return -1;

		uint32_t status = read_reg(card, OFFLOAD_IRQ_STATUS);

		if (status == TRANSPORT_GONE)
			return log_error("card %s: it does not answer any more", t->name);
		if (status & OFFLOAD_IRQ_STATUS_ERROR)
			return log_error("card %s: memory answered with an error when it wrote there", t->name);
		if (status & OFFLOAD_IRQ_STATUS_DONE)
			break;
		if (late)
			return log_error("card %s: it is not done in time, status %u", t->name, (unsigned)read_reg(card, OFFLOAD_STATUS));
		late = clock_now() > end;	/* and one more look */
	}
	write_reg(card, OFFLOAD_IRQ_ENABLE, 0);
	count_clocks(card, &clocks);
	card->sums.items += items;
	return 0;
}

/* Into memory that is the core's meanwhile. 0, or -1 logged. */
static int write_pads(struct offload_card *card, size_t blocks)
{
	struct transport *t = &card->transport;
	const size_t len = blocks * BLOCK;

	if (t->ops->lend(t, len) < 0)
		return -1;
	write_reg(card, OFFLOAD_COUNT, (uint32_t)blocks);
	write_reg(card, OFFLOAD_ADDRESS_LOW, (uint32_t)t->out_addr);
	write_reg(card, OFFLOAD_ADDRESS_HIGH, (uint32_t)(t->out_addr >> 32));
	if (start(card, blocks) < 0)
		return -1;
	card->sums.bytes_out += len;
	return t->ops->take_back(t, len);
}

int offload_card_pads(struct offload_card *card, uint8_t *out, const struct core_params *params, uint64_t first, size_t blocks)
{
	struct transport *t = &card->transport;
	size_t most = t->out_memory / BLOCK;

	if (card->core->number != CHACHA20)
		return log_error("card %s: %s has no pads", t->name, card->core->name);
	if (most == 0)
		return log_error("card %s: it has no memory to write pads to: dma= and buf= name it", t->name);
	if (!items_are_numbered(card->core, first, blocks))
		return log_error("card %s: a key has no pads from block 2^32 on", t->name);
	if (most > OFFLOAD_PADS_MAX)
		most = OFFLOAD_PADS_MAX;
	for (size_t at = 0, part; at < blocks; at += part) {
		double began = clock_now();

		part = blocks - at < most ? blocks - at : most;
		load(card, params, first + at);
		if (write_pads(card, part) < 0)
			return give_up(card);
		double written = clock_now();
		card->sums.kernel += written - began;
		memcpy(out + at * BLOCK, t->out, part * BLOCK);
		card->sums.out += clock_now() - written;
	}
	return 0;
}

int offload_card_field(struct offload_card *card, uint8_t out[FIELD], enum field_operation operation, const uint8_t a[FIELD],
		       const uint8_t b[FIELD])
{
	const struct core_params params = { .operation = operation };
	uint8_t pair[2 * FIELD];

	if (card->core->number != SECP256K1)
		return log_error("card %s: %s is no field arithmetic", card->transport.name, card->core->name);
	double began = clock_now();
	memcpy(pair, a, FIELD);
	memcpy(pair + FIELD, b, FIELD);
	reduce(pair, 2);
	load(card, &params, 0);
	write_bytes(card, OFFLOAD_KEY0, pair, FIELD);
	write_bytes(card, OFFLOAD_B0, pair + FIELD, FIELD);
	if (start(card, 1) < 0)
		return give_up(card);
	for (unsigned i = 0; i < FIELD; i += 4)
		store_le32(out + i, read_reg(card, OFFLOAD_RESULT0 + i));
	if (read_reg(card, OFFLOAD_ID) != ID)
		return log_error("card %s: it does not answer any more", card->transport.name);
	card->sums.kernel += clock_now() - began;
	return 0;
}
