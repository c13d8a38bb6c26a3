// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one kernel of the conformance tests.

#include "Conformance.h"

namespace conformance {

__global__ void spin(unsigned long long ns) {
  // Two cycles a nanosecond is about right on a current GPU; no test needs it exact.
  const long long begin = clock64();
  while (clock64() - begin < static_cast<long long>(2 * ns)) {
  }
}

} // namespace conformance
