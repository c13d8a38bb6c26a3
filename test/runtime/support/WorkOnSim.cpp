// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long Work.cu's kernels take on the simulated device, which does not run them.

#include "cudasim/cudasim.h"

namespace {

[[maybe_unused]] const bool registered = [] {
  cudasim::registerKernel("graphprofTestShortWork", {}, nullptr, 10'000);
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, 100'000);
  return true;
}();

} // namespace
