// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Samples.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace graphprof::bench_detail {

void Samples::add(const std::vector<double> &ms, std::optional<double> mhz,
                  const std::optional<HeldReplay> &replay) {
  if (ms.empty()) {
    ++lost_;
    return;
  }
  const auto addTo = [&](List &list) {
    for (const double each : ms) {
      list.ms.push_back(each);
      list.mhz.push_back(mhz.value_or(0));
      list.entropy.add(each);
    }
    if (replay)
      list.replays.push_back(*replay);
  };
  addTo(all_);
  if (!isLow(mhz))
    addTo(kept_);
}

bool Samples::settled(const bench_options &options) const {
  const List &list = kept_.ms.empty() ? all_ : kept_;
  if (list.ms.size() < fewestKept)
    return false;
  if (options.stop == bench_stop::entropy)
    return list.entropy.settled();
  std::vector<double> sorted = list.ms;
  std::sort(sorted.begin(), sorted.end());
  const Interval interval = medianInterval(sorted, deviationsOf95);
  return interval.high - interval.low <= 2 * options.relative_precision * quantile(sorted, 0.5);
}

void Samples::fill(bench_result &result) const {
  const List &list = counted();
  result.times_ms = list.ms;
  if (std::none_of(list.mhz.begin(), list.mhz.end(), [](double mhz) { return mhz == 0; }))
    result.sm_clock_mhz = list.mhz;
  result.discarded = few() ? 0 : all_.ms.size() - kept_.ms.size();
}

Rounds::Rounds(std::size_t candidates, double leastMs)
    : leastMs_(leastMs), kept_(candidates), all_(candidates), sums_(candidates), runs_(candidates) {
}

void Rounds::add(std::size_t candidate, const std::vector<double> &ms, bool isLow) {
  isWhole_ = isWhole_ && !ms.empty();
  isLow_ = isLow_ || isLow;
  if (!ms.empty())
    sums_[candidate] += std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
  ++runs_[candidate];
  if (std::all_of(runs_.begin(), runs_.end(), [](std::size_t runs) { return runs == 2; }))
    close();
}

void Rounds::end() {
  if (std::all_of(runs_.begin(), runs_.end(), [](std::size_t runs) { return runs == 1; }))
    close();
}

void Rounds::close() {
  for (std::size_t i = 0; isWhole_ && i < all_.size(); ++i) {
    const double time = sums_[i] / static_cast<double>(runs_[i]);
    all_[i].push_back(time);
    if (!isLow_)
      kept_[i].push_back(time);
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  std::fill(runs_.begin(), runs_.end(), 0);
  isWhole_ = true;
  isLow_ = false;
}

bench_ratio Rounds::ratio(std::size_t candidate) const {
  if (candidate == 0)
    return {};
  if (size() == 0) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    return {unknown, unknown, unknown, bench_verdict::undecided};
  }
  return ratioOf(counted().front(), counted()[candidate], leastMs_);
}

bool Rounds::precise(double relativePrecision) const {
  constexpr std::size_t fewest = 60;
  if (size() < fewest)
    return false;
  for (std::size_t i = 1; i < runs_.size(); ++i)
    if (const bench_ratio ratio = this->ratio(i); ratio.high - ratio.low > 2 * relativePrecision)
      return false;
  return true;
}

} // namespace graphprof::bench_detail
