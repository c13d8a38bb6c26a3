// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The structure of a program's graph, for pictures, recordings and what is computed of both: plain
// data that never changes.

#ifndef GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H
#define GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphprof/site.h"

namespace graphprof {

/// How many nodes and edges the program's graph has, without those inside its nodes. 0: unknown.
struct GraphCounts {
  std::uint32_t nodes = 0, edges = 0;
  bool operator==(const GraphCounts &) const = default;
};

struct GraphNodes {
  static constexpr std::uint32_t none = UINT32_MAX;
  /// The types of nodes. A binary file has their places here, so new ones come last.
  static constexpr std::array<std::string_view, 13> types = {
      "node",       "kernel",     "memcpy",       "memset",     "host function", "child graph",
      "empty",      "event wait", "event record", "allocation", "free",          "memory operation",
      "conditional"};

  struct Node {
    std::string_view type;            ///< one of `types`
    std::string name;                 ///< its work, as node mode names it; or its type
    std::vector<std::uint32_t> after; ///< the nodes that it waits for
    std::uint32_t region = none;      ///< the innermost region that contains it
    std::uint32_t timed = none;       ///< the region that is this node, if nodes are timed
    std::uint32_t inside = none;      ///< the child or conditional node whose graph contains it
    /// Those of `after` before whose end it may begin: the edge is programmatic, or hangs on a
    /// launch.
    std::vector<std::uint32_t> early;
    /// Of a kernel: its grid, and how many of its blocks fit on the device at once if nothing else
    /// runs. 0: unknown.
    std::uint64_t blocks = 0, resident = 0;
    std::uint32_t threads = 0; ///< of a block
    /// The driver's id of the node among those of its graph, from CUDA 13.1 on.
    std::uint32_t cudaNode = none;

    /// Whether it takes no time of the device: it only orders others, or manages memory.
    [[nodiscard]] bool isInstant() const {
      return type == "empty" || type == "event wait" || type == "event record" ||
             type == "allocation" || type == "free";
    }
  };
  struct Region {
    const Site *site = nullptr; ///< null: unknown
    std::string name;
    int depth = 0;
    std::uint32_t parent = none;
    std::uint32_t inside = none; ///< the conditional node whose body contains it
    bool isNode = false;
  };

  std::vector<Node> nodes;           ///< in the order of creation, those of inner graphs last
  std::vector<Region> regions;       ///< by Record::region
  std::uint64_t looks = 0;           ///< a hash, equal for graphs that look the same
  std::uint32_t multiprocessors = 0; ///< of the device for which it was described; 0: unknown
  /// From a kernel's end to the begin of the one behind it, as measured on that device before the
  /// graph was timed (StampLags); 0: not measured.
  std::int64_t gapNs = 0;
};

/// GraphNodes::looks of it.
[[nodiscard]] std::uint64_t looksOf(const GraphNodes &graph);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H
