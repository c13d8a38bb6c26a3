// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The kernels' bodies, as the simulated device runs them.

#include "Cells.h"

#include "cudasim/cudasim.h"

namespace graphprof::test {

namespace {

constexpr std::uint64_t durationNs = 3'000;

void registerBody(const char *name, void (Cell::*body)(std::uint64_t)) {
  cudasim::registerKernel(
      name, {sizeof(Cell *), sizeof(unsigned long long)},
      [body](void **params, std::uint64_t, std::uint64_t) {
        (*static_cast<Cell **>(params[0])->*body)(*static_cast<unsigned long long *>(params[1]));
      },
      durationNs);
}

[[maybe_unused]] const bool registered = [] {
  registerBody("graphprofStressFold", &Cell::fold);
  registerBody("graphprofStressAdd", &Cell::add);
  return true;
}();

} // namespace

cudaError_t launch(Work work, Cell &cell, unsigned long long amount, cudaStream_t stream) {
  Cell *address = &cell;
  void *params[] = {static_cast<void *>(&address), &amount};
  return cudaLaunchKernel(kernelOf(work), dim3(1), dim3(1), params, 0, stream);
}

} // namespace graphprof::test
