/* See progress.h. */
#include "offload/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define PATIENCE	0.5	/* s that pass without a bar */
#define INTERVAL	0.2
#define WIDTH		40	/* characters */

void progress_begin(struct progress *progress, uint64_t total)
{
	progress->total = total;
	progress->began = clock_now();
	progress->shown = 0;
	progress->quiet = progress->quiet || !isatty(STDERR_FILENO);
}

void progress_show(struct progress *progress, uint64_t done)
{
	double now = clock_now(), passed = now - progress->began;

	if (progress->quiet || passed < PATIENCE || now - progress->shown < INTERVAL)
		return;
	progress->shown = now;
	fprintf(stderr, "\r%.1f MB, %.1f MB/s", (double)done / 1e6, (double)done / 1e6 / passed);
	if (progress->total > 0 && done <= progress->total) {	/* a file that grows has no end to be seen */
		double part = (double)done / (double)progress->total;
		int filled = (int)(part * WIDTH);

		fprintf(stderr, " [%.*s%*s] %3.0f %%, %.0f s left", filled, "########################################",
			WIDTH - filled, "", 100 * part, part > 0 ? passed / part - passed : 0);
	}
	fputs("\033[K", stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->shown > 0)
		fputs("\r\033[K", stderr);
}
