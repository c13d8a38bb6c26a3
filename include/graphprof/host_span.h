// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a thread of the program did, by the host's clock. Plain data, beside the records of the
// device (graphprof/record.h).

#ifndef GRAPHPROF_HOST_SPAN_H
#define GRAPHPROF_HOST_SPAN_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "graphprof/site.h"
#include "graphprof/value.h"

namespace graphprof {
inline namespace v1 {

/// What a host span is of.
enum class HostKind : std::uint8_t {
  Region, ///< a region, as its thread went through it: outside graphs, in a capture, or where a
          ///< graph was built
  Launch, ///< a launch of a graph, for as long as the call to the driver took: "cudaGraphLaunch"
  Step,   ///< a step (graphprof/step.h): "ProfilerStep#3"
  Copy,   ///< a copy from the host to the device in a step: "h2d"
  Mark,   ///< a moment: end_ns is begin_ns
  Range,  ///< a range that the program pushed and popped
};

/// One stretch of time of one thread. Spans of a thread nest if one contains the other, as
/// torch.profiler's do. A step contains what its thread did in it. What a span points to is valid
/// as long as its source says (a Trace, a callback), except `site`, which lives as long as the
/// program.
struct HostSpan {
  HostKind kind = HostKind::Region;
  /// Of a region: it was captured, or built into a graph, so its work runs in replays.
  bool captured = false;
  std::string_view name;
  const Site *site = nullptr;     ///< of a region or a copy; else null
  const Value *context = nullptr; ///< context_size values, in the annotation's order
  std::size_t context_size = 0;
  std::uint64_t thread = 0;     ///< as the kernel numbers it (gettid())
  std::string_view thread_name; ///< as it was called when its first span ended
  std::int64_t begin_ns = 0;    ///< nanoseconds since the Unix epoch
  std::int64_t end_ns = 0;      ///< likewise; not before begin_ns
  std::int64_t step = -1;       ///< in which it began, from 0; -1: in none
  std::uint64_t graph = 0;      ///< of a launch, as in its records; 0: a graph that is not timed
  std::uint64_t exec = 0;       ///< of a launch, as in its records; 0: an exec that is not timed
  std::uint64_t replay = 0;     ///< of a launch of such an exec: its number
  std::uint64_t bytes = 0;      ///< of a copy
  int device = -1;              ///< of a copy: CUDA ordinal; -1: not known

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - begin_ns; }
};

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_HOST_SPAN_H
