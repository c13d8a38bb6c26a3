// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a stream under capture stands. Knows nothing of regions.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_FRONTIER_H
#define GRAPHPROF_GRAPH_TOPOLOGY_FRONTIER_H

#include <cstdint>

#include "clock/CaptureAlone.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// Where a stream's next node would stand: the capture it belongs to and the nodes it would wait
/// for.
struct Frontier : CaptureDependencies {
  driver::Graph graph = nullptr;
  std::uint64_t captureId = 0;

  enum class Status : std::uint8_t {
    Eager,     ///< the stream is not being captured
    Capturing, ///< everything is filled in
    Refused,   ///< an invalidated capture, or the legacy stream while another is being captured
  };
  /// Reads the state of `stream`.
  static Status read(driver::Stream stream, Frontier &frontier);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_FRONTIER_H
