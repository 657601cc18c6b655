/* Reading the file of faults and counting them down: see faults.h. */
#include "fpga/sim/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[FAULT_COUNT] = {
#define FAULT(name, text) [FAULT_##name] = text,
	FAULTS(FAULT)
#undef FAULT
};

/* A test that asks for what does not exist must not pass. */
static void refuse(const char *path, const char *what)
{
	fprintf(stderr, "fpga sim: faults in %s: %s\n", path, what);
	abort();
}

void faults_init(struct faults *f, const char *path, unsigned card)
{
	*f = (struct faults){ .card = card };
	if (!path)
		return;
	if (strlen(path) + sizeof ".log" > sizeof f->path)
		refuse(path, "the path is too long");
	strcpy(f->path, path);
	faults_look(f);
}

static void read_line(struct faults *f, const char *line)
{
	char name[32];
	unsigned card;
	long times;
	int fields = sscanf(line, "%u %31s %ld", &card, name, &times);

	if (fields < 2 || (fields == 3 && times < 0))
		refuse(f->path, line);
	for (enum fault i = 0; i < FAULT_COUNT; i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		if (card == f->card)
			f->left[i] = fields == 3 ? times : -1;
		return;
	}
	refuse(f->path, line);
}

void faults_look(struct faults *f)
{
	struct stat now = { 0 };
	char line[128];

	if (!f->path[0])
		return;
	if (stat(f->path, &now) != 0)
		now = (struct stat){ 0 };
	if (now.st_ino == f->seen.st_ino && now.st_size == f->seen.st_size &&
	    now.st_mtim.tv_sec == f->seen.st_mtim.tv_sec && now.st_mtim.tv_nsec == f->seen.st_mtim.tv_nsec)
		return;

	f->seen = now;
	f->logged = 0;
	memset(f->left, 0, sizeof f->left);
	FILE *file = fopen(f->path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof line, file))
		if (line[0] != '\n')
			read_line(f, line);
	fclose(file);
}

static void note(struct faults *f, enum fault fault)
{
	char path[sizeof f->path + sizeof ".log"];

	if (f->logged == FAULTS_LOGGED)
		return;
	f->logged++;
	snprintf(path, sizeof path, "%s.log", f->path);
	FILE *log = fopen(path, "ae");
	if (!log)
		return;
	fprintf(log, "%u %s\n", f->card, names[fault]);
	fclose(log);
}

bool faults_stand(const struct faults *f, enum fault fault)
{
	return f->left[fault] != 0;
}

bool faults_strike(struct faults *f, enum fault fault)
{
	if (!faults_stand(f, fault))
		return false;
	if (f->left[fault] > 0)
		f->left[fault]--;
	note(f, fault);
	return true;
}
