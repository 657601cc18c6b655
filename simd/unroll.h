/* What kernels demand of the compiler; -O2 alone would give neither of the first two, and -O3 would undo the third. */
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

/*
 * Nothing read from memory before this is kept in a register for after it. For a kernel that has chosen
 * what to keep: what the compiler keeps beyond that costs as many stores and loads elsewhere.
 */
INLINE void forget_memory(void)
{
	__asm__ volatile("" : : : "memory");
}

#endif
