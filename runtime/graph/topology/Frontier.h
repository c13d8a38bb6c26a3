// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The position of a stream under capture. Does not know regions.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_FRONTIER_H
#define GRAPHPROF_GRAPH_TOPOLOGY_FRONTIER_H

#include <cstdint>

#include "clock/ExclusiveCapture.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// The capture of a stream, and the nodes for which its next node would wait.
struct Frontier : CaptureDependencies {
  driver::Graph graph = nullptr;
  std::uint64_t captureId = 0;

  enum class Status : std::uint8_t {
    Eager,     ///< the stream is not being captured
    Capturing, ///< everything is filled in
    Refused,   ///< the capture is invalid; or it is the legacy stream while another one is being
               ///< captured
  };
  /// Reads the state of `stream`.
  static Status read(driver::Stream stream, Frontier &frontier);
  /// The same without the nodes. For a stream that other threads may move meanwhile: the driver's
  /// list of them is valid only until they do.
  static Status readCapture(driver::Stream stream, Frontier &frontier);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_FRONTIER_H
