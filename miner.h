/*
 * The nouns every layer shares: what is hashed, what is searched, who searches.
 * No behaviour and no variables here. A noun that only one folder knows (a pool,
 * a job, a connection) lives in that folder.
 *
 * A nonce is an integer. In a header it stands at nonce_off as four bytes, least
 * significant first, for every algorithm; how a hash then reads those bytes as a
 * word is the kernel's business and nobody else's.
 */
#ifndef MINER_H
#define MINER_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADER_MAX	80	/* bytes; the longest header of any algorithm */
#define LANES_MAX	32	/* headers one kernel call may answer for: bits of its mask */
#define VERSIONS_MAX	16	/* block versions one work may be searched under */
#define XNONCE2_MAX	16	/* bytes; the longest extranonce2 a pool may ask for */
#define CACHE_LINE	64	/* bytes; what two threads write must not share one */

/* A known answer: hex, bytes in hashing order. The table ends with header NULL. */
struct kat {
	const char *header;
	const char *digest;
};

/* What a coin asks us to compute: the readable reference. */
struct algo {
	const char *name;
	const char *const *aliases;	/* other names for it, NULL-terminated; NULL for none */
	void (*hash)(uint8_t out[32], const uint8_t *header, void *scratch);
	size_t header_len;		/* bytes, at most HEADER_MAX */
	size_t nonce_off;		/* where the nonce's four bytes stand */
	size_t scratch_len;		/* bytes of scratch that hash() wants, aligned to CACHE_LINE; 0 for none */
	double diff1;			/* share difficulty factor: a pool's difficulty d means target(d / diff1) */
	const struct kat *kats;
};

/*
 * A plain value: copied with =, never freed.
 *
 * A block version is header bytes 0..3 as a little-endian number. Of its bits, those that a pool or node
 * grants (BIP 320) may be anything, so several versions of one header are as many headers to search.
 */
struct work {
	uint8_t  header[HEADER_MAX];	/* exactly the bytes that get hashed; the nonce's are ignored */
	uint32_t target[8];		/* little-endian words, [7] most significant */
	uint32_t versions[VERSIONS_MAX];	/* to search each nonce under, all different; the header's own first */
	uint8_t  version_count;		/* of them, 0..VERSIONS_MAX; 0: the header's own alone */
	double   difficulty;		/* what the pool called this target */
	unsigned generation;		/* which publication it came from; compare to know if stale */
	uint32_t job;			/* the pool's own number for the job */
	uint8_t  pool;			/* which of several pools it came from, and its shares go back to: their index */
	uint8_t  xnonce2_len;		/* bytes */
	uint8_t  xnonce2[XNONCE2_MAX];	/* as sent back with a share */
};

/* A nonce that met its work's full target, by the reference. */
struct share {
	struct work work;		/* its header has the version that the nonce was found under */
	uint32_t    nonce;
	uint8_t     digest[32];
	double      difficulty;		/* of this digest, in the pool's unit */
};

/*
 * One stage of a chained algorithm in lane layout, so that a test can hold it
 * against its reference alone: words[w * lanes + l] is 64-bit little-endian word w
 * of lane l's 32-byte state, replaced by the stage's digest.
 */
struct lane_stage {
	const char *name;		/* of the primitive: "cubehash256" */
	void (*run)(void *job, uint64_t *words);
};

/*
 * One algorithm on one instruction set. `job` is job_len bytes, aligned to
 * CACHE_LINE, zero before the first prepare(); it holds what no nonce changes and
 * the kernel's scratch, and belongs to one thread.
 *
 * `versions` says what its lanes are. Where it is 0, they are the nonces n, n + 1, ...
 * (mod 2^32) under the header's own version. Otherwise it equals `lanes`, and they are
 * the one nonce n under work->versions[0], [1], ...: headers that differ in nothing else
 * share their second block, and with it most of a message schedule. The lane count is
 * then exact: prepare() reads that many versions.
 *
 * candidates(job, n): bit i is set exactly when the most significant 32 bits of lane i's
 * digest are <= the target's top word.
 * digests(job, n, out): the same lanes' whole digests, for tests.
 *
 * A chain can be walked stage by stage, to time the stages or to give one away: header(job, n, words) hashes the lanes'
 * headers, then each of `stages` but the last runs, and last(job, words) answers what candidates(job, n) would. words
 * are the caller's: 4 * lanes of them, aligned to CACHE_LINE.
 */
struct kernel {
	const char *algo;		/* "sha256d"; "*" serves any */
	unsigned lanes;			/* headers per call, 1..LANES_MAX */
	unsigned versions;		/* 0: lanes are nonces; else == lanes, at most VERSIONS_MAX: lanes are versions */
	size_t   job_len;
	void     (*prepare)(void *job, const struct algo *, const struct work *);
	uint32_t (*candidates)(void *job, uint32_t nonce);
	void     (*digests)(void *job, uint32_t nonce, uint8_t (*out)[32]);
	const struct lane_stage *stages;	/* of a chain, ended by name NULL; else NULL */
	void     (*header)(void *job, uint32_t nonce, uint64_t *words);		/* of a chain; else NULL */
	uint32_t (*last)(void *job, const uint64_t *words);			/* of a chain; else NULL */
};

struct worker;		/* work/worker.h: a thread and what it searches with */

/* Anything that can search nonces. */
struct backend {
	const char *name;		/* "scalar", "sse2", "avx2", "avx512", "sha-ni", "neon", "fpga" */
	bool    (*supported)(void);	/* on this machine, after the --cpu mask */
	int     (*open)(struct worker *);	/* 0, or -1 logged */
	/* Search [first, end) under each of the work's versions. Returns the nonces done, or -1: the backend failed. */
	int64_t (*scan)(struct worker *, const struct work *, uint64_t first, uint64_t end);
	void    (*close)(struct worker *);
	const struct kernel *kernels;	/* of a CPU backend, ended by algo NULL; NULL for devices */
};

#endif
