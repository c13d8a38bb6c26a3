// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/SpanMemory.h"

#include <algorithm>
#include <tuple>

#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

// The last span of the thread that had begun; or, if it has ended, the nearest one around it that
// was still open.
std::ptrdiff_t innermostAt(const MemoryEvent &event, std::span<const HostSpan> spans,
                           std::span<const std::ptrdiff_t> containers) {
  const auto behind = std::upper_bound(
      spans.begin(), spans.end(), event, [](const MemoryEvent &at, const auto &span) {
        return std::tuple(at.thread, at.timeNs) < std::tuple(span.thread, span.begin_ns);
      });
  std::ptrdiff_t place = behind - spans.begin() - 1;
  if (place >= 0 && spans[static_cast<std::size_t>(place)].thread != event.thread)
    return -1;
  while (place >= 0) {
    const auto index = static_cast<std::size_t>(place);
    if (spans[index].end_ns >= event.timeNs && spans[index].kind != HostKind::Mark)
      return place;
    place = containers[index];
  }
  return -1;
}

} // namespace

void SpanMemory::add(const MemoryEvent &event) {
  addTo(event.device < 0 ? cpu : device, event.bytes);
  addTo(event.device < 0 ? selfCpu : selfDevice, event.bytes);
}

MemoryInSpans::MemoryInSpans(std::span<const HostSpan> spans,
                             std::span<const std::ptrdiff_t> containers,
                             std::span<const MemoryEvent> events)
    : bySpan(events.empty() ? 0 : spans.size()) {
  for (const MemoryEvent &event : events) {
    const std::ptrdiff_t place = innermostAt(event, spans, containers);
    (place < 0 ? outside.emplace_back() : bySpan[static_cast<std::size_t>(place)]).add(event);
  }
  for (std::size_t i = bySpan.size(); i-- > 0;) { // a span comes after what contains it
    if (containers[i] < 0)
      continue;
    SpanMemory &around = bySpan[static_cast<std::size_t>(containers[i])];
    addTo(around.cpu, bySpan[i].cpu);
    addTo(around.device, bySpan[i].device);
  }
}

} // namespace graphprof
