/*
 * Secrets may pass through the field of secp256k1: valgrind is told that the operands
 * are undefined, and then reports each branch and each address that depends on them.
 * The program runs itself under valgrind; without valgrind it is skipped.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <valgrind/memcheck.h>

#include "field/secp256k1.h"

#define SKIPPED		77	/* automake's */

static unsigned reported = 0;	/* by valgrind, until now */

/* How many places valgrind found since the last call. */
static unsigned found(void)
{
	unsigned before = reported;

	reported = VALGRIND_COUNT_ERRORS;
	return reported - before;
}

static unsigned fails(const char *fact)
{
	bool failed = found() > 0;

	printf("%s %s\n", failed ? "FAILED" : "ok", fact);
	return failed;
}

int main(int argc, char **argv)
{
	uint8_t secret[2][SECP256K1_BYTES], known[SECP256K1_BYTES];
	struct secp256k1_element a, b, out;
	unsigned faults = 0;

	(void)argc;
	if (!RUNNING_ON_VALGRIND) {
		execlp("valgrind", "valgrind", "--quiet", argv[0], (char *)NULL);
		printf("skipped: there is no valgrind\n");
		return SKIPPED;
	}

	memset(secret, 0xff, sizeof secret);	/* above p: the reduction has something to do */
	VALGRIND_MAKE_MEM_UNDEFINED(secret, sizeof secret);
	if (secret[0][0] == 1)			/* as it must not be done */
		puts("");
	if (found() == 0) {
		printf("FAILED valgrind_sees_a_branch_on_a_secret\n");
		return 1;
	}

	secp256k1_load(&a, secret[0]);
	secp256k1_load(&b, secret[1]);
	faults += fails("load_takes_constant_time");
	secp256k1_add(&out, &a, &b);
	faults += fails("add_takes_constant_time");
	secp256k1_sub(&out, &a, &b);
	faults += fails("sub_takes_constant_time");
	secp256k1_mul(&out, &a, &b);
	faults += fails("mul_takes_constant_time");
	secp256k1_square(&out, &a);
	faults += fails("square_takes_constant_time");
	secp256k1_inverse(&out, &a);
	faults += fails("inverse_takes_constant_time");
	secp256k1_store(known, &out);
	faults += fails("store_takes_constant_time");
	return faults > 0;
}
