/* See output.h. */
#include "offload/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

#define MODE	0600	/* it may hold what was secret */

/* The folder that `path` is in; to be freed. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
}

int output_open(struct output *output, const char *path, bool replace)
{
	struct stat there;

	*output = (struct output){ .path = path, .file = -1, .replace = replace };
	if (!path)
		return 0;
	if (!replace && lstat(path, &there) == 0)
		return log_error("%s is there already; --force replaces it", path);
	if (replace && stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		return log_error("%s is no plain file", path);
	char *folder = folder_of(path);
	if (!folder)
		return log_error("no memory");
	output->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, MODE);
	free(folder);
	if (output->file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		if (asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
			output->temporary = NULL;
			return log_error("no memory");
		}
		output->file = mkostemp(output->temporary, O_CLOEXEC);
	}
	if (output->file < 0) {
		free(output->temporary);
		output->temporary = NULL;
		return log_errno("%s cannot be made", path);
	}
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

/* A name for the nameless file: `path` itself where nothing stands there, else one beside it to be moved onto it. */
static int give_name(struct output *output)
{
	char self[32];

	snprintf(self, sizeof self, "/proc/self/fd/%d", output->file);
	if (linkat(AT_FDCWD, self, AT_FDCWD, output->path, AT_SYMLINK_FOLLOW) == 0)
		return 0;
	if (errno != EEXIST || !output->replace)
		return -1;
	if (asprintf(&output->temporary, "%s.%ld", output->path, (long)getpid()) < 0) {
		output->temporary = NULL;
		errno = ENOMEM;
		return -1;
	}
	if (linkat(AT_FDCWD, self, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) < 0) {
		free(output->temporary);
		output->temporary = NULL;
		return -1;
	}
	return rename(output->temporary, output->path);
}

/* link() does not replace, rename() does. */
static int move_temporary(struct output *output)
{
	if (output->replace)
		return rename(output->temporary, output->path);
	return link(output->temporary, output->path) == 0 ? unlink(output->temporary) : -1;
}

int output_close(struct output *output, bool keep)
{
	int status = 0;

	if (output->file >= 0 && keep) {
		if (fsync(output->file) < 0 || (output->temporary ? move_temporary(output) : give_name(output)) < 0)
			status = log_errno("%s cannot be made", output->path);
	}
	if (output->temporary && (!keep || status < 0))
		unlink(output->temporary);
	if (output->file >= 0)
		close(output->file);
	free(output->temporary);
	output->temporary = NULL;
	output->file = -1;
	return status;
}
