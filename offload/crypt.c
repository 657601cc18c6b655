/*
 * Files to encrypt and decrypt. An encrypted file is a header of 32 bytes, the text, and
 * with Poly1305 a tag of 16 that covers both:
 *
 *	 0  8  "ADITSEAL"
 *	 8  1  format, 1
 *	 9  1  cipher: 1 chacha20-poly1305, 2 chacha20, 3 aes128-ctr
 *	10  6  zero
 *	16 16  random: the nonce (12 bytes, then zeros) or the first counter
 *
 * Who can change a file can also change its header into that of an unsealed cipher, which no tag vouches for. So such a
 * file is decrypted only for those who name its cipher.
 *
 * A file is decrypted into a nameless one while its tag is computed, and gets its name only
 * when the tag is right: nobody sees text that nobody vouched for.
 */
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "offload/input.h"
#include "offload/key.h"
#include "offload/output.h"
#include "offload/progress.h"
#include "offload/runs.h"
#include "offload/seal.h"

#define HEADER	32
#define MAGIC	"ADITSEAL"
#define FORMAT	1

static const struct cipher {
	const char *name, *core;
	uint8_t number;
	uint8_t key_len, iv_len;	/* bytes */
	uint8_t tag_len;		/* 0: not sealed */
	uint8_t first;			/* the number of the text's first block */
} ciphers[] = {
	{ "chacha20-poly1305", "chacha20", 1, 32, 12, SEAL_TAG, SEAL_FIRST },
	{ "chacha20", "chacha20", 2, 32, 12, 0, 0 },
	{ "aes128-ctr", "aes128-ctr", 3, 16, 16, 0, 0 },
};
#define CIPHER_COUNT	(sizeof ciphers / sizeof ciphers[0])

struct crypt {
	const struct cipher *cipher;	/* the file's; before its header is read, the one that was named */
	const struct core *core;
	struct core_params params;
	bool decrypt;
	struct input input;
	struct stat input_status;	/* before the text was read */
	uint64_t length;		/* bytes of text that the input had then; 0: it is none that has a length */
	uint64_t left;			/* bytes of text to read yet; of what is encrypted, at most */
	uint64_t read;			/* bytes of text */
	struct seal seal;
	struct output output;
	struct progress progress;
	uint64_t done;			/* bytes */
};

/* Up to `len` bytes; fewer only at the end of the file. -1: logged, or stopped. */
static ssize_t read_whole(const struct crypt *crypt, uint8_t *bytes, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t part = input_read(&crypt->input, bytes + got, len - got);

		if (part < 0)
			return -1;
		if (part == 0)
			break;
		got += (size_t)part;
	}
	return (ssize_t)got;
}

/*
 * Whether the input, which has ended, had more when it was measured. The kernel's own files (below /sys) end before the
 * length they show, but that does not change.
 */
static bool became_shorter(const struct crypt *crypt)
{
	const struct stat *then = &crypt->input_status;
	struct stat now;

	return crypt->read < crypt->length &&
	       (crypt->decrypt || fstat(crypt->input.file, &now) < 0 || now.st_size != then->st_size ||
		now.st_mtim.tv_sec != then->st_mtim.tv_sec || now.st_mtim.tv_nsec != then->st_mtim.tv_nsec);
}

static int fill(void *ctx, struct task *task)
{
	struct crypt *crypt = ctx;
	size_t item = crypt->core->item_in, room = task->room / item * item;
	size_t want = crypt->left < room ? (size_t)crypt->left : room;
	ssize_t got = read_whole(crypt, task->in, want);

	if (got < 0)
		return -1;
	crypt->read += (uint64_t)got;
	crypt->left -= (uint64_t)got;
	if ((size_t)got < want && became_shorter(crypt))
		return log_error("%s became shorter while it was read", crypt->input.path);
	if (!crypt->decrypt && want == 0) {
		ssize_t more = read_whole(crypt, task->in, 1);

		return more > 0 ? log_error("%s is longer than one nonce can encrypt", crypt->input.path) : (int)more;
	}
	if (got == 0)
		return 0;
	task->len = (size_t)got;
	task->batch.items = (task->len + item - 1) / item;
	memset(task->in + task->len, 0, task->batch.items * item - task->len);
	if (crypt->decrypt && crypt->cipher->tag_len > 0 && seal_add(&crypt->seal, task->in, task->len) < 0)
		return -1;
	return 1;
}

static void stop(void *ctx)
{
	input_stop(&((struct crypt *)ctx)->input);
}

static int take_off(void *ctx, struct task *task)
{
	struct crypt *crypt = ctx;

	if (!crypt->decrypt && crypt->cipher->tag_len > 0 && seal_add(&crypt->seal, task->out, task->len) < 0)
		return -1;
	crypt->done += task->len;
	progress_show(&crypt->progress, crypt->done);
	return output_write(&crypt->output, task->out, task->len);
}

static int new_header(struct crypt *crypt, uint8_t header[HEADER])
{
	memset(header, 0, HEADER);
	memcpy(header, MAGIC, 8);
	header[8] = FORMAT;
	header[9] = crypt->cipher->number;
	if (RAND_bytes(header + 16, crypt->cipher->iv_len) != 1)
		return log_error("there are no random bytes for a nonce");
	return output_write(&crypt->output, header, HEADER);
}

