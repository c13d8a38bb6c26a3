// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much of a copy the device spent computing in other streams. What computes is replays of
// graphs and regions outside graphs; the copies of steps themselves do not.

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
  std::uint64_t stream; ///< id
  std::int64_t beginNs, endNs;
};

class Overlap {
public:
  /// Keeps `most` times of a device; further ones push out the oldest.
  explicit Overlap(std::size_t most = 16'384) : most_(most) {}

  /// In any order, though the later the nearer to the end.
  void add(const StreamTime &computing);
  /// For how long of `copy` another stream of its device computed, as far as is known now.
  [[nodiscard]] std::int64_t overlappedNs(const StreamTime &copy) const;

private:
  struct OfDevice {
    std::deque<StreamTime> computing; // by begin
    std::int64_t longestNs = 0;
  };
  const std::size_t most_;
  std::map<int, OfDevice> devices_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_OVERLAP_H
