/* Page faults, the instructions that make them, and the bus behind them: see access.h. */
#include "fpga/sim/access.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define WINDOWS		64

static struct access_window windows[WINDOWS];
static _Atomic(struct access_window *) live[WINDOWS];	/* NULL: the window is free */
static pthread_mutex_t windows_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction old_segv;

/* What an instruction does with a word on the bus and its other operand. All but STORE load it. */
enum operation { STORE, LOAD, ADD, OR, AND, SUB, XOR, COMPARE, COMPARE_WITH, TEST };

/* Intel's manual, volume 2, appendix A: of 32 bits, with one operand in memory that is read or written and not both. */
static const struct opcode {
	uint8_t byte;
	enum operation operation;
	unsigned immediate;	/* bytes of the other operand, which is in the instruction; 0: it is a register */
	unsigned extension;	/* with an immediate: the reg field, which is then more of the opcode */
} opcodes[] = {
	{ 0x89, STORE, 0, 0 }, { 0xc7, STORE, 4, 0 }, { 0x8b, LOAD, 0, 0 },
	{ 0x03, ADD, 0, 0 }, { 0x0b, OR, 0, 0 }, { 0x23, AND, 0, 0 }, { 0x2b, SUB, 0, 0 }, { 0x33, XOR, 0, 0 },
	{ 0x3b, COMPARE_WITH, 0, 0 }, { 0x39, COMPARE, 0, 0 }, { 0x81, COMPARE, 4, 7 }, { 0x83, COMPARE, 1, 7 },
	{ 0x85, TEST, 0, 0 }, { 0xf7, TEST, 4, 0 },
};

/* By their numbers in instructions. */
static const int registers[] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

struct instruction {
	enum operation operation;
	greg_t *reg;		/* the other operand's register, of the program; NULL: it is an immediate */
	uint32_t other;		/* that operand's value */
	unsigned len;		/* bytes */
};

static void refuse(const ucontext_t *context, const char *what)
{
	fprintf(stderr, "fpga sim: the instruction at %#llx is no plain 32-bit access to a register: %s\n",
		(unsigned long long)context->uc_mcontext.gregs[REG_RIP], what);
	abort();
}

/* Bytes of the operand in memory, from its ModRM byte on: volume 2, 2.1.5, tables 2-2 and 2-3. */
static unsigned address_len(const uint8_t *modrm)
{
	const unsigned mod = *modrm >> 6;
	const bool index = (*modrm & 7) == 4;
	const unsigned base = modrm[index] & 7;

	if (mod == 1)
		return 2 + index;
	return (mod == 2 || base == 5 ? 5 : 1) + index;
}

static const struct opcode *opcode_at(const uint8_t *code)
{
	const unsigned extension = code[1] >> 3 & 7;

	for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
		if (opcodes[i].byte == *code && (opcodes[i].immediate == 0 || opcodes[i].extension == extension))
			return &opcodes[i];
	return NULL;
}

/* The one that the program is stopped at. */
static struct instruction decode(ucontext_t *context)
{
	const uint8_t *const start = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP], *code = start;
	const uint8_t rex = (*code & 0xf0) == 0x40 ? *code++ : 0;	/* 2.2.1 */
	const struct opcode *opcode = opcode_at(code);
	struct instruction it = { .reg = NULL };

	if (rex & 8)
		refuse(context, "it is one of 64 bits");
	if (!opcode)
		refuse(context, "it does something else, or to something else");
	const uint8_t *immediate = code + 1 + address_len(code + 1);

	it.operation = opcode->operation;
	it.len = (unsigned)(immediate - start) + opcode->immediate;
	if (opcode->immediate == 4) {
		memcpy(&it.other, immediate, sizeof it.other);
	} else if (opcode->immediate == 1) {
		it.other = (uint32_t)(int8_t)*immediate;
	} else {
		it.reg = &context->uc_mcontext.gregs[registers[(code[1] >> 3 & 7) | (rex & 4) << 1]];
		it.other = (uint32_t)*it.reg;
	}
	return it;
}

/* The flags of a - b, of a + b, and of what is computed bit by bit: volume 1, 3.4.3.1. */
enum { CARRY = 1 << 0, PARITY = 1 << 2, ADJUST = 1 << 4, ZERO = 1 << 6, SIGN = 1 << 7, OVERFLOW = 1 << 11 };

