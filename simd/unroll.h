/* What kernels demand of the compiler; -O2 alone would give neither. */
#ifndef SIMD_UNROLL_H
#define SIMD_UNROLL_H

/* Before a loop of constant length: unroll it whole, so that its counter is a constant in every copy of its body. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

/* A step of a kernel: it must disappear into it, however large the result. */
#define INLINE static inline __attribute__((always_inline))

#endif
