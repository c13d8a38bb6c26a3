// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The transitive reduction of a graph: the graph without edges that other edges imply. NCCL's
// collectives are captured with such edges, because each waits for the previous one and for the
// work in between. Nodes that the caller declares transparent, such as event nodes, count as the
// edges through them.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_REDUCTION_H
#define GRAPHPROF_GRAPH_TOPOLOGY_REDUCTION_H

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Reduction {
public:
  /// For the graph of `shape`. `isTransparent`: by place.
  Reduction(const Shape &shape, std::vector<bool> isTransparent);

  [[nodiscard]] bool isTransparent(std::size_t place) const { return isTransparent_[place]; }
  /// Whether a node waits for nothing, apart from transparent nodes.
  [[nodiscard]] bool isRoot(std::size_t place) const {
    return isKnown_[place] && before_[place].empty();
  }
  /// The only node for which `place`, which is not transparent, waits; nullopt: none or several.
  [[nodiscard]] std::optional<std::size_t> onlyBefore(std::size_t place) const;
  /// The only node before a transparent place, apart from transparent ones; for another place, that
  /// place.
  [[nodiscard]] std::optional<std::size_t> workAt(std::size_t place) const;
  /// The only node behind `place`, if it waits for nothing else and was created later. For a
  /// transparent place: if it waits for nothing that `place` does not wait for.
  [[nodiscard]] std::optional<std::size_t> onlyFollower(std::size_t place) const;
  /// Whether the only node behind `place`, which is not transparent, waits for others, too.
  [[nodiscard]] bool isFollowedByJoin(std::size_t place) const;

private:
  /// Fills before_ for the next place.
  void addBefore(std::size_t place);
  /// Whether `later` waits for `earlier` through nodes that were created in between. False if the
  /// search takes too many steps.
  [[nodiscard]] bool waits(std::size_t later, std::size_t earlier);
  void noteFollower(std::size_t place, std::size_t follower);

  const Shape &shape_;
  std::vector<bool> isTransparent_;
  JaggedArray<std::size_t> before_;   // by place, sorted
  std::vector<bool> isKnown_;         // by place: false if a node waits for one created later
  std::vector<bool> isWhole_;         // by place: it waits for the whole of the nodes before it
  std::vector<std::size_t> follower_; // by place: the only one; or none; or several
  std::vector<std::size_t> sources_, kept_, pending_; // of addBefore(), waits(); to keep memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_REDUCTION_H
