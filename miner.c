/*
 * adit: options become one of five runs, and its result an exit status. Only this
 * file exits; only this file and cli/mine.c see every layer.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/secret.h"
#include "base/standard.h"
#include "cli/benchmark.h"
#include "cli/inspect.h"
#include "cli/mine.h"
#include "cli/options.h"
#include "simd/backend.h"
#include "simd/cpu.h"
#include "work/cpus.h"
#include "work/topology.h"

enum { STATUS_OK, STATUS_FAILED, STATUS_USAGE, STATUS_GAVE_UP, STATUS_REFUSED };

/* SIGINT and SIGTERM are waited for, not handled, so every thread starts with them blocked. */
static void block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* "avx2" breaks it from its self-test on, "avx2,mining" only once it mines. */
static int read_fault(struct backend_fault *fault, char *text)
{
	char *comma = text ? strchr(text, ',') : NULL;

	*fault = (struct backend_fault){ .backend = text };
	if (comma && strcmp(comma, ",mining") == 0) {
		*comma = '\0';
		fault->spare_selftest = true;
	}
	return !text || backend_find(text) ? 0 : log_error("--inject-fault: there is no backend \"%.60s\"", text);
}

static int read_affinity(struct cpu_list *cpus, const char *mask)
{
	if (cpus_from_mask(cpus, mask) < 0)
		return log_error("--cpu-affinity: \"%.60s\" is not a hexadecimal mask with a CPU in it", mask);
	cpus_keep_allowed(cpus);
	return cpus->count > 0 ? 0 : log_error("--cpu-affinity: this process may use no CPU of the mask %.60s", mask);
}

static int run(struct options *o)
{
	struct backend_fault fault;
	struct cpu_list cpus;

	log_setup(o->quiet ? LOG_NOTICE : o->debug ? LOG_DEBUG : LOG_INFO, !o->no_color);
	if (read_fault(&fault, o->fault) < 0 || (o->cpu_mask && cpu_mask(o->cpu_mask) < 0))
		return STATUS_USAGE;
	if (o->backend && strcasecmp(o->backend, "all") != 0 && !options_devices_only(o->backend) &&
	    backend_may_be_named(o->backend, o->algo) < 0)
		return STATUS_USAGE;
	if (o->affinity && read_affinity(&cpus, o->affinity) < 0)
		return STATUS_USAGE;
	if (!o->affinity && cpus_allowed(&cpus) < 0)
		return STATUS_FAILED;
	topology_rank(&cpus, TOPOLOGY_SYS);
	block_signals();

	switch (o->mode) {
	case MODE_BENCHMARK:
		return benchmark_run(o, &cpus, &fault) < 0 ? STATUS_FAILED : STATUS_OK;
	case MODE_SELF_TEST:
		return inspect_self_test(o, &fault) < 0 ? STATUS_FAILED : STATUS_OK;
	case MODE_LIST:
		return inspect_list(o, &fault) < 0 ? STATUS_FAILED : STATUS_OK;
	case MODE_HASH:
		return inspect_hash(o, &fault) < 0 ? STATUS_FAILED : STATUS_OK;
	case MODE_MINE:
		break;
	}
	switch (mine_run(o, &cpus, &fault)) {
	case MINE_DONE:
		return STATUS_OK;
	case MINE_BAD_OPTION:
		return STATUS_USAGE;
	case MINE_GAVE_UP:
		return STATUS_GAVE_UP;
	case MINE_REFUSED:
		return STATUS_REFUSED;
	case MINE_FAILED:
		break;
	}
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
	struct options options;
	int status = STATUS_USAGE;

	standard_fill();
	switch (options_parse(&options, argc, argv)) {
	case PARSE_OK:
		status = run(&options);
		break;
	case PARSE_DONE:
		status = STATUS_OK;
		break;
	case PARSE_ERROR:
		break;
	}
	if (standard_flush() < 0 && status == STATUS_OK)
		status = STATUS_FAILED;
	log_flush();
	secret_forget();
	options_free(&options);
	return status;
}
