// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the warps of examples/kernels/pipeline.cu do on the simulation, which runs nothing of a
// kernel: the first warp loads the tiles of the next step while the others multiply those of this
// one, and waits for them. The times are made up.

#include <cstddef>
#include <cstdint>

#include "cudasim/cudasim.h"
#include "graphprof/device/recording.h"

namespace {

// The regions inside, in the order of the source.
enum Scope : unsigned { FirstLoad, FirstBarrier, Product, NextLoad, Barrier, Store };

constexpr int steps = 512 / 32;
constexpr unsigned multiprocessors = 132;
constexpr std::uint64_t loadNs = 620, productNs = 850, barrierNs = 40, stepNs = 930, storeNs = 300;

struct Does {
  cudasim::TwinWarp warp;
  void region(Scope scope, std::uint64_t fromNs, std::uint64_t toNs) {
    warp.steps.push_back({fromNs, scope});
    warp.steps.push_back({toNs, cudasim::endOfScope});
  }
};

cudasim::TwinWarp scheduleOf(unsigned block, unsigned warp) {
  Does does;
  const bool loads = warp == 0;
  const std::uint64_t beginNs = block / multiprocessors * (steps + 2) * stepNs;
  does.warp.multiprocessor = block % multiprocessors;
  does.warp.beginNs = beginNs;
  std::uint64_t now = beginNs + loadNs;
  if (loads)
    does.region(FirstLoad, beginNs, now);
  does.region(FirstBarrier, loads ? now : beginNs, now + barrierNs);
  now += stepNs - productNs;
  for (int step = 0; step < steps; ++step, now += stepNs) {
    std::uint64_t waits = now;
    if (!loads)
      does.region(Product, now, waits = now + productNs);
    else if (step + 1 < steps)
      does.region(NextLoad, now, waits = now + loadNs);
    does.region(Barrier, waits, now + productNs + barrierNs);
  }
  if (!loads)
    does.region(Store, now, now + storeNs);
  does.warp.endNs = now + storeNs;
  return does.warp;
}

[[maybe_unused]] const bool registered = [] {
  constexpr std::size_t address = sizeof(void *), number = sizeof(int);
  constexpr std::uint64_t kernelNs = 34'000, twinNs = 36'000;
  cudasim::registerKernel("pipelined", {address, address, address, number}, nullptr, kernelNs);
  cudasim::registerKernel("pipelined_graphprof_twin",
                          {sizeof(graphprof::device::Recording), address, address, address, number},
                          cudasim::twinBody(scheduleOf), twinNs);
  return true;
}();

} // namespace
