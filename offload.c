/*
 * adit-offload: gives ciphers, hashes and field arithmetic away to whatever computes
 * them, and measures it. Options become one of its runs, and the result an exit status:
 * 0, 1 when the run failed, 2 when the command line was wrong.
 */
#include <signal.h>
#include <stdio.h>

#include "base/log.h"
#include "base/standard.h"
#include "base/version.h"
#include "offload/options.h"
#include "offload/runs.h"

int main(int argc, char **argv)
{
	struct offload_options options;
	int status = 0;

	standard_fill();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a file too large is an error of write() */
	if (offload_options_parse(&options, argc, argv) < 0)
		return 2;
	log_setup(LOG_INFO, true);
	switch (options.run) {
	case RUN_HELP: offload_usage(); break;
	case RUN_VERSION: printf("adit-offload %s (commit %s, %s)\n", version_number, version_commit, version_compiler); break;
	case RUN_BENCH: 
		status = options.profile ? run_profile(&options) : options.seal ? run_bench_seal(&options) : run_bench(&options);
		break;
	case RUN_ENCRYPT:
	case RUN_DECRYPT: status = run_crypt(&options); break;
	case RUN_DIGEST: status = run_digest(&options); break;
	case RUN_FIELD: status = run_field(&options); break;
	}
	if (status == 0)		/* else one sentence is enough */
		status = standard_flush();
	log_flush();
	return status < 0 ? 1 : 0;
}
