/* See output.h. */
#include "offload/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

#define MODE		0600	/* it may hold what was secret */
#define TEMPORARY	"adit-offload.%016llx"	/* not made of OUT's name, which may be as long as names can be */

/* The name that is not to outlive the program. A handler has no other way to know it. */
static const char *_Atomic doomed;
static atomic_bool dying;

/* Remove it, and end as if there were no handler. */
static void die_of(int signal_number)
{
	dying = true;	/* before the look: has_name() has the name set before it looks here */

	const char *path = doomed;
	if (path)
		unlink(path);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void catch_signals(void)
{
	static const int signals[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU
	};
	struct sigaction now;

	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)	/* nohup has them ignored */
			sigaction(signals[i], &(struct sigaction){ .sa_handler = die_of, .sa_flags = SA_RESTART }, NULL);
}

/* A file has the name now. Another thread may be in the handler and have looked for it before: it goes, if there is time. */
static void has_name(const char *path)
{
	if (dying)
		unlink(path);
}

/* The length of the folder's name in `path`, with its slash; 0: the current one. */
static int folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash + 1 - path) : 0;
}

/* Where the kernel shows a nameless file, for link() to find it. */
static const char *shown(char text[32], const struct output *output)
{
	snprintf(text, 32, "/proc/self/fd/%d", output->file);
	return text;
}

static int link_nameless(const struct output *output, const char *path)
{
	char text[32];

	return linkat(AT_FDCWD, shown(text, output), AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* The name is no file's any more, or of one that stays. */
static void forget_name(struct output *output)
{
	doomed = NULL;
	output->temporary[0] = '\0';
}

/*
 * Make up a name beside `path` that nothing else has, and have it removed if a signal ends the program from now on:
 * there is no moment in which the file has it and is not known to the handler. 0, or -1 and errno.
 */
static int make_up_name(struct output *output)
{
	unsigned long long number;
	const int room = sizeof output->temporary;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return -1;
	if (snprintf(output->temporary, sizeof output->temporary, "%.*s" TEMPORARY, folder_len(output->path), output->path,
		     number) >= room) {
		output->temporary[0] = '\0';
		errno = ENAMETOOLONG;
		return -1;
	}
	catch_signals();
	doomed = output->temporary;
	return 0;
}

static int open_nameless(struct output *output)
{
	char folder[PATH_MAX], text[32];
	const int len = folder_len(output->path);

	if (len >= (int)sizeof folder) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(folder, sizeof folder, "%.*s", len > 0 ? len : 1, len > 0 ? output->path : ".");
	output->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	if (output->file >= 0 && access(shown(text, output), F_OK) < 0) {	/* without /proc it would stay nameless */
		close(output->file);
		output->file = -1;
	}
	return output->file < 0 ? -1 : 0;
}

static int open_named(struct output *output)
{
	if (make_up_name(output) < 0)
		return -1;
	output->file = open(output->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, MODE);
	if (output->file < 0) {
		forget_name(output);
		return -1;
	}
	has_name(output->temporary);
	return 0;
}

int output_open(struct output *output, const char *path, bool replace)
{
	struct stat there;

	*output = (struct output){ .path = path, .file = -1, .replace = replace };
	if (!path)
		return 0;
	const bool exists = lstat(path, &there) == 0;
	if (exists && !replace)
		return log_error("%s is there already; --force replaces it", path);
	if (exists && stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		return log_error("%s is no plain file", path);
	if (!exists && errno == ENOENT && path[folder_len(path)] == '\0')
		errno = EISDIR;		/* it names a folder, or nothing */
	if ((!exists && errno != ENOENT) || (open_nameless(output) < 0 && open_named(output) < 0))
		return log_errno("%s cannot be made", path);
	return 0;
}

int output_write(struct output *output, const uint8_t *bytes, size_t len)
{
	while (output->path && len > 0) {
		ssize_t written = write(output->file, bytes, len);

		if (written < 0 && errno != EINTR)
			return log_errno("%s cannot be written", output->path);
		if (written > 0) {
			bytes += written;
			len -= (size_t)written;
		}
	}
	return 0;
}

/*
 * Move the temporary name to `path`, but never onto what is there. Not every file system can do that at once (NFS, many by
 * FUSE), nor give a file a second name (FAT). Where neither is to be had, an empty file of our own holds the place
 * until it is replaced.
 */
static int move_to_new(const struct output *output)
{
	if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EEXIST && link(output->temporary, output->path) == 0) {
		unlink(output->temporary);
		return 0;
	}
	if (errno == EEXIST)
		return -1;
	int place = open(output->path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, MODE);
	if (place < 0)
		return -1;
	close(place);
	int status = rename(output->temporary, output->path), error = errno;
	if (status < 0)
		unlink(output->path);
	errno = error;
	return status;
}

/* A nameless file can be given `path` where nothing stands there, else a name beside it to be moved onto it. */
static int give_name(struct output *output)
{
	if (output->temporary[0] == '\0') {
		if (link_nameless(output, output->path) == 0)
			return 0;
		if (errno != EEXIST || !output->replace || make_up_name(output) < 0)
			return -1;
		if (link_nameless(output, output->temporary) < 0)
			return -1;
		has_name(output->temporary);
	}
	return output->replace ? rename(output->temporary, output->path) : move_to_new(output);
}

int output_close(struct output *output, bool keep)
{
	int status = 0;

	if (output->file >= 0 && keep && (fsync(output->file) < 0 || give_name(output) < 0))
		status = log_errno("%s cannot be made", output->path);
	if (output->temporary[0] != '\0' && (!keep || status < 0))
		unlink(output->temporary);
	forget_name(output);
	if (output->file >= 0)
		close(output->file);
	output->file = -1;
	return status;
}
