/* A benchmark as a picture: a panel for each core, both axes logarithmic. */
#include <math.h>

#include "offload/bench.h"

#define PANEL_WIDTH	520
#define PANEL_HEIGHT	320
#define LEFT		70	/* of a panel, to its axes */
#define RIGHT		130	/* for the names of lines */
#define TOP		36
#define BOTTOM		44
#define LINES_MAX	(DEVICES_MAX + 2)
#define LABEL		13	/* pixels that names keep from each other */

struct panel {
	FILE *svg;
	double x, y;			/* its corner */
	double size_min, size_max;	/* logarithms, base 2 */
	double rate_min, rate_max;	/* logarithms, base 10 */
	unsigned lines;
	double labels[LINES_MAX];	/* where their names stand */
};

static double across(const struct panel *panel, double bytes)
{
	double part = (log2(bytes) - panel->size_min) / fmax(panel->size_max - panel->size_min, 1);

	return panel->x + LEFT + part * (PANEL_WIDTH - LEFT - RIGHT);
}

static double up(const struct panel *panel, double rate)
{
	double part = (log10(rate) - panel->rate_min) / (panel->rate_max - panel->rate_min);

	return panel->y + PANEL_HEIGHT - BOTTOM - part * (PANEL_HEIGHT - TOP - BOTTOM);
}

static double rate_of(const struct bench_size *size, size_t time)
{
	double seconds = *(const double *)(const void *)((const char *)size + time);

	return seconds > 0 ? (double)size->bytes / seconds : 0;
}

static const size_t times[] = { offsetof(struct bench_size, total), offsetof(struct bench_size, plain), offsetof(struct bench_size, openssl) };

/* The range of both axes, from all series of a core. */
static void fit(struct panel *panel, const struct bench *bench, const struct core *core)
{
	panel->size_min = panel->rate_min = INFINITY;
	panel->size_max = panel->rate_max = -INFINITY;
	for (unsigned i = 0; i < bench->count; i++) {
		for (unsigned j = 0; bench->series[i].core == core && j < bench->series[i].count; j++) {
			const struct bench_size *size = &bench->series[i].sizes[j];

			panel->size_min = fmin(panel->size_min, log2((double)size->bytes));
			panel->size_max = fmax(panel->size_max, log2((double)size->bytes));
			for (unsigned k = 0; k < 3; k++) {
				double rate = rate_of(size, times[k]);

				if (rate > 0) {
					panel->rate_min = fmin(panel->rate_min, floor(log10(rate)));
					panel->rate_max = fmax(panel->rate_max, ceil(log10(rate * 1.01)));
				}
			}
		}
	}
}

/* The place nearest below `y` where no name stands yet. */
static double place_label(struct panel *panel, double y)
{
	for (unsigned i = 0; i < panel->lines; ) {
		if (fabs(panel->labels[i] - y) < LABEL - 1) {
			y = panel->labels[i] + LABEL;
			i = 0;		/* which may be near one seen before */
		} else {
			i++;
		}
	}
	return panel->labels[panel->lines++] = y;
}

static void draw_line(struct panel *panel, const struct bench_series *series, size_t time, const char *name, const char *dashes)
{
	static const char *const colors[] = { "#0b6", "#c40", "#06c", "#909", "#a80", "#088", "#666" };
	const char *color = colors[panel->lines % (sizeof colors / sizeof colors[0])];
	const struct bench_size *last = &series->sizes[series->count - 1];

	if (series->count == 0 || rate_of(last, time) == 0)
		return;
	fprintf(panel->svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", color, dashes);
	for (unsigned i = 0; i < series->count; i++)
		fprintf(panel->svg, "%.1f,%.1f ", across(panel, (double)series->sizes[i].bytes), up(panel, rate_of(&series->sizes[i], time)));
	double label = place_label(panel, up(panel, rate_of(last, time)) + 4);
	fprintf(panel->svg, "\"/>\n<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\">%s</text>\n", across(panel, (double)last->bytes) + 8, label, color, name);
}

static void draw_axes(const struct panel *panel, const char *title)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double left = panel->x + LEFT, right = panel->x + PANEL_WIDTH - RIGHT, bottom = panel->y + PANEL_HEIGHT - BOTTOM;

	fprintf(panel->svg, "<text x=\"%.0f\" y=\"%.0f\" font-weight=\"bold\">%s</text>\n", left, panel->y + 22, title);
	for (double power = panel->rate_min; power <= panel->rate_max; power++) {
		double y = up(panel, pow(10, power));
		unsigned unit = power >= 0 && power < 15 ? (unsigned)power / 3 : 0;

		fprintf(panel->svg, "<path d=\"M%.0f %.1fH%.0f\" stroke=\"#ddd\"/><text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.0f %s/s</text>\n",
			left, y, right, left - 6, y + 4, pow(10, power - 3 * unit), units[unit]);
	}
	for (double power = ceil(panel->size_min); power <= panel->size_max; power += 2) {
		double x = across(panel, pow(2, power));
		bool mebi = power >= 20;

		fprintf(panel->svg, "<path d=\"M%.1f %.0fv4\" stroke=\"#000\"/><text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.0f %s</text>\n",
			x, bottom, x, bottom + 18, pow(2, power - (mebi ? 20 : 10)), mebi ? "MiB" : "KiB");
	}
	fprintf(panel->svg, "<path d=\"M%.0f %.0fV%.0fH%.0f\" fill=\"none\" stroke=\"#000\"/>\n", left, panel->y + TOP, bottom, right);
}

static void draw_panel(struct panel *panel, const struct bench *bench, const struct core *core)
{
	const struct bench_series *first = NULL;

	fit(panel, bench, core);
	draw_axes(panel, core->name);
	for (unsigned i = 0; i < bench->count; i++) {
		const struct bench_series *series = &bench->series[i];
		char name[32];

		if (series->core != core || series->count == 0)
			continue;
		first = first ? first : series;
		snprintf(name, sizeof name, "%s %u", series->kind->name, series->index);
		draw_line(panel, series, offsetof(struct bench_size, total), name, "");
	}
	draw_line(panel, first, offsetof(struct bench_size, plain), "plain C", " stroke-dasharray=\"5 4\"");
	draw_line(panel, first, offsetof(struct bench_size, openssl), "OpenSSL", " stroke-dasharray=\"2 3\"");
}

static bool measured(const struct bench *bench, const struct core *core)
{
	for (unsigned i = 0; i < bench->count; i++)
		if (bench->series[i].core == core && bench->series[i].count > 0)
			return true;
	return false;
}

void bench_draw(const struct bench *bench, FILE *svg)
{
	unsigned panels = 0;

	for (const struct core *core = cores; core->name; core++)
		panels += measured(bench, core);
	fprintf(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", 2 * PANEL_WIDTH, (int)((panels + 1) / 2 * PANEL_HEIGHT));
	panels = 0;
	for (const struct core *core = cores; core->name; core++) {
		if (!measured(bench, core))
			continue;
		draw_panel(&(struct panel){ .svg = svg, .x = panels % 2 * PANEL_WIDTH, .y = panels / 2 * PANEL_HEIGHT }, bench, core);
		panels++;
	}
	fprintf(svg, "</svg>\n");
}
