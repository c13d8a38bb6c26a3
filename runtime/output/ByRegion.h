// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a writer keeps of each region of its batches, by the region's id.

#ifndef GRAPHPROF_OUTPUT_BYREGION_H
#define GRAPHPROF_OUTPUT_BYREGION_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "output/Batch.h"

namespace graphprof {

template <class Kept> class ByRegion {
public:
  /// Keeps `make(region)` of each region that is new in `batch`, and forgets those that are not met
  /// again.
  template <class Make> void take(const Batch &batch, Make make) {
    while (from_ < batch.regionsFrom && !kept_.empty()) {
      kept_.pop_front();
      ++from_;
    }
    for (const Batch::Region &region : batch.regions) {
      if (kept_.empty())
        from_ = region.id;
      kept_.push_back(make(region));
    }
  }
  [[nodiscard]] const Kept &of(std::uint64_t id) const {
    return kept_[static_cast<std::size_t>(id - from_)];
  }

private:
  std::uint64_t from_ = 1; // id of the first
  std::deque<Kept> kept_;  // ids follow each other
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_BYREGION_H
