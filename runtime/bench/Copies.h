// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies of the device memory that a callable uses, so that none of it is in the L2 cache.

#ifndef GRAPHPROF_BENCH_COPIES_H
#define GRAPHPROF_BENCH_COPIES_H

#include <cstddef>
#include <deque>

#include "bench/Gpu.h"
#include "graphprof/detail/bench_work.h"

namespace graphprof::bench_detail {

/// How many copies rotate through how many graphs.
struct Rotation {
  int copies = 1; ///< including the originals
  int graphs = 1; ///< each continues with the copy after the last one of the previous graph
};

/// Enough copies of `bytes` that five times the L2 cache is used between two uses of one copy, all
/// at equal distances. `perGraph`: calls in a graph. Source: flashinfer's calculate_rotation_count,
/// which does not consider that a graph may have fewer calls than there are copies.
[[nodiscard]] Rotation rotationOf(std::size_t bytes, std::size_t l2Bytes, int perGraph);

/// The originals, and copies of them with the same contents, strides and alignment.
class Copies {
public:
  /// Only the originals.
  Copies() = default;
  /// `count` includes the originals. Throws bench_error without memory.
  Copies(Gpu &gpu, const device_ranges &ranges, int count);

  /// Moves the arguments to copy `index`. Null for copy 0, the originals.
  [[nodiscard]] const device_moves *moves(std::size_t index) const {
    return index == 0 ? nullptr : &moves_[index - 1];
  }
  /// The memory of the copies.
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  /// The memory that the copies of `ranges` need.
  [[nodiscard]] static std::size_t bytesOf(const device_ranges &ranges, int count);

private:
  Memory memory_;
  std::deque<device_moves> moves_;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_COPIES_H
