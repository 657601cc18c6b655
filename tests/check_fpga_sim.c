/*
 * The simulated machine is as a real one: UIO's interrupts, registers that clear, pop and
 * count, and each fault that can be asked of it. Seen by a driver as plain as can be.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fpga/regs.h"
#include "fpga/sim/machine.h"
#include "tests/plain_driver.h"

#define ALL_IRQS	(FPGA_IRQ_STATUS_HIT | FPGA_IRQ_STATUS_EXHAUSTED)
#define PATIENCE_MS	60000
#define MOMENT_MS	50		/* in which nothing is to happen */
#define FOUND_NONE	0x80000000u	/* what pop() gives without a hit; no nonce searched here */

/* The next hit of the queue. */
static uint32_t pop(const struct plain_uio *uio, uint32_t *tag)
{
	if (!(plain_read(uio, FPGA_STATUS) & FPGA_STATUS_HIT))
		return FOUND_NONE;
	*tag = plain_read(uio, FPGA_HIT_TAG);
	return plain_read(uio, FPGA_HIT_NONCE);
}

/* The card found the first block's nonce, and its search is at its end. */
static void search_one(const struct plain_uio *uio, uint32_t tag)
{
	plain_search(uio, tag, 0, PLAIN_NONCE - 50, PLAIN_NONCE + 20);
	plain_wait_until(uio, FPGA_IRQ_STATUS, ALL_IRQS, ALL_IRQS);
}

static void start(struct plain_uio *uio)
{
	plain_faults(NULL);
	plain_open(uio, "uio0", 0);
	plain_write(uio, FPGA_CONTROL, FPGA_CONTROL_RESET);
	plain_unmask(uio);
}

static void registers_are_those_of_the_rtl(void **state)
{
	struct plain_uio ring, iterative;

	(void)state;
	plain_open(&ring, "uio0", 0);
	plain_open(&iterative, "uio2", 0);
	assert_int_equal(plain_read(&ring, FPGA_ID), 0x41444954);
	assert_int_equal((plain_read(&ring, FPGA_CAPS) & FPGA_CAPS_CLOCKS) >> FPGA_CAPS_CLOCKS_SHIFT, 8);
	assert_int_equal((plain_read(&iterative, FPGA_CAPS) & FPGA_CAPS_CLOCKS) >> FPGA_CAPS_CLOCKS_SHIFT, 124);
	plain_write(&ring, FPGA_JOB_TAG, 0x12345678);
	plain_write(&iterative, FPGA_JOB_TAG, 0x9abcdef0);
	assert_int_equal(plain_read(&ring, FPGA_JOB_TAG), 0x12345678);
	assert_int_equal(plain_read(&iterative, FPGA_JOB_TAG), 0x9abcdef0);
	plain_close(&ring);
	plain_close(&iterative);
}

static void writing_one_clears_and_reading_pops(void **state)
{
	struct plain_uio uio;
	uint32_t tag = 0;

	(void)state;
	start(&uio);
	search_one(&uio, 77);
	plain_write(&uio, FPGA_IRQ_STATUS, FPGA_IRQ_STATUS_HIT);
	assert_int_equal(plain_read(&uio, FPGA_IRQ_STATUS), FPGA_IRQ_STATUS_EXHAUSTED);
	assert_int_equal(pop(&uio, &tag), PLAIN_NONCE);
	assert_int_equal(tag, 77);
	assert_int_equal(pop(&uio, &tag), FOUND_NONE);
	plain_close(&uio);
}

