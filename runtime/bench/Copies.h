// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies of the device memory that a callable works on, for it to find none of it in the L2 cache.

#ifndef GRAPHPROF_BENCH_COPIES_H
#define GRAPHPROF_BENCH_COPIES_H

#include <cstddef>
#include <deque>

#include "bench/Gpu.h"
#include "graphprof/detail/bench_work.h"

namespace graphprof::bench_detail {

/// How many copies are rotated through how many graphs.
struct Rotation {
  int copies = 1; ///< the originals included
  int graphs = 1; ///< each begins with the copy behind the last one of the graph before
};

/// Enough copies of `bytes` for five times the L2 cache to be used between two uses of one, of
/// which each is used as long after its last use as the others: `perGraph` calls a graph. Source:
/// flashinfer's calculate_rotation_count, which forgets the copies that a graph has no call for.
[[nodiscard]] Rotation rotationOf(std::size_t bytes, std::size_t l2Bytes, int perGraph);

/// The originals and copies of them with the same contents, strides and alignment.
class Copies {
public:
  /// The originals alone.
  Copies() = default;
  /// `count` of them. Throws bench_error where there is no memory.
  Copies(Gpu &gpu, const device_ranges &ranges, int count);

  /// What moves the arguments to copy `index`; null for the originals, copy 0.
  [[nodiscard]] const device_moves *moves(std::size_t index) const {
    return index == 0 ? nullptr : &moves_[index - 1];
  }
  /// Of the copies.
  [[nodiscard]] std::size_t bytes() const { return memory_.bytes(); }
  /// What the copies of `ranges` take.
  [[nodiscard]] static std::size_t bytesOf(const device_ranges &ranges, int count);

private:
  Memory memory_;
  std::deque<device_moves> moves_;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_COPIES_H
