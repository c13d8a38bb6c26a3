// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints what the host's functions of cuda_fp16.h and cuda_bf16.h compute, as one sum a function
// over many arguments. Compiled once with each set of headers; the two outputs must be the same.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

// Sums bits, in order.
class Sum {
public:
  void add(std::uint64_t bits) { sum_ = (sum_ ^ bits) * 0x100000001b3; }
  void add(__half value) { add(std::uint64_t{__half_as_ushort(value)}); }
  void add(__nv_bfloat16 value) { add(std::uint64_t{__bfloat16_as_ushort(value)}); }
  void add(const __half2 &value) { add(__low2half(value)), add(__high2half(value)); }
  void add(const __nv_bfloat162 &value) { add(__low2bfloat16(value)), add(__high2bfloat16(value)); }
  void add(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    add(std::uint64_t{value != value ? 0x7fc00000 : bits}); // hosts differ in which NaN
  }
  void add(int value) { add(static_cast<std::uint64_t>(value)); }
  void add(bool value) { add(std::uint64_t{value}); }
  void add(unsigned value) { add(std::uint64_t{value}); }
  void add(long long value) { add(static_cast<std::uint64_t>(value)); }
  void show(const char *name) { std::printf("%s %016llx\n", name, (unsigned long long)sum_); }

private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

template <typename Function> void overBits(const char *name, Function &&function) {
  Sum sum;
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    function(sum, static_cast<unsigned short>(bits));
  sum.show(name);
}

template <typename Function> void overPairs(const char *name, Function &&function) {
  Sum sum;
  for (unsigned a = 0; a < 0x10000; a += 37)
    for (unsigned b = 0; b < 0x10000; b += 211)
      function(sum, static_cast<unsigned short>(a), static_cast<unsigned short>(b));
  for (unsigned a : {0u, 0x8000u, 0x7c00u, 0xfc00u, 0x7f80u, 0xff80u, 0x7fffu, 0xffffu})
    for (unsigned b : {0u, 0x8000u, 0x7c00u, 0xfc00u, 0x7f80u, 0xff80u, 0x7fffu, 0xffffu, 1u})
      function(sum, static_cast<unsigned short>(a), static_cast<unsigned short>(b));
  sum.show(name);
}

template <typename Function> void overFloats(const char *name, Function &&function) {
  Sum sum;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 4093) {
    // Also just at the middle between two, and beside it.
    for (const std::uint32_t near : {0u, 0xfffu, 0x1000u, 0x1001u, 0x8000u, 0x8001u}) {
      const std::uint32_t all = near ? (static_cast<std::uint32_t>(bits) & ~0xffffu) | near
                                     : static_cast<std::uint32_t>(bits);
      float value;
      std::memcpy(&value, &all, sizeof value);
      function(sum, value);
    }
  }
  sum.show(name);
}

template <typename Function> void overIntegers(const char *name, Function &&function) {
  Sum sum;
  std::uint64_t value = 1;
  for (int i = 0; i < 100000; ++i) {
    value = value * 6364136223846793005 + 1442695040888963407;
    function(sum, static_cast<long long>(value) >> (i % 64));
  }
  sum.show(name);
}

// Of 0 and -0, CUDA 13.0 has either on the host for bfloat16, though it documents that 0 is
// greater.
template <typename T> T greaterOrNan(T a, T b) {
  return float(a) == 0 && float(b) == 0 ? a : __hmax_nan(a, b);
}
template <typename T> T smallerOrNan(T a, T b) {
  return float(a) == 0 && float(b) == 0 ? a : __hmin_nan(a, b);
}

#define FLOATS(NAME) overFloats(#NAME, [](Sum &sum, float value) { sum.add(NAME(value)); });
#define BITS(NAME, AS) overBits(#NAME, [](Sum &sum, unsigned short a) { sum.add(NAME(AS(a))); });
#define PAIRS(NAME, AS)                                                                            \
  overPairs(#NAME " " #AS,                                                                         \
            [](Sum &sum, unsigned short a, unsigned short b) { sum.add(NAME(AS(a), AS(b))); });