/* A reading that was lost or done twice would lose a hit: 200 nonces that are all hits, in any order. */
static void each_access_reaches_the_card_once(void **state)
{
	struct plain_uio uio;
	bool seen[200] = { false };
	uint32_t tag = 0;

	(void)state;
	start(&uio);
	plain_search(&uio, 5, 0xffffffff, 1000, 1199);
	for (int i = 0; i < 200; i++) {
		plain_wait_until(&uio, FPGA_STATUS, FPGA_STATUS_HIT, FPGA_STATUS_HIT);
		uint32_t nonce = pop(&uio, &tag);
		assert_in_range(nonce, 1000, 1199);
		assert_false(seen[nonce - 1000]);
		seen[nonce - 1000] = true;
		assert_int_equal(tag, 5);
	}
	assert_int_equal(pop(&uio, &tag), FOUND_NONE);
	assert_int_equal(plain_read(&uio, FPGA_HASHES), 200);
	plain_close(&uio);
}

static void an_interrupt_is_counted_and_masked_until_it_is_unmasked(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	search_one(&uio, 1);
	assert_true(plain_poll(&uio, PATIENCE_MS));
	uint32_t count = plain_count(&uio);
	assert_false(plain_poll(&uio, 0));

	/* It stands still, and is told again at once when it was not acknowledged in the card. */
	plain_unmask(&uio);
	assert_true(plain_poll(&uio, PATIENCE_MS));
	assert_int_equal(plain_count(&uio), count + 1);

	/* What comes while it is masked waits; acknowledged before, it never was. */
	search_one(&uio, 2);
	assert_false(plain_poll(&uio, MOMENT_MS));
	plain_write(&uio, FPGA_IRQ_STATUS, ALL_IRQS);
	plain_unmask(&uio);
	assert_false(plain_poll(&uio, MOMENT_MS));
	search_one(&uio, 3);
	assert_int_equal(plain_count(&uio), count + 2);
	plain_close(&uio);
}

static void zero_masks_an_interrupt(void **state)
{
	struct plain_uio uio;
	const uint32_t off = 0;

	(void)state;
	start(&uio);
	assert_int_equal(write(uio.fd, &off, sizeof off), sizeof off);
	search_one(&uio, 1);
	assert_false(plain_poll(&uio, MOMENT_MS));
	plain_unmask(&uio);
	assert_true(plain_poll(&uio, PATIENCE_MS));
	plain_close(&uio);
}

/* The total goes on, the mask stays, and what was before opening is not told. */
static void opening_anew_changes_nothing_in_the_card(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	search_one(&uio, 1);
	uint32_t count = plain_count(&uio);
	plain_close(&uio);
	plain_open(&uio, "uio0", 0);
	assert_false(plain_poll(&uio, MOMENT_MS));
	plain_unmask(&uio);
	assert_int_equal(plain_count(&uio), count + 1);
	plain_unmask(&uio);
	assert_true(plain_poll(&uio, PATIENCE_MS));
	plain_close(&uio);
	plain_open(&uio, "uio0", 0);
	assert_false(plain_poll(&uio, MOMENT_MS));
	plain_close(&uio);
}

static void a_count_is_read_in_four_bytes_and_without_waiting_when_so_opened(void **state)
{
	struct plain_uio uio;
	char bytes[8] = { 0 };

	(void)state;
	start(&uio);
	plain_close(&uio);
	plain_open(&uio, "uio0", O_NONBLOCK);
	assert_int_equal(read(uio.fd, bytes, 8), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read(uio.fd, bytes, 4), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(write(uio.fd, bytes, 1), -1);
	assert_int_equal(errno, EINVAL);
	plain_close(&uio);
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ, MAP_SHARED, uio.fd, 0), MAP_FAILED);
}

