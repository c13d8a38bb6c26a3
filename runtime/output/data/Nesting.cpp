// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Nesting.h"

#include <algorithm>

namespace graphprof {

RecordTree::RecordTree(std::span<const Record> records) {
  std::vector<std::ptrdiff_t> open;
  nodes.reserve(records.size());
  for (const Record &record : records) {
    // In a graph, a region that ended before is not around it, whatever its depth: with
    // GRAPHPROF_PARTS, what is around it may have no record here.
    const auto isOver = [&record](const Record &other) {
      return record.exec != 0 && other.clock == record.clock && other.measured() &&
             record.measured() && other.duration_ns > 0 && record.duration_ns > 0 &&
             other.begin_ns + other.duration_ns <= record.begin_ns;
    };
    const auto isAround = [&](const Record &other) {
      return other.depth < record.depth && !isOver(other);
    };
    while (!open.empty() && !isAround(*nodes[static_cast<std::size_t>(open.back())].record))
      open.pop_back();
    const std::ptrdiff_t parent = open.empty() ? -1 : open.back();
    open.push_back(static_cast<std::ptrdiff_t>(nodes.size()));
    nodes.push_back({&record, parent, {}});
    if (parent >= 0 && record.measured())
      nodes[static_cast<std::size_t>(parent)].children.emplace_back(
          record.begin_ns, record.begin_ns + record.duration_ns);
  }
}

std::int64_t RecordTree::Node::selfNs() const {
  auto inside = children;
  std::sort(inside.begin(), inside.end());
  const std::int64_t endNs = record->begin_ns + record->duration_ns;
  std::int64_t ns = record->duration_ns, reached = record->begin_ns;
  for (const auto &[from, to] : inside) {
    const std::int64_t begin = std::max(from, reached), end = std::min(to, endNs);
    if (end > begin) {
      ns -= end - begin;
      reached = end;
    }
  }
  return ns;
}

std::vector<std::ptrdiff_t> containers(std::span<const HostSpan> spans) {
  std::vector<std::ptrdiff_t> found(spans.size(), -1);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    while (!open.empty() && (spans[open.back()].thread != spans[i].thread ||
                             spans[open.back()].end_ns < spans[i].end_ns))
      open.pop_back();
    if (!open.empty())
      found[i] = static_cast<std::ptrdiff_t>(open.back());
    open.push_back(i);
  }
  return found;
}

} // namespace graphprof
