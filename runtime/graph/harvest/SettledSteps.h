// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Of which steps everything has been handed on: what the program's threads gave away before a pass,
// once the regions outside graphs that were taken until then are done. Knows only numbers.

#ifndef GRAPHPROF_GRAPH_HARVEST_SETTLEDSTEPS_H
#define GRAPHPROF_GRAPH_HARVEST_SETTLEDSTEPS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace graphprof {

/// For the harvest. Bounded: with too many notes, the last ones become one, which comes later.
class SettledSteps {
public:
  /// All of the steps before `first` has been handed on, except for what is among the first `taken`
  /// regions.
  void note(std::int64_t first, std::uint64_t taken) {
    if (first <= (notes_.empty() ? told_ : notes_.back().first))
      return;
    if (notes_.size() < most)
      notes_.push_back({first, taken});
    else
      notes_.back() = {first, taken};
  }
  /// `handedOn` regions are done: the step before which nothing can come any more, if it is another
  /// one than the last time.
  [[nodiscard]] std::optional<std::int64_t> news(std::uint64_t handedOn) {
    const std::int64_t before = told_;
    for (; !notes_.empty() && notes_.front().taken <= handedOn; notes_.pop_front())
      told_ = notes_.front().first;
    return told_ == before ? std::nullopt : std::optional(told_);
  }

private:
  struct Note {
    std::int64_t first;
    std::uint64_t taken;
  };
  static constexpr std::size_t most = 64;
  std::deque<Note> notes_; // both numbers grow
  std::int64_t told_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVEST_SETTLEDSTEPS_H
