// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long other streams of the device computed during a copy. Replays of graphs and regions
// outside graphs compute; the copies of steps do not.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_OVERLAP_H
#define GRAPHPROF_OUTPUT_STATISTICS_OVERLAP_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace graphprof {

/// Work of one stream.
struct StreamTime {
  int device;
  std::uint64_t stream; ///< its id
  std::int64_t beginNs, endNs;
};

class Overlap {
public:
  /// Keeps `most` times for each device. Further ones replace the oldest.
  explicit Overlap(std::size_t most = 16'384) : most_(most) {}

  /// In any order; nearly sorted times are fastest.
  void add(const StreamTime &computing);
  /// How long another stream of the same device computed during `copy`, as far as is known now.
  [[nodiscard]] std::int64_t overlappedNs(const StreamTime &copy) const;

private:
  struct OfDevice {
    std::deque<StreamTime> computing; // by begin
    std::int64_t longestNs = 0;
  };
  std::size_t most_;
  std::map<int, OfDevice> devices_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_OVERLAP_H
