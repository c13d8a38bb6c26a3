// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a writer keeps for each region, act or thread of its batches, by id.

#ifndef GRAPHPROF_OUTPUT_DATA_BYID_H
#define GRAPHPROF_OUTPUT_DATA_BYID_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "output/data/Batch.h"

namespace graphprof {

template <class Kept> class ById {
public:
  /// Keeps `make(thing)` for each of a batch's `things` that is new, and forgets those before
  /// `from`, which do not occur again. Invalidates what of() returned.
  template <class Thing, class Make>
  void take(std::uint64_t from, const std::vector<Thing> &things, Make make) {
    if (from_ < from) {
      const auto most = static_cast<std::ptrdiff_t>(kept_.size());
      kept_.erase(kept_.begin(),
                  kept_.begin() + std::min(most, static_cast<std::ptrdiff_t>(from - from_)));
      from_ = from;
    }
    for (const Thing &thing : newOf(things, from_ + kept_.size())) {
      if (kept_.empty())
        from_ = thing.id;
      kept_.push_back(make(thing));
    }
  }
  [[nodiscard]] const Kept &of(std::uint64_t id) const {
    return kept_[static_cast<std::size_t>(id - from_)];
  }
  [[nodiscard]] Kept &of(std::uint64_t id) { return kept_[static_cast<std::size_t>(id - from_)]; }

private:
  std::uint64_t from_ = 1; // id of the first
  std::vector<Kept> kept_; // ids are consecutive
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_BYID_H
