// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Blocks.h"

#include <algorithm>
#include <numeric>

namespace graphprof {

namespace {

double median(std::vector<double>::iterator begin, std::vector<double>::iterator end) {
  const auto middle = begin + (end - begin) / 2;
  std::nth_element(begin, middle, end);
  if ((end - begin) % 2 != 0)
    return *middle;
  return (*middle + *std::max_element(begin, middle)) / 2;
}

} // namespace

void Blocks::add(std::int64_t ns) {
  ++count_;
  raw_.push_back(static_cast<double>(ns));
  if (raw_.size() == (folded_ ? ofBlock : mostRaw))
    fold(raw_.size() / ofBlock);
}

// Makes `count` blocks, of lengths that differ by one at most, of what is in no block yet.
void Blocks::fold(std::size_t count) {
  folded_ = true;
  for (std::size_t i = 0; i < count; ++i)
    push(median(raw_.begin() + static_cast<std::ptrdiff_t>(raw_.size() * i / count),
                raw_.begin() + static_cast<std::ptrdiff_t>(raw_.size() * (i + 1) / count)));
  raw_.clear();
}

void Blocks::push(double medianNs) {
  pendingSum_ += medianNs;
  if (++pending_ < perValue_)
    return;
  values_.push_back(pendingSum_ / static_cast<double>(perValue_));
  pending_ = 0;
  pendingSum_ = 0;
  if (values_.size() < mostValues)
    return;
  for (std::size_t i = 0; i < values_.size() / 2; ++i)
    values_[i] = (values_[2 * i] + values_[2 * i + 1]) / 2;
  values_.resize(values_.size() / 2);
  perValue_ *= 2;
}

void Blocks::finish() {
  // A median of fewer than eight is moved by a single late execution.
  constexpr std::size_t least = 8, most = 16;
  if (!folded_ && !raw_.empty())
    fold(std::clamp(raw_.size() / least, std::min<std::size_t>(raw_.size(), 2), most));
  raw_ = {};
  values_.shrink_to_fit();
  if (!values_.empty())
    meanNs_ =
        std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
}

} // namespace graphprof
