// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

constexpr unsigned splitBits = 8; // 256 buckets for each power of two

// Values below 512 have one bucket each. The leading 9 bits of larger values select the bucket.
std::size_t bucketOf(std::uint64_t ns) {
  const unsigned width = static_cast<unsigned>(std::bit_width(ns));
  if (width <= splitBits + 1)
    return ns;
  const unsigned shift = width - (splitBits + 1);
  return (static_cast<std::size_t>(shift) << splitBits) + (ns >> shift);
}

// The number of a bucket's values is a power of two; this is the exponent.
std::size_t widthOf(std::size_t bucket) {
  return bucket < (std::size_t{1} << (splitBits + 1)) ? 0 : (bucket >> splitBits) - 1;
}

std::uint64_t lowestOf(std::size_t bucket) {
  const std::size_t width = widthOf(bucket);
  return (bucket - (width << splitBits)) << width;
}

// The middle, rounded to a multiple of the largest power of ten that fits between the bounds. It
// stays between them.
double rounded(double lowest, double highest) {
  const double middle = std::lerp(lowest, highest, 0.5), width = highest - lowest;
  double step = 1;
  while (step * 10 <= width)
    step *= 10;
  return width < step ? middle : std::round(middle / step) * step;
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

Distribution Distribution::ofMean(std::uint64_t count, double meanNs) {
  Distribution made;
  if (count == 0)
    return made;
  const auto ns = static_cast<std::int64_t>(std::llround(meanNs));
  made.count_ = count;
  made.sumNs_ = static_cast<std::int64_t>(std::llround(meanNs * static_cast<double>(count)));
  made.minNs_ = made.maxNs_ = ns;
  made.folded_ = true;
  made.addToBucket(bucketOf(static_cast<std::uint64_t>(ns)), count);
  return made;
}

double Distribution::meanNs() const {
  return count_ ? static_cast<double>(sumNs_) / static_cast<double>(count_) : 0;
}

std::string Distribution::roundedLine(std::string_view quantiles) {
  return fmt::format(
      "{} of many executions (more than {}, or beyond the bound of kept records) are "
      "rounded: off by at most 0.4 %\n",
      quantiles, exactSamples);
}

void Distribution::fold() {
  if (folded_)
    return;
  folded_ = true;
  for (const std::int64_t ns : samples_)
    addToHistogram(ns);
  samples_ = {};
}

void Distribution::add(const Distribution &other) {
  if (other.empty())
    return;
  minNs_ = count_ ? std::min(minNs_, other.minNs_) : other.minNs_;
  maxNs_ = std::max(maxNs_, other.maxNs_);
  addTo(sumNs_, other.sumNs_);
  count_ += other.count_;
  if (other.folded_ || samples_.size() + other.samples_.size() > exactSamples)
    fold();
  if (!folded_) {
    samples_.insert(samples_.end(), other.samples_.begin(), other.samples_.end());
    return;
  }
  for (const std::int64_t ns : other.samples_)
    addToHistogram(ns);
  for (std::size_t i = 0; i < other.histogram_.size(); ++i)
    if (other.histogram_[i] > 0)
      addToBucket(other.firstBucket_ + i, other.histogram_[i]);
}

std::vector<std::uint64_t> Distribution::parts(std::size_t bins, double fromNs, double toNs) const {
  std::vector<std::uint64_t> counts(bins, 0);
  const auto put = [&](double ns, std::uint64_t count) {
    const double part =
        toNs > fromNs ? (ns - fromNs) / (toNs - fromNs) * static_cast<double>(bins) : 0;
    counts[static_cast<std::size_t>(std::clamp(part, 0.0, static_cast<double>(bins) - 1))] += count;
  };
  for (const std::int64_t ns : samples_)
    put(static_cast<double>(ns), 1);
  for (std::size_t i = 0; i < histogram_.size(); ++i)
    if (histogram_[i] > 0) {
      const std::size_t bucket = firstBucket_ + i;
      const auto width = static_cast<double>((std::uint64_t{1} << widthOf(bucket)) - 1);
      put(static_cast<double>(lowestOf(bucket)) + width / 2, histogram_[i]);
    }
  return counts;
}

void Distribution::addToHistogram(std::int64_t ns) {
  addToBucket(bucketOf(static_cast<std::uint64_t>(ns)), 1);
}

void Distribution::addToBucket(std::size_t bucket, std::uint64_t count) {
  if (histogram_.empty()) {
    firstBucket_ = bucket;
  } else if (bucket < firstBucket_) {
    histogram_.insert(histogram_.begin(), firstBucket_ - bucket, 0);
    firstBucket_ = bucket;
  }
  if (bucket - firstBucket_ >= histogram_.size())
    histogram_.resize(bucket - firstBucket_ + 1, 0);
  histogram_[bucket - firstBucket_] += count;
}

Distribution::Bounds Distribution::boundsOf(std::uint64_t rank) const {
  const auto least = static_cast<double>(minNs_), most = static_cast<double>(maxNs_);
  if (rank == 0)
    return {least, least};
  if (rank == count_ - 1)
    return {most, most};
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < histogram_.size(); ++i) {
    before += histogram_[i];
    if (before <= rank)
      continue;
    const std::size_t bucket = firstBucket_ + i;
    const std::uint64_t lowest = lowestOf(bucket);
    const std::uint64_t highest = lowest + ((std::uint64_t{1} << widthOf(bucket)) - 1);
    return {std::max(static_cast<double>(lowest), least),
            std::min(static_cast<double>(highest), most)};
  }
  return {most, most};
}

double Distribution::quantileNs(double q) const {
  if (count_ == 0)
    return 0;
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_ - 1);
  const auto lower = static_cast<std::uint64_t>(position);
  const std::uint64_t upper = std::min(lower + 1, count_ - 1);
  const double weight = position - static_cast<double>(lower);
  if (folded_) {
    const Bounds here = boundsOf(lower), next = boundsOf(upper);
    return rounded(std::lerp(here.lowest, next.lowest, weight),
                   std::lerp(here.highest, next.highest, weight));
  }
  std::vector<std::int64_t> sorted = samples_;
  std::sort(sorted.begin(), sorted.end());
  return std::lerp(static_cast<double>(sorted[lower]), static_cast<double>(sorted[upper]), weight);
}

} // namespace graphprof
