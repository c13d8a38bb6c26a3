// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The bits of floating-point numbers of 16 bits, and how others are rounded to them. Knows no type
// of CUDA's. For cuda_fp16.h and cuda_bf16.h.

#ifndef CUDASIM_SMALL_FLOATS_H
#define CUDASIM_SMALL_FLOATS_H

#include "host_defines.h"

namespace cudasim_floats {

enum Rounding { ToNearest, ToZero, Up, Down };

template <int ExponentBits, int MantissaBits> struct Format {
  static constexpr int kBias = (1 << (ExponentBits - 1)) - 1;
  static constexpr unsigned kInfinity = ((1u << ExponentBits) - 1) << MantissaBits;
  static constexpr unsigned kNan = 0x7fff; // the one that CUDA makes
  static constexpr unsigned kSign = 0x8000;

  // significand * 2^exponent.
  static __host__ __device__ unsigned short round(bool negative, unsigned long long significand,
                                                  int exponent, Rounding how) {
    const unsigned sign = negative ? kSign : 0;
    if (significand == 0)
      return static_cast<unsigned short>(sign);
    const int zeros = __builtin_clzll(significand);
    significand <<= zeros;
    exponent += 63 - zeros; // of the first digit
    int shift = 63 - MantissaBits;
    const bool tiny = exponent < 1 - kBias;
    if (tiny)
      shift += 1 - kBias - exponent;
    const unsigned long long kept = shift < 64 ? significand >> shift : 0;
    bool exact, above, middle; // what is cut off: nothing; more than half a step; just half
    if (shift > 64) {
      exact = above = middle = false;
    } else {
      const unsigned long long rest =
          shift < 64 ? significand & ((1ull << shift) - 1) : significand;
      const unsigned long long half = 1ull << (shift - 1);
      exact = rest == 0;
      above = rest > half;
      middle = rest == half;
    }
    unsigned bits = tiny ? static_cast<unsigned>(kept)
                         : (static_cast<unsigned>(exponent + kBias - 1) << MantissaBits) +
                               static_cast<unsigned>(kept);
    const bool overflows = exponent > kBias;
    const bool away =
        how == ToNearest ? above || (middle && (kept & 1)) : how == (negative ? Down : Up);
    if (!overflows && away && !exact)
      ++bits; // into the exponent, if the mantissa is full
    if (overflows)
      bits = how == ToNearest || away ? kInfinity : kInfinity - 1;
    return static_cast<unsigned short>(sign | (bits > kInfinity ? kInfinity : bits));
  }

  static __host__ __device__ unsigned short round(double value, Rounding how) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const bool negative = bits >> 63;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const unsigned long long mantissa = bits & ((1ull << 52) - 1);
    if (exponent == 0x7ff)
      return static_cast<unsigned short>(mantissa ? kNan
                                                  : (negative ? kSign | kInfinity : kInfinity));
    if (exponent == 0)
      return round(negative, mantissa, -1074, how);
    return round(negative, mantissa | 1ull << 52, exponent - 1075, how);
  }

  static __host__ __device__ unsigned short round(long long value, Rounding how) {
    const unsigned long long size = value < 0 ? 0 - static_cast<unsigned long long>(value) : value;
    return round(value < 0, size, 0, how);
  }

  static __host__ __device__ float value(unsigned short bits) {
    const unsigned exponent = (bits & kInfinity) >> MantissaBits;
    const unsigned mantissa = bits & ((1u << MantissaBits) - 1);
    unsigned whole = static_cast<unsigned>(bits & kSign) << 16;
    if (exponent == (1u << ExponentBits) - 1)
      whole |= 0x7f800000u | mantissa << (23 - MantissaBits);
    else if (exponent != 0 || ExponentBits == 8)
      whole |= (exponent + 127 - kBias) << 23 | mantissa << (23 - MantissaBits);
    else if (mantissa != 0) {
      const int zeros = __builtin_clz(mantissa) - (31 - MantissaBits);
      whole |= static_cast<unsigned>(128 - kBias - zeros) << 23 |
               ((mantissa << zeros & ((1u << MantissaBits) - 1)) << (23 - MantissaBits));
    }
    float result;
    __builtin_memcpy(&result, &whole, sizeof result);
    return result;
  }
};

// To an integer, towards zero; beyond its range the nearest end, and 0 for no number.
template <typename T> static __host__ __device__ T towardsZero(float value) {
  const T most = static_cast<T>(T(-1) < T(0) ? ~(1ull << (8 * sizeof(T) - 1)) : ~0ull);
  const T least = static_cast<T>(T(-1) < T(0) ? 1ull << (8 * sizeof(T) - 1) : 0);
  if (value != value)
    return 0;
  if (value >= static_cast<float>(most))
    return most;
  return value <= static_cast<float>(least) ? least : static_cast<T>(value);
}

} // namespace cudasim_floats

#endif // CUDASIM_SMALL_FLOATS_H
