// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which regions of a replay, and which host spans of a thread, contain which.

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

/// The regions of a replay as a tree, from their depths.
struct RecordTree {
  struct Node {
    const Record *record;
    std::ptrdiff_t parent;                                       ///< -1: none
    std::vector<std::pair<std::int64_t, std::int64_t>> children; ///< begins and ends, if measured
    /// Its duration without the time of regions directly inside it, which may overlap. The record
    /// must be measured.
    [[nodiscard]] std::int64_t selfNs() const;
  };
  std::vector<Node> nodes; ///< by record

  /// `records` must outlive it.
  explicit RecordTree(std::span<const Record> records);
};

/// For each span the index of the span that directly contains it; -1: none. The order is that of a
/// trace: by thread, and after what contains it.
[[nodiscard]] std::vector<std::ptrdiff_t> containers(std::span<const HostSpan> spans);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_NESTING_H
