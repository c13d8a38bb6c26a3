// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The streams whose work goes into a command list of a graphics API (cuStreamBeginCaptureToCig,
// CUDA 13.2). Nobody here learns when the list runs, and it may run only once. So nothing of
// graphprof's gets into one: regions in such a stream have no time, and execs are launched as the
// program made them.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_COMMANDLISTS_H
#define GRAPHPROF_GRAPH_TOPOLOGY_COMMANDLISTS_H

#include <array>
#include <atomic>
#include <cstddef>

#include "cuda/DriverApi.h"

namespace graphprof {

/// Any thread may call any member. No locks: a forked child may ask, too.
class CommandLists {
public:
  static void begun(driver::Stream stream) noexcept;
  static void ended(driver::Stream stream) noexcept;
  /// Does the work of `stream` go into a command list?
  [[nodiscard]] static bool take(driver::Stream stream) noexcept {
    return open.load(std::memory_order_acquire) > 0 && isOpen(stream);
  }

private:
  static bool isOpen(driver::Stream stream) noexcept;
  /// In the first slot that holds `from`, if any does.
  static void replaceOne(driver::Stream from, driver::Stream to) noexcept;

  static constinit inline std::atomic<std::size_t> open{0};
  // Null: free. If there are more, each stream counts as one of them.
  static constinit inline std::array<std::atomic<driver::Stream>, 64> streams{};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_COMMANDLISTS_H
