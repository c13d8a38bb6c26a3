// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/chrome_trace/TraceRows.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace graphprof {

void nest(std::span<TraceSpan> spans) {
  std::vector<std::size_t> open; // the innermost last
  for (std::size_t i = 0; i < spans.size(); ++i) {
    std::erase_if(open, [&](std::size_t at) { return spans[at].endNs <= spans[i].beginNs; });
    const auto around = std::find_if(open.rbegin(), open.rend(), [&](std::size_t at) {
      return spans[at].endNs >= spans[i].endNs;
    });
    spans[i].parent = around == open.rend() ? -1 : static_cast<std::ptrdiff_t>(*around);
    open.push_back(i);
  }
}

std::vector<unsigned> assignRows(std::span<const TraceSpan> spans) {
  // By begin; then the longer first; then parents before children.
  std::vector<std::size_t> order(spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    const TraceSpan &l = spans[left], &r = spans[right];
    return std::tuple(l.beginNs, -l.endNs, left) < std::tuple(r.beginNs, -r.endNs, right);
  });

  const auto encloses = [&](std::size_t outer, std::size_t inner) {
    if (spans[inner].endNs > spans[outer].endNs)
      return false;
    std::ptrdiff_t ancestor = spans[inner].parent;
    while (ancestor > static_cast<std::ptrdiff_t>(outer)) // ancestors have smaller indices
      ancestor = spans[static_cast<std::size_t>(ancestor)].parent;
    return ancestor == static_cast<std::ptrdiff_t>(outer);
  };

  std::vector<std::vector<std::size_t>> rows; // the open spans of each row, the innermost last
  std::vector<unsigned> result(spans.size());
  for (const std::size_t span : order) {
    const std::ptrdiff_t parent = spans[span].parent;
    std::size_t row = parent < 0 ? 0 : result[static_cast<std::size_t>(parent)];
    for (;; ++row) {
      if (row >= rows.size())
        rows.resize(row + 1);
      std::vector<std::size_t> &open = rows[row];
      while (!open.empty() && spans[open.back()].endNs <= spans[span].beginNs)
        open.pop_back();
      if (open.empty() || encloses(open.back(), span))
        break;
    }
    rows[row].push_back(span);
    result[span] = static_cast<unsigned>(row);
  }
  return result;
}

} // namespace graphprof
