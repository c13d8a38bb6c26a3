// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much of one resource is used at which time: how many use it at once, what share of it they
// take, and how many blocks run. Does not know what uses it.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_LOADOVERTIME_H
#define GRAPHPROF_OUTPUT_STATISTICS_LOADOVERTIME_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace graphprof {

/// Steps between which the load is the same.
class LoadOverTime {
public:
  struct Use {
    std::int64_t beginNs, endNs;
    double share, blocks;
  };
  explicit LoadOverTime(const std::vector<Use> &uses) {
    std::vector<std::pair<std::int64_t, std::size_t>> changes; // 2 i: begins, 2 i + 1: ends
    changes.reserve(2 * uses.size());
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (uses[i].endNs > uses[i].beginNs) {
        changes.emplace_back(uses[i].beginNs, 2 * i);
        changes.emplace_back(uses[i].endNs, 2 * i + 1);
      }
    std::sort(changes.begin(), changes.end());
    Step now;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const auto &[ns, which] = changes[i];
      const Use &use = uses[which / 2];
      const double sign = which % 2 == 0 ? 1 : -1;
      now.count += sign;
      now.share += sign * use.share;
      now.blocks += sign * use.blocks;
      if (i + 1 < changes.size() && changes[i + 1].first == ns)
        continue;
      from_.push_back(ns);
      steps_.push_back(now);
    }
    makeTree();
  }

  struct Step {
    double count = 0, share = 0, blocks = 0;
  };
  /// The most of each from `beginNs` until `endNs`.
  [[nodiscard]] Step most(std::int64_t beginNs, std::int64_t endNs) const {
    Step found;
    if (endNs <= beginNs || from_.empty())
      return found;
    // The step in which it begins.
    const auto first = std::upper_bound(from_.begin(), from_.end(), beginNs);
    const auto behind = std::lower_bound(from_.begin(), from_.end(), endNs);
    auto low = static_cast<std::size_t>(first - from_.begin());
    low -= low > 0 ? 1 : 0;
    const auto high = static_cast<std::size_t>(behind - from_.begin());
    for (std::size_t l = low + size_, h = std::max(low, high) + size_; l < h; l /= 2, h /= 2) {
      if (l % 2 == 1)
        raise(found, tree_[l++]);
      if (h % 2 == 1)
        raise(found, tree_[--h]);
    }
    return found;
  }
  /// How long, from `beginNs` until `endNs`, `is(step)`.
  template <class Is>
  [[nodiscard]] std::int64_t timeIf(std::int64_t beginNs, std::int64_t endNs, Is is) const {
    std::int64_t ns = 0;
    auto at = static_cast<std::size_t>(std::upper_bound(from_.begin(), from_.end(), beginNs) -
                                       from_.begin());
    for (at -= at > 0 ? 1 : 0; at < from_.size() && from_[at] < endNs; ++at) {
      const std::int64_t until = at + 1 < from_.size() ? from_[at + 1] : endNs;
      if (is(steps_[at]) && std::min(until, endNs) > std::max(from_[at], beginNs))
        ns += std::min(until, endNs) - std::max(from_[at], beginNs);
    }
    return ns;
  }

private:
  static void raise(Step &step, const Step &other) {
    step.count = std::max(step.count, other.count);
    step.share = std::max(step.share, other.share);
    step.blocks = std::max(step.blocks, other.blocks);
  }
  void makeTree() {
    size_ = std::max<std::size_t>(1, steps_.size());
    tree_.resize(2 * size_);
    std::copy(steps_.begin(), steps_.end(), tree_.begin() + static_cast<std::ptrdiff_t>(size_));
    for (std::size_t i = size_ - 1; i > 0; --i) {
      tree_[i] = tree_[2 * i];
      raise(tree_[i], tree_[2 * i + 1]);
    }
  }

  std::vector<std::int64_t> from_;
  std::vector<Step> steps_;
  std::size_t size_ = 1;
  std::vector<Step> tree_; // of maxima; the steps are its leaves
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_LOADOVERTIME_H
