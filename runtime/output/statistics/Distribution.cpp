// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

constexpr unsigned splitBits = 7; // 128 buckets for each power of two

// Values below 256 have one bucket each. The leading 8 bits of larger values select the bucket.
std::size_t bucketOf(std::uint64_t ns) {
  const unsigned width = static_cast<unsigned>(std::bit_width(ns));
  if (width <= splitBits + 1)
    return ns;
  const unsigned shift = width - (splitBits + 1);
  return (static_cast<std::size_t>(shift) << splitBits) + (ns >> shift);
}

// The middle of a bucket's values.
double middleOf(std::size_t bucket) {
  if (bucket < (std::size_t{1} << (splitBits + 1)))
    return static_cast<double>(bucket);
  const std::size_t shift = (bucket >> splitBits) - 1;
  const std::uint64_t lowest = (bucket - (shift << splitBits)) << shift;
  return static_cast<double>(lowest) + static_cast<double>((std::uint64_t{1} << shift) - 1) / 2;
}

} // namespace

void Distribution::add(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  minNs_ = count_ ? std::min(minNs_, ns) : ns;
  maxNs_ = std::max(maxNs_, ns);
  addTo(sumNs_, ns);
  ++count_;
  if (!folded_ && samples_.size() == exactSamples)
    fold();
  if (folded_)
    addToHistogram(ns);
  else
    samples_.push_back(ns);
}

double Distribution::meanNs() const {
  return count_ ? static_cast<double>(sumNs_) / static_cast<double>(count_) : 0;
}

void Distribution::fold() {
  if (folded_)
    return;
  folded_ = true;
  for (const std::int64_t ns : samples_)
    addToHistogram(ns);
  samples_ = {};
}

void Distribution::addToHistogram(std::int64_t ns) {
  const std::size_t bucket = bucketOf(static_cast<std::uint64_t>(ns));
  if (histogram_.empty()) {
    firstBucket_ = bucket;
  } else if (bucket < firstBucket_) {
    histogram_.insert(histogram_.begin(), firstBucket_ - bucket, 0);
    firstBucket_ = bucket;
  }
  if (bucket - firstBucket_ >= histogram_.size())
    histogram_.resize(bucket - firstBucket_ + 1, 0);
  ++histogram_[bucket - firstBucket_];
}

double Distribution::sampleAt(std::uint64_t rank) const {
  if (rank == 0)
    return static_cast<double>(minNs_);
  if (rank == count_ - 1)
    return static_cast<double>(maxNs_);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < histogram_.size(); ++i) {
    before += histogram_[i];
    if (before > rank)
      return std::clamp(middleOf(firstBucket_ + i), static_cast<double>(minNs_),
                        static_cast<double>(maxNs_));
  }
  return static_cast<double>(maxNs_);
}

double Distribution::quantileNs(double q) const {
  if (count_ == 0)
    return 0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_ - 1);
  const auto lower = static_cast<std::uint64_t>(position);
  const std::uint64_t upper = std::min(lower + 1, count_ - 1);
  const double weight = position - static_cast<double>(lower);
  if (folded_)
    return std::lerp(sampleAt(lower), sampleAt(upper), weight);
  std::vector<std::int64_t> sorted = samples_;
  std::sort(sorted.begin(), sorted.end());
  return std::lerp(static_cast<double>(sorted[lower]), static_cast<double>(sorted[upper]), weight);
}

} // namespace graphprof
