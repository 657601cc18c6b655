/*
 * CPU backends, the first that serves an algorithm on this machine wins; the order
 * is that of measured speed, which is not that of width. One line each.
 */
#include "config.h"	/* ISA_*: what this build has */

#ifdef ISA_AVX512
BACKEND(avx512)
#endif
#ifdef ISA_SHANI
BACKEND(shani)
#endif
#ifdef ISA_ARMSHA
BACKEND(armsha)
#endif
#ifdef ISA_AVX2
BACKEND(avx2)
#endif
#ifdef ISA_SSE2
BACKEND(sse2)
#endif
#ifdef ISA_NEON
BACKEND(neon)
#endif
BACKEND(scalar)
