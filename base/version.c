/* Version strings; the commit comes from a header the build makes. */
#include "base/version.h"

#include "commit.h"
#include "config.h"

const char version_number[] = PACKAGE_VERSION;
const char version_agent[] = PACKAGE_NAME "/" PACKAGE_VERSION;
const char version_commit[] = COMMIT;
#if defined __clang__
const char version_compiler[] = "clang " __clang_version__;
#else
const char version_compiler[] = "gcc " __VERSION__;
#endif