/* The header names the cipher. */
static int read_header(struct crypt *crypt, uint8_t header[HEADER])
{
	const struct cipher *cipher = NULL;
	static const uint8_t zeros[6];
	ssize_t got = read_whole(crypt, header, HEADER);

	if (got < 0)
		return -1;
	if (got < HEADER || memcmp(header, MAGIC, 8) != 0)
		return log_error("%s is no file that adit-offload encrypted", crypt->input.path);
	for (size_t i = 0; i < CIPHER_COUNT; i++)
		if (ciphers[i].number == header[9])
			cipher = &ciphers[i];
	if (header[8] != FORMAT || !cipher || memcmp(header + 10, zeros, sizeof zeros) != 0)
		return log_error("%s is of a format that this version does not know", crypt->input.path);
	if (cipher->tag_len == 0 && cipher != crypt->cipher)
		return log_error("%s is not sealed, so what is decrypted may be anything; --cipher %s does it all the same",
				 crypt->input.path, cipher->name);
	crypt->cipher = cipher;
	return 0;
}

/* How much text there is to read. */
static int measure(struct crypt *crypt)
{
	const struct stat *file = &crypt->input_status;
	const uint64_t tag_len = crypt->decrypt ? crypt->cipher->tag_len : 0;

	if (fstat(crypt->input.file, &crypt->input_status) < 0)
		return log_errno("%s cannot be read", crypt->input.path);
	if (crypt->decrypt && !S_ISREG(file->st_mode))
		return log_error("%s is no plain file", crypt->input.path);
	off_t at = lseek(crypt->input.file, 0, SEEK_CUR);	/* behind the header; of the standard input, anywhere */
	uint64_t rest = S_ISREG(file->st_mode) && at < file->st_size ? (uint64_t)(file->st_size - at) : 0;
	if (rest < tag_len)
		return log_error("%s was cut short", crypt->input.path);
	crypt->length = rest - tag_len;
	uint64_t limit = crypt->core->items_max > 0 ? (crypt->core->items_max - crypt->cipher->first) * crypt->core->item_in : UINT64_MAX;
	if (crypt->length > limit)
		return log_error("%s is longer than one nonce can encrypt", crypt->input.path);
	crypt->left = crypt->decrypt ? crypt->length : limit;
	progress_begin(&crypt->progress, crypt->length);
	return 0;
}

/* The tag: written after the text, or compared with the one there. */
static int finish(struct crypt *crypt)
{
	uint8_t tag[SEAL_TAG], given[SEAL_TAG];

	if (crypt->cipher->tag_len == 0)
		return 0;
	if (seal_end(&crypt->seal, tag) < 0)
		return -1;
	if (!crypt->decrypt)
		return output_write(&crypt->output, tag, sizeof tag);
	ssize_t got = read_whole(crypt, given, sizeof given);
	if (got < 0)
		return -1;
	if (got < SEAL_TAG || CRYPTO_memcmp(tag, given, sizeof tag) != 0)
		return log_error("%s: the key is wrong or the file was damaged; nothing was written", crypt->input.path);
	return 0;
}

/* The cipher to encrypt with, or to decrypt with though it is not sealed, by name. */
static int choose_cipher(struct crypt *crypt, const char *name)
{
	for (size_t i = 0; i < CIPHER_COUNT; i++)
		if (strcmp(ciphers[i].name, name) == 0)
			crypt->cipher = &ciphers[i];
	return crypt->cipher ? 0 : log_error("there is no cipher '%.40s': chacha20-poly1305, chacha20 or aes128-ctr", name);
}

/* From an open input to a written, but still nameless output. */
static int convert(const struct offload_options *options, struct crypt *crypt, struct stream_result *result)
{
	uint8_t header[HEADER];

	if ((crypt->decrypt ? read_header(crypt, header) : new_header(crypt, header)) < 0)
		return -1;
	crypt->core = core_find(crypt->cipher->core);
	memcpy(crypt->params.iv, header + 16, 16);
	if (measure(crypt) < 0 || key_load(crypt->params.key, crypt->cipher->key_len, options->key_file) < 0)
		return -1;
	if (crypt->cipher->tag_len > 0 && seal_begin(&crypt->seal, &crypt->params, header, HEADER) < 0)
		return -1;

	struct stream stream = stream_of(options, crypt->core);
	stream.params = &crypt->params;
	stream.first = crypt->cipher->first;
	stream.fill = fill;
	stream.take_off = take_off;
	stream.stop = stop;
	stream.ctx = crypt;
	int status = stream_run(&stream, result);
	progress_end(&crypt->progress);
	return status < 0 ? -1 : finish(crypt);
}

int run_crypt(const struct offload_options *options)
{
	struct crypt crypt = { .decrypt = options->run == RUN_DECRYPT, .progress.quiet = options->quiet };
	struct stream_result result;

	if (choose_cipher(&crypt, options->cipher) < 0 || input_open(&crypt.input, options->operands[0]) < 0)
		return -1;

	int status = output_open(&crypt.output, options->discard ? NULL : options->operands[1], options->force);
	if (status == 0) {
		status = convert(options, &crypt, &result);
		seal_end(&crypt.seal, NULL);
		if (output_close(&crypt.output, status == 0) < 0)
			status = -1;
	}
	OPENSSL_cleanse(&crypt.params, sizeof crypt.params);
	input_close(&crypt.input);
	if (status == 0)
		summary_print(options, crypt.decrypt ? "decrypted" : "encrypted", crypt.done, &result);
	return status;
}
