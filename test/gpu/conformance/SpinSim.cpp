// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// In the simulation alone: spin(ns) takes ns, and what the counting kernels do.

#include "cudasim/cudasim.h"

namespace {
[[maybe_unused]] const bool registered = [] {
  cudasim::registerKernel("spin", {sizeof(unsigned long long)}, nullptr, [](void **params) {
    return std::uint64_t{*static_cast<unsigned long long *>(params[0])};
  });
  cudasim::registerKernel("countDown", {sizeof(unsigned *), sizeof(unsigned long long)},
                          [](void **params, std::uint64_t, std::uint64_t) {
                            unsigned &counter = **static_cast<unsigned **>(params[0]);
                            cudasim::setConditional(*static_cast<unsigned long long *>(params[1]),
                                                    --counter);
                          });
  cudasim::registerKernel(
      "countUp", {sizeof(unsigned *)},
      [](void **params, std::uint64_t, std::uint64_t) { ++**static_cast<unsigned **>(params[0]); });
  return true;
}();
} // namespace
