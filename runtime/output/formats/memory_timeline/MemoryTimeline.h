// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much memory of a device was allocated at each time: torch.profiler's memory timeline
// (torch/profiler/_memory_profiler.py), in its two forms of JSON. Does not draw: `graphprof html`
// does, from a recording.
//
// What existed before the first event is PREEXISTING: each block that is freed during the
// recording, and for each kind the rest, which follows from the total in an event.

#ifndef GRAPHPROF_OUTPUT_FORMATS_MEMORY_TIMELINE_MEMORYTIMELINE_H
#define GRAPHPROF_OUTPUT_FORMATS_MEMORY_TIMELINE_MEMORYTIMELINE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "output/data/MemoryEvent.h"

namespace graphprof {

/// The device that "cpu", "cuda" or "cuda:1" means; -1 is the host. An empty text means the first
/// device with events, GPUs before the host. nullopt for anything else.
[[nodiscard]] std::optional<int> memoryDevice(std::string_view text,
                                              std::span<const MemoryEvent> events);

class MemoryTimeline {
public:
  /// torch.profiler's actions, with its numbers.
  enum class Action : unsigned char { Preexisting, Create, IncrementVersion, Destroy };
  static constexpr std::size_t categories = 5; ///< MemoryKind's, with its numbers
  using Sizes = std::array<std::int64_t, categories>;

  /// What happened to one block. If a new block replaces one whose free was not seen, there are two
  /// points with IncrementVersion.
  struct Point {
    std::int64_t timeNs; ///< since the Unix epoch; -1: before the recording
    Action action;
    std::int64_t bytes; ///< negative: freed
    MemoryKind kind;
  };

  /// `held`: what was allocated when the recording began. It is needed for kinds without events.
  MemoryTimeline(std::span<const MemoryEvent> events, int device,
                 std::span<const MemoryHeld> held = {});

  [[nodiscard]] bool empty() const { return points_.empty(); }
  [[nodiscard]] const std::vector<Point> &points() const { return points_; }

  /// [[time in ns, action, bytes, category], ...]
  [[nodiscard]] std::string rawJson() const;
  /// [[time in us, ...], [[0, bytes of category 0, ...], ...]]: what exists from each time on.
  [[nodiscard]] std::string json() const;

private:
  std::vector<MemoryEvent> events_; // of the device, by time
  std::vector<Point> points_;       // by time; those before the recording first
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_MEMORY_TIMELINE_MEMORYTIMELINE_H
