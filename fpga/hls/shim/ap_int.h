/*
 * As much of Vitis HLS' ap_uint as the core uses, so that it can be tested by any C++ compiler (UG1399, "Arbitrary
 * precision integer library"). It widens as the true one does: a sum has one bit more than its operands, and only a
 * store drops it. Up to 64 bits.
 */
#ifndef SHIM_AP_INT_H
#define SHIM_AP_INT_H

#include <cstdint>

template <int W> class ap_uint {
	static_assert(W >= 1 && W <= 64, "the shim has no wider words");
	uint64_t bits;

	static uint64_t mask(int width) { return width == 64 ? ~(uint64_t)0 : ((uint64_t)1 << width) - 1; }

public:
	/* Bits high..low, to read and to write. */
	class part {
		ap_uint &whole;
		int high, low;

	public:
		part(ap_uint &of, int h, int l) : whole(of), high(h), low(l) {}
		operator uint64_t() const { return whole.bits >> low & mask(high - low + 1); }
		part &operator=(uint64_t value)
		{
			uint64_t field = mask(high - low + 1) << low;
			whole.bits = (whole.bits & ~field) | (value << low & field);
			return *this;
		}
		part &operator=(const part &other) { return *this = (uint64_t)other; }
	};

	ap_uint(uint64_t value = 0) : bits(value & mask(W)) {}
	template <int V> ap_uint(const ap_uint<V> &other) : bits(other.to_uint64() & mask(W)) {}
	uint64_t to_uint64() const { return bits; }
	unsigned to_uint() const { return (unsigned)bits; }
	part range(int high, int low) { return part(*this, high, low); }

	ap_uint operator<<(int n) const { return n < W ? bits << n : 0; }
	ap_uint operator>>(int n) const { return n < W ? bits >> n : 0; }
	bool operator==(uint64_t value) const { return bits == value; }
};

#define SHIM_WIDER(V, W) ((V) > (W) ? (V) : (W))
template <int V, int W> ap_uint<SHIM_WIDER(V, W) + 1> operator+(const ap_uint<V> &a, const ap_uint<W> &b)
{
	return a.to_uint64() + b.to_uint64();
}
template <int V, int W> ap_uint<SHIM_WIDER(V, W)> operator^(const ap_uint<V> &a, const ap_uint<W> &b)
{
	return a.to_uint64() ^ b.to_uint64();
}
template <int V, int W> ap_uint<SHIM_WIDER(V, W)> operator&(const ap_uint<V> &a, const ap_uint<W> &b)
{
	return a.to_uint64() & b.to_uint64();
}
template <int V, int W> ap_uint<SHIM_WIDER(V, W)> operator|(const ap_uint<V> &a, const ap_uint<W> &b)
{
	return a.to_uint64() | b.to_uint64();
}

#endif
