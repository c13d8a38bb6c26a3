// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The durations of one region: count, sum, extremes and quantiles, in bounded memory.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_DISTRIBUTION_H
#define GRAPHPROF_OUTPUT_STATISTICS_DISTRIBUTION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphprof {

/// Durations in nanoseconds. Count, sum, minimum and maximum are exact. Quantiles are exact up to
/// `exactSamples` samples. Beyond that, or after fold(), the samples are in a histogram that splits
/// each power of two into 256 buckets. A quantile is then rounded to as many digits as its bucket
/// tells, and off by at most 1/256 (0.4 %) of its value. This bound holds for any distribution and
/// order of samples, unlike with a reservoir.
/// Source of the idea: HdrHistogram (Tene) and DDSketch (Masson, Rim, Lee, VLDB 2019).
class Distribution {
public:
  static constexpr std::size_t exactSamples = 4096;

  /// Negative durations count as zero.
  void add(std::int64_t ns);
  /// So many, of which only the mean is known: each counts as that long.
  [[nodiscard]] static Distribution ofMean(std::uint64_t count, double meanNs);
  /// Adds all of another one. They stay exact if there are few enough.
  void add(const Distribution &other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::int64_t sumNs() const { return sumNs_; }
  [[nodiscard]] std::int64_t minNs() const { return minNs_; } ///< 0 when empty
  [[nodiscard]] std::int64_t maxNs() const { return maxNs_; } ///< 0 when empty
  [[nodiscard]] double meanNs() const;                        ///< 0 when empty

  /// The q-quantile, 0 <= q <= 1, interpolated linearly between neighbouring samples as numpy does
  /// by default (the median of an even number of samples is the mean of the middle two).
  [[nodiscard]] double quantileNs(double q) const;
  /// Whether quantiles are exact. If not, an output says so, and prints no more digits than they
  /// have.
  [[nodiscard]] bool exact() const { return !folded_; }
  /// The line below a table in which they are not.
  [[nodiscard]] static std::string roundedLine(std::string_view quantiles);
  [[nodiscard]] bool empty() const { return count_ == 0; }

  /// How many lie in each of `bins` equal parts of the time from `fromNs` to `toNs`. Those outside
  /// count in the first or last one.
  [[nodiscard]] std::vector<std::uint64_t> parts(std::size_t bins, double fromNs,
                                                 double toNs) const;

  /// Moves the samples into the histogram now, to free their memory.
  void fold();
  /// How many single samples are kept.
  [[nodiscard]] std::size_t kept() const { return samples_.size(); }

private:
  void addToHistogram(std::int64_t ns);
  void addToBucket(std::size_t bucket, std::uint64_t count);
  struct Bounds {
    double lowest, highest;
  };
  [[nodiscard]] Bounds
  boundsOf(std::uint64_t rank) const; // of the sample there, from the histogram

  std::uint64_t count_ = 0;
  std::int64_t sumNs_ = 0;
  std::int64_t minNs_ = 0;
  std::int64_t maxNs_ = 0;
  bool folded_ = false;
  std::vector<std::int64_t> samples_; // until folded
  std::vector<std::uint64_t>
      histogram_; // when folded: a count for each bucket from firstBucket_ on
  std::size_t firstBucket_ = 0;
};

/// Limits the number of single samples that many distributions keep in total.
class SharedBound {
public:
  explicit SharedBound(std::size_t mostSamples) : most_(mostSamples) {}

  /// Adds to one of them. Folds it first if there are too many samples.
  void add(Distribution &durations, std::int64_t ns) {
    const std::size_t before = durations.kept();
    if (kept_ >= most_)
      durations.fold();
    durations.add(ns);
    kept_ = kept_ - before + durations.kept();
  }

private:
  const std::size_t most_;
  std::size_t kept_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_DISTRIBUTION_H
