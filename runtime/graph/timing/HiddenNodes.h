// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which nodes of the program's own graphs are graphprof's: those of graphs that are timed in place,
// and of what was copied from them. The program gets its graphs without them when it asks. Told by
// what a node runs or records, not by its handle, which another graph may have by now.

#ifndef GRAPHPROF_GRAPH_TIMING_HIDDENNODES_H
#define GRAPHPROF_GRAPH_TIMING_HIDDENNODES_H

#include <atomic>

#include "clock/Devices.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class HiddenNodes {
public:
  /// A graph of the program's is about to get some. Any thread.
  static void come() noexcept { mayBeThere.store(true, std::memory_order_relaxed); }
  /// False where no graph of the program's can have any.
  [[nodiscard]] static bool mayBe() noexcept { return mayBeThere.load(std::memory_order_relaxed); }
  [[nodiscard]] static bool has(Devices &devices, driver::Node node);

private:
  static constinit inline std::atomic<bool> mayBeThere{false};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_HIDDENNODES_H
