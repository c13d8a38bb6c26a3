// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernel that most conformance tests use.

#include "Conformance.h"

namespace conformance {

__global__ void spin(unsigned long long ns) {
  // Current GPUs run about two cycles a nanosecond. No test needs exact times.
  const long long begin = clock64();
  while (clock64() - begin < static_cast<long long>(2 * ns)) {
  }
}

} // namespace conformance
