// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What an output has found out about the regions of a layout (Replay::layout), so that it looks at
// names and context values once, not in every replay. Does not know what that is.

#ifndef GRAPHPROF_OUTPUT_DATA_LAYOUTS_H
#define GRAPHPROF_OUTPUT_DATA_LAYOUTS_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/Replay.h"

namespace graphprof {

/// A `Finding` for each region of each layout. Bounded: with too many it starts again.
template <class Finding> class Layouts {
public:
  /// The findings of this replay's layout, one for each record. If they are unknown,
  /// `find(findings)` fills an empty vector.
  template <class Find> const std::vector<Finding> &of(const Replay &replay, Find find) {
    const auto known = byLayout_.find(replay.layout);
    if (known != byLayout_.end() && known->second.size() == replay.records.size())
      return known->second;
    std::vector<Finding> findings;
    find(findings);
    if (replay.layout == 0 || known != byLayout_.end())
      return single_ = std::move(findings);
    if (kept_ + findings.size() > most) {
      byLayout_.clear();
      kept_ = 0;
    }
    kept_ += findings.size();
    return byLayout_.emplace(replay.layout, std::move(findings)).first->second;
  }

private:
  static constexpr std::size_t most = 100'000;

  std::unordered_map<std::uint64_t, std::vector<Finding>> byLayout_;
  std::size_t kept_ = 0;        // in all of byLayout_
  std::vector<Finding> single_; // of the last replay without a layout
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_LAYOUTS_H
