// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Effects and durations of Work.cu's kernels on the simulation, which does not run them.

#include "cudasim/cudasim.h"

namespace {

[[maybe_unused]] const bool registered = [] {
  cudasim::registerKernel("graphprofTestShortWork", {}, nullptr, 10'000);
  cudasim::registerKernel("graphprofTestRoomyWork", {}, nullptr, 10'000);
  cudasim::setKernelResources("graphprofTestRoomyWork", {32, std::size_t{40} * 1024});
  cudasim::registerKernel("graphprofTestLongWork", {}, nullptr, 100'000);
  constexpr std::size_t address = sizeof(unsigned *), number = sizeof(unsigned);
  constexpr std::size_t handle = sizeof(unsigned long long);
  cudasim::registerKernel(
      "graphprofTestCountDown", {address, handle},
      [](void **params, std::uint64_t, std::uint64_t) {
        unsigned &counter = **static_cast<unsigned **>(params[0]);
        cudasim::setConditional(*static_cast<unsigned long long *>(params[1]), --counter);
      },
      1'000);
  cudasim::registerKernel(
      "graphprofTestSetCounter", {address, number, handle, number},
      [](void **params, std::uint64_t, std::uint64_t) {
        **static_cast<unsigned **>(params[0]) = *static_cast<unsigned *>(params[1]);
        cudasim::setConditional(*static_cast<unsigned long long *>(params[2]),
                                *static_cast<unsigned *>(params[3]));
      },
      1'000);
  return true;
}();

} // namespace
