// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/MemoryEvent.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace graphprof {

void sortByTime(std::vector<MemoryEvent> &events) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  order.reserve(events.size());
  for (const MemoryEvent &event : events)
    order.emplace_back(event.timeNs, order.size());
  std::sort(order.begin(), order.end());
  std::vector<MemoryEvent> sorted;
  sorted.reserve(events.size());
  for (const auto &[timeNs, index] : order)
    sorted.push_back(events[index]);
  events = std::move(sorted);
}

} // namespace graphprof
