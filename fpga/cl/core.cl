/*
 * The two forms of every kernel, from the one function that computes an item:
 *
 *	NAME_range	a work-item for each item, for CPUs and GPUs
 *	NAME_pipeline	one work-item that loops over them, which an FPGA's compiler turns into a pipeline
 *
 * void NAME(constant uint *params, ulong number, global const uint *in, global uint *out): the item `number` of its
 * stream. Memory is seen as little-endian 32-bit words.
 */
#define KERNELS(NAME, WORDS_IN, WORDS_OUT) \
kernel void NAME##_range(constant uint *params, ulong first, ulong items, global const uint *restrict in, \
			 global uint *restrict out) \
{ \
	ulong i = get_global_id(0); \
\
	if (i < items) \
		NAME(params, first + i, in + i * WORDS_IN, out + i * WORDS_OUT); \
} \
\
kernel __attribute__((reqd_work_group_size(1, 1, 1))) \
void NAME##_pipeline(constant uint *params, ulong first, ulong items, global const uint *restrict in, \
		     global uint *restrict out) \
{ \
	for (ulong i = 0; i < items; i++) \
		NAME(params, first + i, in + i * WORDS_IN, out + i * WORDS_OUT); \
}

uint swap_bytes(uint x)
{
	return rotate(x & 0x00ff00ffu, 24u) | rotate(x & 0xff00ff00u, 8u);
}
