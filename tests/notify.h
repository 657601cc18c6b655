/*
 * mining.notify for tests: the parts of the golden one, and jobs made of it. The
 * state of such a test is an empty record of what is searched.
 */
#ifndef TESTS_NOTIFY_H
#define TESTS_NOTIFY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool/job.h"
#include "pool/searched.h"

#define PREVHASH "18273645d6e7f80992a3b4c55e6f70810a2b3c4d00034e1f0000000000000000"
/* the first half of the coinbase, but for the byte that is the length of the input script */
#define HALF1_A "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff"
#define HALF1_B "0340d10c"
#define HALF1 HALF1_A "10" HALF1_B
#define HALF2 "2f66782fffffffff01205fa01200000000160014000102030405060708090a0b0c0d0e0f1011121300000000"
#define BRANCHES "[\"bbce6b6ce5b7abfb64b54a0af04a950b290dfbf208bb2773a3ede53ec5e59f12\"," \
	"\"321aaa67193b1f38b526f1881e3a3b04b60b4d32083fa99005567e52f15a4491\"," \
	"\"428df247e5df83d4da868646083f513827294de8d8bc79ab653316b2344081e1\"]"
#define TAIL ",\"20000000\",\"1d00ffff\",\"65a0b1c0\",true]"

int notify_setup(void **state);
int notify_teardown(void **state);
#define NOTIFY_TEST(name) cmocka_unit_test_setup_teardown(name, notify_setup, notify_teardown)

struct extranonce extranonce_of(const char *first, uint8_t second_len);

/* A job of sha256d at difficulty 1/4096, of parameters as JSON, or NULL and *why. */
struct job *parse_with(const struct extranonce *, const char *params, const char **why);

/* With extranonce1 a1b2c3d4 and 4 bytes of extranonce2; fails the test when there is no job. */
struct job *parse(const char *params);
struct job *parse_standard(const char *ntime);

/* The same with so many bytes of extranonce2; and without branches, but with version bits to be rolled. */
struct job *parse_sized(uint8_t second_len, const char *ntime);
struct job *parse_rolled(uint8_t second_len, const char *version, const char *ntime, uint32_t mask, unsigned versions);

/* The job's next work, without waiting. */
struct work next_of(void **state, struct job *);

void assert_bytes(const uint8_t *bytes, size_t len, const char *want);

#endif