static void set_flags(greg_t *flags, uint32_t result, bool carry, bool adjust, bool overflow)
{
	*flags &= ~(greg_t)(CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW);
	*flags |= (carry ? CARRY : 0) | (__builtin_parity(result & 0xff) ? 0 : PARITY) | (adjust ? ADJUST : 0) |
		  (result == 0 ? ZERO : 0) | (result >> 31 ? SIGN : 0) | (overflow ? OVERFLOW : 0);
}

static uint32_t bits(uint32_t result, greg_t *flags)
{
	set_flags(flags, result, false, false, false);
	return result;
}

static uint32_t sum(uint32_t a, uint32_t b, greg_t *flags)
{
	const uint32_t result = a + b;

	set_flags(flags, result, result < a, (a ^ b ^ result) & 0x10, ((a ^ result) & (b ^ result)) >> 31);
	return result;
}

static uint32_t difference(uint32_t a, uint32_t b, greg_t *flags)
{
	const uint32_t result = a - b;

	set_flags(flags, result, a < b, (a ^ b ^ result) & 0x10, ((a ^ b) & (a ^ result)) >> 31);
	return result;
}

/* With the word that was on the bus. Writing 32 bits of a register clears its upper half. */
static void finish_load(const struct instruction *it, uint32_t word, greg_t *flags)
{
	switch (it->operation) {
	case STORE: return;
	case LOAD: *it->reg = word; return;
	case ADD: *it->reg = sum(it->other, word, flags); return;
	case OR: *it->reg = bits(it->other | word, flags); return;
	case AND: *it->reg = bits(it->other & word, flags); return;
	case SUB: *it->reg = difference(it->other, word, flags); return;
	case XOR: *it->reg = bits(it->other ^ word, flags); return;
	case COMPARE: difference(word, it->other, flags); return;
	case COMPARE_WITH: difference(it->other, word, flags); return;
	case TEST: bits(word & it->other, flags); return;
	}
}

static const struct access_window *window_of(const uint8_t *at)
{
	for (size_t i = 0; i < WINDOWS; i++) {
		const struct access_window *w = live[i];
		if (w && at >= w->base && at < w->base + w->len)
			return w;
	}
	return NULL;
}

/* A fault that is none of ours goes to whom it would have gone to. */
static void pass_on(int signal, const struct sigaction *old, siginfo_t *info, void *context)
{
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(signal, info, context);
	else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
		old->sa_handler(signal);
	else
		sigaction(signal, old, NULL);	/* and the instruction is tried again */
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *at = info->si_addr;
	const struct access_window *w = window_of(at);
	const int error = errno;

	if (!w) {
		pass_on(signal, &old_segv, info, context);
		return;
	}
	const unsigned offset = (unsigned)(at - w->base);
	const struct instruction it = decode(context);

	if (offset % 4 != 0)
		refuse(context, "its address is no multiple of 4");
	if (it.operation == STORE)
		board_write(w->board, w->plugged, w->device, offset, it.other);
	else
		finish_load(&it, board_read(w->board, w->plugged, w->device, offset), &regs[REG_EFL]);
	regs[REG_RIP] += it.len;
	errno = error;
}

/* Now and each time: the program may have taken the signal for itself since. */
static void catch_faults(void)
{
	const struct sigaction segv = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	struct sigaction old;

	sigaction(SIGSEGV, &segv, &old);
	if (old.sa_sigaction != on_segv)
		old_segv = old;
}

int access_map(struct access_window *window)
{
	int result = -1;

	void *pages = mmap(NULL, window->len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return -1;
	window->base = pages;

	pthread_mutex_lock(&windows_lock);
	catch_faults();
	for (size_t i = 0; i < WINDOWS && result < 0; i++) {
		if (live[i])
			continue;
		windows[i] = *window;
		live[i] = &windows[i];
		result = 0;
	}
	pthread_mutex_unlock(&windows_lock);
	if (result < 0) {
		munmap(pages, window->len);
		errno = ENOMEM;
	}
	return result;
}

bool access_unmap(void *base, size_t len)
{
	bool found = false;

	pthread_mutex_lock(&windows_lock);
	for (size_t i = 0; i < WINDOWS && !found; i++) {
		if (!live[i] || windows[i].base != base || windows[i].len != len)
			continue;
		live[i] = NULL;
		found = true;
	}
	pthread_mutex_unlock(&windows_lock);
	if (found)
		munmap(base, len);
	return found;
}
