// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one step of a graph's making took of the device's memory, as outputs get it.

#ifndef GRAPHPROF_OUTPUT_DATA_GRAPHMEMORY_H
#define GRAPHPROF_OUTPUT_DATA_GRAPHMEMORY_H

#include <cstdint>
#include <string_view>

namespace graphprof {

struct GraphMemoryStep {
  enum class What : std::uint8_t {
    Capture,
    Instantiate,
    Update,
    Upload,
    FirstLaunch,
    Own, ///< by graphprof, which no other step contains
  };

  What what = What::Capture;
  std::uint64_t graph = 0; ///< its number, as in replays; 0: of a capture that never became an
                           ///< exec, or of what graphprof has for all graphs
  int device = -1;
  std::int64_t timeNs = 0;    ///< when it had ended: host time since the Unix epoch
  std::int64_t bytes = 0;     ///< by which free memory fell; negative: it rose
  std::int64_t poolBytes = 0; ///< of these: by which the pool for what graphs allocate grew
  /// Of a capture: what the capturing thread allocated outside the graph. Of an instantiation: the
  /// graph's nodes that allocate.
  std::uint64_t allocations = 0, allocatedBytes = 0;
  /// It met a step of another thread: which of them took what is not certain.
  bool overlaps = false;
};

/// "capture", "instantiate", "update", "upload", "first launch", "graphprof".
constexpr std::string_view word(GraphMemoryStep::What what) {
  switch (what) {
  case GraphMemoryStep::What::Capture:
    return "capture";
  case GraphMemoryStep::What::Instantiate:
    return "instantiate";
  case GraphMemoryStep::What::Update:
    return "update";
  case GraphMemoryStep::What::Upload:
    return "upload";
  case GraphMemoryStep::What::FirstLaunch:
    return "first launch";
  case GraphMemoryStep::What::Own:
    return "graphprof";
  }
  return "";
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_GRAPHMEMORY_H
