// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which of several things are the newest, if each may wait for earlier ones: those for which none
// of the others waits. Knows numbers, not what they stand for.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NEWEST_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NEWEST_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/topology/JaggedArray.h"

namespace graphprof {

class Newest {
public:
  /// Adds the next number, from 0. It waits for `before`, which were added.
  void add(std::span<const std::uint32_t> before);

  /// Sorts `numbers`, and keeps only those for which none of the others waits, directly or through
  /// any numbers; at most `most`, the newest. The time that it takes grows with the count of
  /// `numbers`, not with what was added. A number that would take too long to find out about stays.
  void keepNewest(std::vector<std::uint32_t> &numbers, std::size_t most = SIZE_MAX);

private:
  JaggedArray<std::uint32_t> before_;
  std::vector<std::size_t> seen_; // by number: the search that saw it last
  std::size_t search_ = 0;
  std::vector<std::uint32_t> pending_; // of keepNewest(), a heap; a member to keep its memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NEWEST_H
