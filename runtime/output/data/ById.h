// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a writer keeps of each region, act or thread of its batches, by its id.

#ifndef GRAPHPROF_OUTPUT_BYID_H
#define GRAPHPROF_OUTPUT_BYID_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "output/data/Batch.h"

namespace graphprof {

template <class Kept> class ById {
public:
  /// Keeps `make(thing)` of each of `things`, which are new in a batch, and forgets those before
  /// `from`, which are not met again.
  template <class Things, class Make>
  void take(std::uint64_t from, const Things &things, Make make) {
    while (from_ < from && !kept_.empty()) {
      kept_.pop_front();
      ++from_;
    }
    for (const auto &thing : things) {
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
  std::deque<Kept> kept_;  // ids follow each other
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_BYID_H
