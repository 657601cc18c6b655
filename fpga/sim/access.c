/* Page faults, single steps and the bus behind them: see access.h. */
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
#define TRAP_FLAG	0x100		/* of the flags register: a single step */
#define FAULT_WRITE	2		/* of a page fault's error code */

static struct access_window windows[WINDOWS];
static _Atomic(struct access_window *) live[WINDOWS];	/* NULL: the window is free */
static pthread_mutex_t windows_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction old_segv, old_trap;

/* The general registers, any of which may be an address's base or index; the stack pointer is none of a device. */
static const int pointers[] = {
	REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};
#define POINTERS	(sizeof pointers / sizeof *pointers)

/* The access that this thread is in the single step of. */
struct access {
	const struct access_window *window;	/* NULL: none */
	unsigned offset;
	bool store;
	uint32_t word;
	greg_t before[POINTERS], moved[POINTERS];
};
static _Thread_local struct access current __attribute__((tls_model("initial-exec")));

static void refuse(const ucontext_t *context, const char *what)
{
	fprintf(stderr, "fpga sim: the instruction at %#llx is no plain 32-bit access to a register: %s\n",
		(unsigned long long)context->uc_mcontext.gregs[REG_RIP], what);
	abort();
}

/* Intel's manual, volume 2, 2.1 (prefixes) and appendix A (opcodes): what moves, tests or compares 32 bits. */
static void check_instruction(const ucontext_t *context, bool store)
{
	const uint8_t *code = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];

	if ((*code & 0xf0) == 0x40) {
		if (*code & 8)
			refuse(context, "it is one of 64 bits");
		code++;
	}
	const unsigned reg = code[1] >> 3 & 7;
	switch (*code) {
	case 0x89: case 0xc7:
		if (store)
			return;
		break;
	case 0x03: case 0x0b: case 0x23: case 0x2b: case 0x33: case 0x39: case 0x3b: case 0x85: case 0x8b:
		if (!store)
			return;
		break;
	case 0x81: case 0x83:
		if (!store && reg == 7)		/* cmp */
			return;
		break;
	case 0xf7:
		if (!store && reg == 0)		/* test */
			return;
		break;
	default:
		break;
	}
	refuse(context, store ? "not a store" : "not a load");
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
	ucontext_t *c = context;
	greg_t *regs = c->uc_mcontext.gregs;
	const uint8_t *at = info->si_addr;
	const struct access_window *w = window_of(at);
	struct access *a = &current;
	const int error = errno;
	bool follows = false;

	if (!w || a->window) {
		pass_on(signal, &old_segv, info, context);
		return;
	}
	*a = (struct access){ .window = w, .offset = (unsigned)(at - w->base), .store = regs[REG_ERR] & FAULT_WRITE };
	check_instruction(c, a->store);
	if (a->offset % 4 != 0)
		refuse(c, "its address is no multiple of 4");

	for (size_t i = 0; i < POINTERS; i++) {
		const uint8_t *value = (const uint8_t *)regs[pointers[i]];
		a->before[i] = a->moved[i] = regs[pointers[i]];
		if (value >= w->base && value < w->base + w->len) {
			a->moved[i] += (greg_t)((uintptr_t)&a->word - (uintptr_t)at);
			regs[pointers[i]] = a->moved[i];
			follows = true;
		}
	}
	if (!follows)
		refuse(c, "no CPU register points to the device");
	if (!a->store)
		a->word = board_read(w->board, w->plugged, w->device, a->offset);
	regs[REG_EFL] |= TRAP_FLAG;
	errno = error;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct access *a = &current;
	const int error = errno;

	if (!a->window) {
		pass_on(signal, &old_trap, info, context);
		return;
	}
	regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	for (size_t i = 0; i < POINTERS; i++)
		if (regs[pointers[i]] == a->moved[i])	/* else the load went there */
			regs[pointers[i]] = a->before[i];
	if (a->store)
		board_write(a->window->board, a->window->plugged, a->window->device, a->offset, a->word);
	a->window = NULL;
	errno = error;
}

/* Now and each time: the program may have taken these signals for itself since. */
static void catch_faults(void)
{
	const struct sigaction segv = { .sa_sigaction = on_segv, .sa_flags = SA_SIGINFO };
	const struct sigaction trap = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct sigaction old;

	sigaction(SIGSEGV, &segv, &old);
	if (old.sa_sigaction != on_segv)
		old_segv = old;
	sigaction(SIGTRAP, &trap, &old);
	if (old.sa_sigaction != on_trap)
		old_trap = old;
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
