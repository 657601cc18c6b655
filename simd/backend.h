/* The CPU backends, and the choice among them. */
#ifndef SIMD_BACKEND_H
#define SIMD_BACKEND_H

#include "miner.h"

#define BACKEND(name) extern const struct backend backend_##name;
#include "simd/list.h"
#undef BACKEND

/* In list order, ended by NULL. Those of other architectures are not in it. */
extern const struct backend *const backends[];

/* By name, any case of letters; NULL when this build has none of that name. */
const struct backend *backend_find(const char *name);

/* Its kernel for this algorithm, whose lanes are nonces, a special one before one that serves any; NULL for none. */
const struct kernel *backend_kernel(const struct backend *, const struct algo *);

/* Its kernel whose lanes are versions; NULL for none. There is none without one whose lanes are nonces. */
const struct kernel *backend_versions_kernel(const struct backend *, const struct algo *);

/* What users read of a backend's kernel: "avx2", or "avx2, 8 versions". */
#define BACKEND_KERNEL_NAME	48	/* bytes */
void backend_kernel_name(char name[BACKEND_KERNEL_NAME], const struct backend *, const struct kernel *);

/* A backend to break on purpose, so that a test sees what follows. */
struct backend_fault {
	const char *backend;	/* its name; NULL: none */
	bool spare_selftest;	/* break it only once it mines */
};

/* The candidate bits to flip in every batch of `backend`: 0 when it is not the broken one. */
uint32_t backend_fault_mask(const struct backend_fault *, const struct backend *, bool in_selftest);

/*
 * The quick self-test of all its kernels for `algo`. Returns 0, or -1, nothing logged, with the sentence in `why`:
 * "backend avx2, 8 versions: self-test failed on sha256d: digest of lane 3 differs at nonce 00000000".
 */
#define BACKEND_WHY	256	/* bytes */
int backend_self_test(const struct algo *, const struct backend *, const struct backend_fault *, char why[BACKEND_WHY]);

/*
 * May a user ask for the backend `name`? Returns 0, or -1 logged when it is unknown, this CPU does not support it, or
 * it has no kernel for `algo` (NULL: that is not asked).
 */
int backend_may_be_named(const char *name, const struct algo *);

/*
 * The backend to use for `algo`: `forced` by name, else the first in list order
 * that this machine supports, that has a kernel and that passes backend_self_test(); a failure
 * is logged and the next one is taken. NULL, logged, when the forced one may not be named, or fails.
 */
const struct backend *backend_choose(const struct algo *, const char *forced, const struct backend_fault *);

/*
 * "sha256d: sha-ni (4 lanes), with version bits sha-ni, 4 versions; also avx2, sse2, scalar". The others are those
 * that this machine could use as well: each is put to the quick self-test for it, and left out when it fails.
 */
void backend_describe_choice(char *text, size_t len, const struct algo *, const struct backend *chosen,
			     const struct backend_fault *);

#endif
