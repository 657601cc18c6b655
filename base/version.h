/* What these programs were built from and with. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

extern const char version_number[];	/* "0.1.0" */
extern const char version_agent[];	/* "adit/0.1.0": what a pool is told */
extern const char version_commit[];	/* "1a2b3c4d5e6f", with "-dirty" if changed since; "unknown" outside a checkout */
extern const char version_compiler[];	/* "gcc 12.2.0" */

#endif