static void a_map_is_the_first_and_no_longer_than_the_device(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	assert_ptr_equal(mmap(NULL, MACHINE_REGS_LEN, PROT_READ, MAP_SHARED, uio.fd, 4096), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(mmap(NULL, 2 * MACHINE_REGS_LEN, PROT_READ, MAP_SHARED, uio.fd, 0), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	plain_close(&uio);
}

static void *write_and_read(void *arg)
{
	const struct plain_uio *uio = arg;
	uint32_t value = (uint32_t)(uintptr_t)&value;

	/* Each thread has a register of its own, by where its stack is. */
	for (unsigned i = 0; i < 2000; i++, value = value * 1664525 + 1013904223) {
		plain_write(uio, FPGA_JOB_TAIL0, i);
		if (plain_read(uio, FPGA_ID) != 0x41444954 || plain_read(uio, FPGA_JOB_TAIL0) > 2000)
			return arg;
	}
	return NULL;
}

static void threads_share_a_card_and_have_others(void **state)
{
	struct plain_uio uio[2];
	pthread_t thread[4];
	void *wrong;

	(void)state;
	plain_open(&uio[0], "uio0", 0);
	plain_open(&uio[1], "uio2", 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, write_and_read, &uio[i % 2]), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(thread[i], &wrong), 0);
		assert_null(wrong);
	}
	plain_close(&uio[0]);
	plain_close(&uio[1]);
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void an_idle_card_takes_no_cpu_and_its_clock_stands(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	search_one(&uio, 1);
	uint32_t before = plain_read(&uio, FPGA_CYCLES);
	double start_s = cpu_s();
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	assert_true(cpu_s() - start_s < 0.1);
	assert_true(plain_read(&uio, FPGA_CYCLES) - before < 3 * 256);
	plain_close(&uio);
}

/* What this access does to a child of ours: ends it with a sentence. */
static void assert_refused(void (*access)(volatile uint32_t *), const struct plain_uio *uio)
{
	char said[256] = "";
	int pipe_fd[2], status;

	assert_int_equal(pipe(pipe_fd), 0);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		dup2(pipe_fd[1], 2);
		access(uio->regs);
		_exit(0);
	}
	close(pipe_fd[1]);
	ssize_t got = read(pipe_fd[0], said, sizeof said - 1);
	close(pipe_fd[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_true(got > 0 && strstr(said, "no plain 32-bit access"));
}

static void load_64(volatile uint32_t *regs) { (void)*(volatile uint64_t *)(volatile void *)regs; }
static void load_8(volatile uint32_t *regs) { (void)*(volatile uint8_t *)regs; }
static void store_16(volatile uint32_t *regs) { *(volatile uint16_t *)(volatile void *)regs = 1; }
static void store_64(volatile uint32_t *regs) { *(volatile uint64_t *)(volatile void *)regs = 1; }
static void add(volatile uint32_t *regs) { __asm__ volatile("addl $1, %0" : "+m"(*regs)); }
static void unaligned(volatile uint32_t *regs)
{
	const volatile void *between = (const volatile char *)regs + 2;
	uint32_t word;

	__asm__ volatile("movl (%1), %0" : "=r"(word) : "r"(between));
}

static void other_accesses_than_of_32_bits_are_refused(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	assert_refused(load_64, &uio);
	assert_refused(load_8, &uio);
	assert_refused(store_16, &uio);
	assert_refused(store_64, &uio);
	assert_refused(add, &uio);
	assert_refused(unaligned, &uio);
	plain_close(&uio);
}

static void a_load_may_go_where_its_address_was(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	uintptr_t at = (uintptr_t)uio.regs;
	__asm__ volatile("movl (%0), %k0" : "+r"(at) : : "memory");
	assert_int_equal(at, 0x41444954);
	plain_close(&uio);
}

/* An access, after which its other operand is in *reg; returns the flags: bit 0 overflow, bits 15..8 as LAHF gives them. */
#define FORM(name, code) \
static uint16_t name(volatile uint32_t *at, uint32_t *reg) \
{ \
	uint16_t flags; \
\
	__asm__ volatile("cmpl $5, %[reg]\n\t" code "\n\tlahf\n\tseto %%al" \
			 : "=&a"(flags), [reg] "+&r"(*reg) : [at] "r"(at) : "rcx", "r12", "r13", "memory", "cc"); \
	return flags; \
}
#define UNDEFINED_ADJUST	0x1000	/* that flag after what is computed bit by bit */

FORM(mov_to, "movl %[reg], (%[at])")
FORM(mov_immediate, "movl $0x87654321, (%[at])")
FORM(mov_from, "movl (%[at]), %[reg]")
FORM(add_from, "addl (%[at]), %[reg]")
FORM(or_from, "orl (%[at]), %[reg]")
FORM(and_from, "andl (%[at]), %[reg]")
FORM(sub_from, "subl (%[at]), %[reg]")
FORM(xor_from, "xorl (%[at]), %[reg]")
FORM(cmp_from, "cmpl (%[at]), %[reg]")
FORM(cmp_to, "cmpl %[reg], (%[at])")
FORM(cmp_immediate, "cmpl $0x41444954, (%[at])")
FORM(test_register, "testl %[reg], (%[at])")
FORM(test_immediate, "testl $0x80000001, (%[at])")
/* Instructions of other lengths: base registers that want a SIB byte or a displacement, an index, no base. */
FORM(at_r12, "movq %[at], %%r12; addl (%%r12), %[reg]")
FORM(at_r13, "movq %[at], %%r13; movl $9, (%%r13)")
FORM(far_off_r12, "leaq -4096(%[at]), %%r12; cmpl %[reg], 4096(%%r12)")
FORM(indexed, "leaq -16(%[at]), %%r12; movl $4, %%ecx; cmpl $-3, (%%r12,%%rcx,4)")
FORM(indexed_r13, "leaq -20(%[at]), %%r13; movl $4, %%ecx; movl $9, 4(%%r13,%%rcx,4)")
FORM(without_base, "movq %[at], %%r12; shrq $2, %%r12; testl $0x80000001, (,%%r12,4)")
FORM(into_r13, "movl (%[at]), %%r13d; movl %%r13d, %[reg]")

static void each_form_of_access_does_what_it_does_in_memory(void **state)
{
	static uint16_t (*const forms[])(volatile uint32_t *, uint32_t *) = {
		mov_to, mov_immediate, mov_from, add_from, or_from, and_from, sub_from, xor_from, cmp_from, cmp_to, cmp_immediate,
		test_register, test_immediate, at_r12, at_r13, far_off_r12, indexed, indexed_r13, without_base, into_r13,
	};
	static const uint32_t values[] = { 0, 1, 8, 15, 0x41444954, 0x7fffffff, 0x80000000, 0x87654321, 0xffffffff };
	const size_t count = sizeof values / sizeof *values;
	struct plain_uio uio;

	(void)state;
	start(&uio);
	for (size_t i = 0; i < sizeof forms / sizeof *forms * count * count; i++) {
		uint16_t (*const form)(volatile uint32_t *, uint32_t *) = forms[i / count / count];
		uint32_t word = values[i / count % count], reg = values[i % count], right = reg;

		plain_write(&uio, FPGA_JOB_TAG, word);
		const bool bits = form == or_from || form == and_from || form == xor_from || form == test_register ||
				  form == test_immediate || form == without_base;
		const unsigned undefined = bits ? UNDEFINED_ADJUST : 0;
		const unsigned flags = form(&uio.regs[FPGA_JOB_TAG / 4], &reg), right_flags = form(&word, &right);
		assert_int_equal(reg, right);
		assert_int_equal(plain_read(&uio, FPGA_JOB_TAG), word);
		assert_int_equal(flags | undefined, right_flags | undefined);
	}
	plain_close(&uio);
}

static volatile sig_atomic_t traps;
static void count_trap(int signal) { (void)signal; traps++; }

/* A single step of the CPU may trap late, when the program has gone on with what was changed for it. */
static void an_access_is_no_single_step(void **state)
{
	struct sigaction before, count = { .sa_handler = count_trap };
	struct plain_uio uio;

	(void)state;
	start(&uio);
	assert_int_equal(sigaction(SIGTRAP, &count, &before), 0);
	plain_write(&uio, FPGA_JOB_TAG, 0x12345678);
	uint32_t tag = plain_read(&uio, FPGA_JOB_TAG);
	assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
	assert_int_equal(tag, 0x12345678);
	assert_int_equal(traps, 0);
	plain_close(&uio);
}

/* Faults: each is asked for, happens as faults.h says and is logged, and is over when it is no longer asked for. */

static void a_lost_interrupt_is_never_told(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	plain_faults("0 lost-interrupt 1\n");
	search_one(&uio, 1);
	assert_false(plain_poll(&uio, MOMENT_MS));
	assert_int_equal(plain_fault_count("0 lost-interrupt"), 1);
	plain_unmask(&uio);
	assert_true(plain_poll(&uio, PATIENCE_MS));
	plain_close(&uio);
}

static void a_stuck_interrupt_comes_back_at_once(void **state)
{
	struct plain_uio uio;

	(void)state;
	start(&uio);
	plain_faults("0 stuck-interrupt\n");
	uint32_t count = plain_count(&uio);
	for (uint32_t i = 1; i <= 5; i++) {
		plain_write(&uio, FPGA_IRQ_STATUS, ALL_IRQS);
		assert_int_equal(plain_read(&uio, FPGA_IRQ_STATUS), 0);
		plain_unmask(&uio);
		assert_int_equal(plain_count(&uio), count + i);
	}
	plain_faults(NULL);
	plain_unmask(&uio);
	assert_false(plain_poll(&uio, MOMENT_MS));
	plain_close(&uio);
}

static void a_driver_without_irqcontrol_masks_nothing_and_says_enosys(void **state)
{
	struct plain_uio uio;
	const uint32_t on = 1;

	(void)state;
	start(&uio);
	plain_faults("0 no-irqcontrol\n");
	assert_int_equal(write(uio.fd, &on, sizeof on), -1);
	assert_int_equal(errno, ENOSYS);
	assert_int_equal(plain_fault_count("0 no-irqcontrol"), 1);
	search_one(&uio, 1);
	uint32_t count = plain_count(&uio);
	plain_write(&uio, FPGA_IRQ_STATUS, ALL_IRQS);
	search_one(&uio, 2);
	assert_int_equal(plain_count(&uio), count + 1);
	plain_close(&uio);
	plain_faults(NULL);
}

static void a_wrong_nonce_is_the_next_one(void **state)
{
	struct plain_uio uio;
	uint32_t tag;

	(void)state;
	start(&uio);
	plain_faults("0 wrong-nonce 1\n");
	search_one(&uio, 1);
	assert_int_equal(pop(&uio, &tag), PLAIN_NONCE + 1);
	search_one(&uio, 1);
	assert_int_equal(pop(&uio, &tag), PLAIN_NONCE);
	assert_int_equal(plain_fault_count("0 wrong-nonce"), 1);
	plain_close(&uio);
}

static void a_repeated_nonce_comes_twice(void **state)
{
	struct plain_uio uio;
	uint32_t tag;

	(void)state;
	start(&uio);
	plain_faults("0 repeated-nonce 1\n");
	search_one(&uio, 9);
	for (int i = 0; i < 2; i++) {
		tag = 0;
		assert_int_equal(pop(&uio, &tag), PLAIN_NONCE);
		assert_int_equal(tag, 9);
	}
	assert_int_equal(pop(&uio, &tag), FOUND_NONE);
	plain_close(&uio);
}

static void a_flipped_bit_is_one_of_the_nonce_or_of_the_tag(void **state)
{
	struct plain_uio uio;
	uint32_t tag = 0, nonce;

	(void)state;
	start(&uio);
	plain_faults("0 bit-flip 2\n");
	search_one(&uio, 9);
	nonce = pop(&uio, &tag) ^ PLAIN_NONCE;
	assert_true(tag == 9 && nonce != 0 && (nonce & (nonce - 1)) == 0);
	search_one(&uio, 9);
	assert_int_equal(pop(&uio, &tag), PLAIN_NONCE);
	tag ^= 9;
	assert_true(tag != 0 && (tag & (tag - 1)) == 0);
	plain_close(&uio);
}

static void a_card_that_does_not_answer_reads_as_all_ones_and_keeps_its_registers(void **state)
{
	struct plain_uio uio;

	(void)state;
	for (int i = 0; i < 2; i++) {
		start(&uio);
		plain_write(&uio, FPGA_JOB_TAG, 1);
		plain_faults(i == 0 ? "0 no-answer\n" : "0 hang\n");
		assert_int_equal(plain_read(&uio, FPGA_ID), UINT32_MAX);
		plain_write(&uio, FPGA_JOB_TAG, 2);
		plain_faults(NULL);
		assert_int_equal(plain_read(&uio, FPGA_JOB_TAG), 1);
		plain_close(&uio);
	}
}

static void an_unplugged_card_is_dead_for_who_had_it_open_and_comes_back_new(void **state)
{
	struct plain_uio uio, again;
	uint32_t count;

	(void)state;
	start(&uio);
	plain_write(&uio, FPGA_JOB_TAG, 1);
	plain_faults("0 unplug\n");
	assert_true(plain_poll(&uio, PATIENCE_MS));
	assert_int_equal(read(uio.fd, &count, sizeof count), -1);
	assert_int_equal(errno, EIO);
	assert_int_equal(plain_read(&uio, FPGA_ID), UINT32_MAX);
	assert_int_equal(open(plain_path("dev/uio0"), O_RDWR), -1);
	assert_int_equal(errno, ENODEV);

	plain_faults(NULL);
	plain_open(&again, "uio0", 0);
	assert_int_equal(plain_read(&again, FPGA_JOB_TAG), 0);
	assert_int_equal(plain_read(&uio, FPGA_ID), UINT32_MAX);
	assert_int_equal(read(uio.fd, &count, sizeof count), -1);
	search_one(&again, 1);
	assert_int_equal(plain_count(&again), 1);
	plain_close(&again);
	plain_close(&uio);
}

int main(int argc, char **argv)
{
	static const char *const cards[] = { "16,14", "0", NULL };
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_are_those_of_the_rtl),
		cmocka_unit_test(writing_one_clears_and_reading_pops),
		cmocka_unit_test(each_access_reaches_the_card_once),
		cmocka_unit_test(an_interrupt_is_counted_and_masked_until_it_is_unmasked),
		cmocka_unit_test(zero_masks_an_interrupt),
		cmocka_unit_test(opening_anew_changes_nothing_in_the_card),
		cmocka_unit_test(a_count_is_read_in_four_bytes_and_without_waiting_when_so_opened),
		cmocka_unit_test(a_map_is_the_first_and_no_longer_than_the_device),
		cmocka_unit_test(threads_share_a_card_and_have_others),
		cmocka_unit_test(an_idle_card_takes_no_cpu_and_its_clock_stands),
		cmocka_unit_test(other_accesses_than_of_32_bits_are_refused),
		cmocka_unit_test(a_load_may_go_where_its_address_was),
		cmocka_unit_test(each_form_of_access_does_what_it_does_in_memory),
		cmocka_unit_test(an_access_is_no_single_step),
		cmocka_unit_test(a_lost_interrupt_is_never_told),
		cmocka_unit_test(a_stuck_interrupt_comes_back_at_once),
		cmocka_unit_test(a_driver_without_irqcontrol_masks_nothing_and_says_enosys),
		cmocka_unit_test(a_wrong_nonce_is_the_next_one),
		cmocka_unit_test(a_repeated_nonce_comes_twice),
		cmocka_unit_test(a_flipped_bit_is_one_of_the_nonce_or_of_the_tag),
		cmocka_unit_test(a_card_that_does_not_answer_reads_as_all_ones_and_keeps_its_registers),
		cmocka_unit_test(an_unplugged_card_is_dead_for_who_had_it_open_and_comes_back_new),
	};

	(void)argc;
	plain_driver_enter(argv, cards);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
