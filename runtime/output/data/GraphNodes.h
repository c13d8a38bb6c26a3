// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graph of the program's is made of, for pictures of it: plain data, never changed.

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
    std::string name;      ///< what it does, as node mode says it; or its type
    std::vector<std::uint32_t> after;
    std::uint32_t region = none; ///< the innermost one that it is in
    std::uint32_t timed = none;  ///< the region that it is itself, where nodes are timed
    std::uint32_t inside = none; ///< the child or conditional node in whose graph it is
  };
  struct Region {
    const Site *site = nullptr; ///< null: not known
    std::string name;
    int depth = 0;
    std::uint32_t parent = none;
    std::uint32_t inside = none; ///< the conditional node in whose body it is
    bool isNode = false;
  };

  std::vector<Node> nodes;     ///< in the order in which they were created; of graphs in it, later
  std::vector<Region> regions; ///< by Record::region
  std::uint64_t looks = 0;     ///< a hash: the same for graphs that look alike
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_GRAPHNODES_H
