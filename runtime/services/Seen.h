// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof saw of the program, as far as it says why something was not recorded. Whoever sees
// something notes it here. Does not know CUDA.

#ifndef GRAPHPROF_SERVICES_SEEN_H
#define GRAPHPROF_SERVICES_SEEN_H

#include <atomic>
#include <cstdint>

namespace graphprof {

/// Any thread may change it.
struct Seen {
  std::atomic<bool> region{false};        ///< a region ran, recorded or not
  std::atomic<bool> timedLaunch{false};   ///< of an exec with something to time
  std::atomic<bool> othersCapture{false}; ///< a region ran in a capture that other code began
  std::atomic<std::uint64_t> captured{0}; ///< captures with regions that became a graph
  /// Execs that were launched while graphprof recorded and have nothing to time: made by
  /// instrumented code of graphs without regions; made by other code.
  std::atomic<std::uint64_t> withoutRegion{0}, ofOthers{0};

  static void note(std::atomic<bool> &what) noexcept {
    if (!what.load(std::memory_order_relaxed)) // no write where threads share it
      what.store(true, std::memory_order_relaxed);
  }
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_SEEN_H