#define INTEGERS(NAME, T)                                                                          \
  overIntegers(#NAME, [](Sum &sum, long long value) { sum.add(NAME(static_cast<T>(value))); });
#define OPERATORS(OPERATOR, AS)                                                                    \
  overPairs("operator" #OPERATOR " " #AS,                                                          \
            [](Sum &sum, unsigned short a, unsigned short b) { sum.add(AS(a) OPERATOR AS(b)); });

#define BOTH(H, AS, NAME2)                                                                         \
  FLOATS(__float2##H)                                                                              \
  FLOATS(__double2##H)                                                                             \
  FLOATS(__float2##H##_rn)                                                                         \
  FLOATS(__float2##H##_rz)                                                                         \
  FLOATS(__float2##H##_ru)                                                                         \
  FLOATS(__float2##H##_rd)                                                                         \
  FLOATS(__float2##NAME2##_rn)                                                                     \
  INTEGERS(__int2##H##_rn, int)                                                                    \
  INTEGERS(__uint2##H##_rn, unsigned)                                                              \
  INTEGERS(__short2##H##_rn, short)                                                                \
  INTEGERS(__ll2##H##_rn, long long)                                                               \
  INTEGERS(__ull2##H##_rn, unsigned long long)                                                     \
  BITS(__##H##2float, AS)                                                                          \
  BITS(__##H##2int_rz, AS)                                                                         \
  BITS(__##H##2uint_rz, AS)                                                                        \
  BITS(__##H##2short_rz, AS)                                                                       \
  BITS(__##H##2ll_rz, AS)                                                                          \
  BITS(__hisnan, AS)                                                                               \
  BITS(__hisinf, AS)                                                                               \
  BITS(__habs, AS)                                                                                 \
  BITS(__hneg, AS)                                                                                 \
  PAIRS(__hadd, AS)                                                                                \
  PAIRS(__hsub, AS)                                                                                \
  PAIRS(__hmul, AS)                                                                                \
  PAIRS(__hdiv, AS)                                                                                \
  PAIRS(__hadd_sat, AS)                                                                            \
  PAIRS(__hsub_sat, AS)                                                                            \
  PAIRS(__hmul_sat, AS)                                                                            \
  PAIRS(__hmax, AS)                                                                                \
  PAIRS(__hmin, AS)                                                                                \
  PAIRS(greaterOrNan, AS)                                                                          \
  PAIRS(smallerOrNan, AS)                                                                          \
  PAIRS(__heq, AS)                                                                                 \
  PAIRS(__hne, AS)                                                                                 \
  PAIRS(__hneu, AS)                                                                                \
  PAIRS(__hlt, AS)                                                                                 \
  PAIRS(__hltu, AS)                                                                                \
  PAIRS(__hge, AS)                                                                                 \
  PAIRS(__hgeu, AS)                                                                                \
  OPERATORS(+, AS)                                                                                 \
  OPERATORS(/, AS)                                                                                 \
  OPERATORS(<, AS)                                                                                 \
  OPERATORS(!=, AS)                                                                                \
  overPairs(#NAME2, [](Sum &sum, unsigned short a, unsigned short b) {                             \
    const auto pair = make_##NAME2(AS(a), AS(b));                                                  \
    sum.add(__hadd2(pair, __lowhigh2highlow(pair)));                                               \
    sum.add(__hmul2(pair, __low2##NAME2(pair)));                                                   \
    sum.add(pair - __high2##NAME2(pair));                                                          \
    sum.add(__hgt2(pair, __lowhigh2highlow(pair)));                                                \
    sum.add(__hble2(pair, __lowhigh2highlow(pair)));                                               \
    sum.add(__low2float(pair));                                                                    \
    sum.add(-pair);                                                                                \
  });

} // namespace

int main() {
  BOTH(half, __ushort_as_half, half2)
  BOTH(bfloat16, __ushort_as_bfloat16, bfloat162)
}
