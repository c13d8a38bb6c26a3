// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one place that decides where replays and regions outside graphs are on the time line when
// clocks contradict a stream's order. A stream runs its work one after another. But regions outside
// graphs are timed by events, and most graphs by stamps; each clock is placed on the host's axis by
// itself, as exactly as it can be asked, and an event's time is rounded. So a copy may seem to end
// after the replay behind it has begun. Then the one that is handed on later is moved, as a whole:
// what is measured, a duration, stays. Only if there is less room between two others than its
// events say, it ends where there is no more: by less than events are exact. Knows only times.

#ifndef GRAPHPROF_GRAPH_LAUNCH_STREAMORDER_H
#define GRAPHPROF_GRAPH_LAUNCH_STREAMORDER_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace graphprof {

/// Used by the harvest only.
class StreamOrder {
public:
  /// How far clocks may be apart. What contradicts the order by more is not moved: then the order
  /// is not known, as where two threads launch into one stream at once.
  static constexpr std::int64_t mostNs = 50'000;

  /// How exact an event is: CUDA promises half a microsecond.
  static constexpr std::int64_t eventNs = 500;

  /// Work in a stream.
  struct Work {
    std::int64_t fromNs, untilNs; ///< when the host gave it to the stream: the first and the last
    std::int64_t beginNs, endNs;  ///< on the device, by its clock
    std::int64_t roundedNs = 0;   ///< how much longer than it was it may seem
  };
  struct Move {
    std::int64_t laterNs;   ///< negative: earlier
    std::int64_t shorterNs; ///< at most Work::roundedNs
  };

  /// How the work is moved so that it is in order with what was placed before in its stream: behind
  /// what the stream got before, in front of what it got later, inside a region that was open
  /// around it. What is placed from now on is ordered by the result. If there is no memory, keeps
  /// less.
  [[nodiscard]] Move place(int device, std::uint64_t stream, Work work) noexcept;

private:
  Move tryToPlace(int device, std::uint64_t stream, Work work);

  static constexpr std::size_t mostStreams = 4'096, mostOfStream = 64;

  std::map<std::pair<int, std::uint64_t>, std::deque<Work>> placed_; // the newest last
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_STREAMORDER_H
