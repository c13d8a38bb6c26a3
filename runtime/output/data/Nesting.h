// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What contains what: the regions of a replay, and the host spans of a thread.

#ifndef GRAPHPROF_OUTPUT_DATA_NESTING_H
#define GRAPHPROF_OUTPUT_DATA_NESTING_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graphprof/host_span.h"
#include "graphprof/record.h"

namespace graphprof {

/// The regions of a replay as a tree, by their depths.
struct RecordTree {
  struct Node {
    const Record *record;
    std::ptrdiff_t parent;                                       ///< -1: none
    std::vector<std::pair<std::int64_t, std::int64_t>> children; ///< begins and ends, measured ones
    /// Its duration without the time in which something directly inside it ran. What is inside may
    /// overlap. Of a record that was measured.
    [[nodiscard]] std::int64_t selfNs() const;
  };
  std::vector<Node> nodes; ///< by record

  /// `records` must outlive it.
  explicit RecordTree(std::span<const Record> records);
};

/// For each span the place of the one that directly contains it; -1: none does. In the order of a
/// trace's: thread by thread, what contains a span before it.
[[nodiscard]] std::vector<std::ptrdiff_t> containers(std::span<const HostSpan> spans);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_NESTING_H
