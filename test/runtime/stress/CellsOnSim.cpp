// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Cells on the simulated device, and the kernels' bodies as it runs them: several at once, where
// several threads launch.

#include "Cells.h"

#include <deque>
#include <mutex>

#include "cudasim/cudasim.h"

namespace graphprof::test {

namespace {

constexpr std::uint64_t durationNs = 3'000;

std::mutex mutex; // guards all results
std::deque<Result> results;

template <class Body> void registerBody(const char *name, Body body) {
  cudasim::registerKernel(
      name, {sizeof(void *), sizeof(unsigned long long)},
      [body](void **params, std::uint64_t, std::uint64_t) {
        const std::lock_guard lock(mutex);
        body(**static_cast<Result **>(params[0]), *static_cast<unsigned long long *>(params[1]));
      },
      durationNs);
}

[[maybe_unused]] const bool registered = [] {
  registerBody("graphprofStressFold",
               [](Result &result, unsigned long long amount) { result.fold(amount); });
  registerBody("graphprofStressAdd",
               [](Result &result, unsigned long long amount) { result.sum += amount; });
  return true;
}();

} // namespace

const bool inOrderOfLaunches = true;

Cell::Cell() {
  const std::lock_guard lock(mutex);
  place_ = &results.emplace_back();
}

Result Cell::result() const {
  const std::lock_guard lock(mutex);
  return *static_cast<const Result *>(place_);
}

} // namespace graphprof::test
