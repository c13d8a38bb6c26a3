// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The structure of a program's graph, for pictures: plain data that never changes.

#ifndef GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H
#define GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graphprof/site.h"

namespace graphprof {

struct GraphNodes {
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Node {
    std::string_view type; ///< "kernel", "memcpy", ...
    std::string name;      ///< its work, as node mode names it; or its type
    std::vector<std::uint32_t> after;
    std::uint32_t region = none; ///< the innermost region that contains it
    std::uint32_t timed = none;  ///< the region that is this node, if nodes are timed
    std::uint32_t inside = none; ///< the child or conditional node whose graph contains it
  };
  struct Region {
    const Site *site = nullptr; ///< null: unknown
    std::string name;
    int depth = 0;
    std::uint32_t parent = none;
    std::uint32_t inside = none; ///< the conditional node whose body contains it
    bool isNode = false;
  };

  std::vector<Node> nodes;     ///< in the order of creation, those of inner graphs last
  std::vector<Region> regions; ///< by Record::region
  std::uint64_t looks = 0;     ///< a hash, equal for graphs that look the same
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H
