// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Uncertainty.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "Student.h"

namespace graphprof {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// With fewer regions what they have in common cannot be told from what is a region's own.
constexpr std::size_t fewestApart = 8;

using Processes = std::vector<std::optional<ProcessFigure>>;

// Times are compared as logarithms: a process or a change makes everything longer by a factor.
double logOf(double ns) { return std::log(std::max(ns, 1.0)); }

double mean(const std::vector<double> &values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What each process of a side adds to all its regions, as a logarithm.
std::vector<double> inCommon(const std::vector<const Processes *> &regions) {
  std::size_t count = 0;
  for (const Processes *region : regions)
    count = std::max(count, region->size());
  std::vector<std::vector<double>> deviations(count);
  for (const Processes *region : regions) {
    double sum = 0, measured = 0;
    for (const auto &process : *region)
      if (process) {
        sum += logOf(process->ns);
        ++measured;
      }
    for (std::size_t process = 0; process < region->size(); ++process)
      if (const auto &figure = (*region)[process]; figure && measured > 1)
        deviations[process].push_back(logOf(figure->ns) - sum / measured);
  }
  std::vector<double> common;
  common.reserve(count);
  for (std::vector<double> &of : deviations)
    common.push_back(medianOf(std::move(of)));
  return common;
}

// The squares of the deviations from their mean.
double squaresOf(const std::vector<double> &values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values)
    squares += (value - middle) * (value - middle);
  return squares;
}
double rangeOf(const std::vector<double> &values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0 : *most - *least;
}
double freedomOf(const std::vector<double> &values) {
  return values.empty() ? 0 : static_cast<double>(values.size()) - 1;
}

double varianceOf(const std::vector<double> &before, const std::vector<double> &after) {
  const double freedom = freedomOf(before) + freedomOf(after);
  return freedom > 0 ? (squaresOf(before) + squaresOf(after)) / freedom : 0;
}

// One side of one region.
struct OneSide {
  std::vector<double> own; // logarithms of its processes, without what is in common
  double log = 0;          // their mean, with it
  double low = 0, high = 0;
  double within = 0; // the variance of one process by its executions
};

OneSide sideOf(const Processes &processes, const std::vector<double> &common) {
  OneSide side;
  for (std::size_t i = 0; i < processes.size(); ++i)
    if (const auto &process = processes[i]) {
      const double log = logOf(process->ns);
      side.own.push_back(log - (i < common.size() ? common[i] : 0));
      side.log += log;
      side.low += logOf(process->lowNs);
      side.high += logOf(process->highNs);
      side.within += process->variance;
    }
  const auto count = static_cast<double>(std::max<std::size_t>(side.own.size(), 1));
  for (double *const sum : {&side.log, &side.low, &side.high, &side.within})
    *sum /= count;
  return side;
}

struct Region {
  OneSide before, after;
  double variance = 0, freedom = 0;     // its own
  double chosen = 0;                    // by which executions were recorded
  double least = 0;                     // the smallest change that matters, as a logarithm
  double shared = 0, sharedFreedom = 0; // what regions that take as long tell; freedom 0: nothing
  bool isOutlier = false;               // it varies more than that explains
};

// The least ratio of a variance of so many degrees of freedom to the true one that is hardly ever
// passed (1 in 200), or passed by half of them, for 0 (Wilson and Hilferty, PNAS 17, 1931).
double chiSquareRatio(double freedom, double deviations) {
  const double part = 2 / (9 * freedom);
  const double root = 1 - part + deviations * std::sqrt(part);
  return root * root * root;
}
constexpr double hardlyEver = 2.58;

// Fits what regions tell of each other's variance: of each region from its neighbours by duration,
// because short regions vary more. Those that vary far more than their neighbours are like none:
// they neither tell nor are told anything.
void share(std::vector<Region> &regions) {
  constexpr std::size_t fewest = 8, neighbours = 20; // on each side
  constexpr double least = 1e-12;                    // a variance of a millionth, relative
  std::vector<std::size_t> byTime;
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (regions[i].freedom > 0)
      byTime.push_back(i);
  if (byTime.size() < fewest)
    return;
  std::sort(byTime.begin(), byTime.end(), [&](std::size_t a, std::size_t b) {
    const double ofA = regions[a].before.log, ofB = regions[b].before.log;
    return ofA != ofB ? ofA < ofB : a < b;
  });
  const auto around = [&](const std::vector<double> &values, std::size_t i) {
    const std::size_t from = i > neighbours ? i - neighbours : 0,
                      to = std::min(i + neighbours + 1, values.size());
    return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(from),
                               values.begin() + static_cast<std::ptrdiff_t>(to));
  };
  std::vector<double> logs;
  logs.reserve(byTime.size());
  for (const std::size_t i : byTime)
    logs.push_back(
        std::log(std::max(regions[i].variance, least) / chiSquareRatio(regions[i].freedom, 0)));
  std::vector<std::size_t> alike;
  for (std::size_t i = 0; i < byTime.size(); ++i) {
    Region &region = regions[byTime[i]];
    region.shared = std::exp(medianOf(around(logs, i)));
    region.isOutlier = region.variance > region.shared * chiSquareRatio(region.freedom, hardlyEver);
    if (!region.isOutlier)
      alike.push_back(byTime[i]);
  }
  if (alike.size() < fewest)
    return;
  std::vector<double> smooth;
  double expected = 0; // the variance that the logarithms have by chance
  logs.clear();
  for (const std::size_t i : alike) {
    const double half = regions[i].freedom / 2;
    logs.push_back(std::log(std::max(regions[i].variance, least)) - digamma(half) + std::log(half));
    expected += trigamma(half) / static_cast<double>(alike.size());
  }
  double spread = 0;
  for (std::size_t i = 0; i < alike.size(); ++i) {
    const std::vector<double> near = around(logs, i);
    smooth.push_back(mean(near));
    const auto counted = static_cast<double>(near.size());
    spread += (logs[i] - smooth[i]) * (logs[i] - smooth[i]) * counted / (counted - 1) /
              static_cast<double>(alike.size());
  }
  const double freedom = spread <= expected ? unlimited : 2 * inverseTrigamma(spread - expected);
  for (std::size_t i = 0; i < alike.size(); ++i) {
    Region &region = regions[alike[i]];
    region.sharedFreedom = freedom;
    region.shared = std::exp(
        smooth[i] + (freedom == unlimited ? 0 : digamma(freedom / 2) - std::log(freedom / 2)));
  }
}

// What processes have in common is a median of their regions, which is off by what is theirs: that
// is counted with them.
double commonVariance(const std::vector<Region> &regions, double ofMedians) {
  std::vector<double> variances;
  variances.reserve(regions.size());
  for (const Region &region : regions)
    if (region.freedom > 0)
      variances.push_back(region.variance / chiSquareRatio(region.freedom, 0));
  constexpr double ofMedian = 1.57; // pi / 2: its variance, to that of a mean
  return std::max(ofMedians - ofMedian * medianOf(std::move(variances)) /
                                  static_cast<double>(std::max<std::size_t>(regions.size(), 1)),
                  0.0);
}

// Regions that visibly have modes: a side's processes are far apart, where those of others are not,
// and so far that it matters. (A step of the timer is 1 % of a short region.)
Modes modesOf(const std::vector<Region> &regions) {
  // A kernel kept one of 1.72, 1.82 and 1.87 us (H200): what is not seen may be as large.
  constexpr double usual = 1.1, more = 1.5;
  Modes modes{regions.size(), 0, std::log(usual)};
  for (const Region &region : regions) {
    const double range = std::max(rangeOf(region.before.own), rangeOf(region.after.own));
    if (!region.isOutlier || range < region.least)
      continue;
    ++modes.seen;
    modes.amplitude = std::max(modes.amplitude, more * range);
  }
  return modes;
}

struct Error {
  double standard, half;
};
// The error that all regions share is drawn once, so it need not be sure for each of them.
Error errorOf(const Spread &spread, const Certainty &certainty) {
  const double weight = 1 / spread.before + 1 / spread.after;
  Error error{std::sqrt((spread.variance + spread.common) * weight + spread.chosen), 0};
  const auto part = [&](double variance, double alpha, double freedom) {
    return variance > 0 ? std::sqrt(variance * weight) * studentQuantile(alpha, freedom) : 0;
  };
  error.half = std::hypot(part(spread.variance, certainty.region, spread.freedom),
                          part(spread.common, certainty.common, spread.ownFreedom),
                          std::sqrt(spread.chosen) * studentQuantile(certainty.region, unlimited));
  return error;
}

Spread spreadOf(const Region &region, double common) {
  Spread spread;
  spread.variance = region.variance;
  spread.freedom = region.freedom > 0 ? region.freedom : unlimited;
  spread.ownFreedom = region.freedom;
  spread.common = region.freedom > 0 ? common : 0;
  spread.chosen = region.freedom > 0 ? region.chosen : 0;
  spread.before = static_cast<double>(region.before.own.size());
  spread.after = static_cast<double>(region.after.own.size());
  if (region.sharedFreedom == unlimited) {
    spread.variance = region.shared;
    spread.freedom = unlimited;
  } else if (region.sharedFreedom > 0) {
    spread.freedom = region.sharedFreedom + region.freedom;
    spread.variance =
        (region.sharedFreedom * region.shared + region.freedom * region.variance) / spread.freedom;
  }
  return spread;
}

} // namespace

bool Modes::excludedBy(double before, double after, double alpha) const {
  // Of a region with two modes that are as likely: one side all of one, the other all of the other.
  const double chance = std::exp2(1 - before - after);
  // Where none of n regions shows modes, up to 3 / n of them may have some (with 95 %). That a
  // region is one of these, and shows it in this way, must be less likely still than alpha.
  constexpr double ofNone = 3, tenth = 0.1;
  return static_cast<double>(seen) * chance <= alpha &&
         std::min(ofNone / static_cast<double>(regions), 1.0) * chance <= tenth * alpha;
}

double Interval::seen() const {
  const Error error = errorOf(spread, certainty);
  const double change = error.half + error.standard;
  return std::exp(modes.excludedBy(spread.before, spread.after, certainty.alpha)
                      ? change
                      : std::max(change, modes.amplitude));
}

std::optional<std::size_t> Interval::moreToSee(double least) const {
  constexpr std::size_t most = 1000;
  const auto enough = [&](std::size_t more) {
    Spread with = spread;
    with.before += static_cast<double>(more);
    with.after += static_cast<double>(more);
    with.freedom += 2 * static_cast<double>(more);
    with.ownFreedom += 2 * static_cast<double>(more);
    const Error error = errorOf(with, certainty);
    return error.half + error.standard <= std::log(least) &&
           modes.excludedBy(with.before, with.after, certainty.alpha);
  };
  std::size_t low = 0, high = 1;
  while (!enough(high)) {
    if (high > most)
      return std::nullopt;
    low = high;
    high *= 2;
  }
  while (high - low > 1)
    (enough((low + high) / 2) ? high : low) = (low + high) / 2;
  return high;
}

Certainty certaintyOf(double alpha, const std::vector<std::size_t> &families, std::size_t figures) {
  std::size_t intervals = 0, commons = 0;
  for (const std::size_t regions : families) {
    intervals += regions * figures;
    commons += regions >= fewestApart ? figures : 0;
  }
  const double part = commons > 0 ? alpha / 2 : alpha;
  const auto each = [](double of, std::size_t count) {
    return of / static_cast<double>(std::max<std::size_t>(count, 1));
  };
  return {alpha, each(part, intervals), each(part, commons)};
}

std::vector<Interval> intervals(const std::vector<Pairing> &pairings, const Certainty &certainty) {
  std::vector<const Processes *> befores, afters;
  for (const Pairing &pairing : pairings) {
    befores.push_back(&pairing.before);
    afters.push_back(&pairing.after);
  }
  const bool apart = pairings.size() >= fewestApart;
  const std::vector<double> commonBefore = apart ? inCommon(befores) : std::vector<double>(),
                            commonAfter = apart ? inCommon(afters) : std::vector<double>();

  std::vector<Region> regions;
  regions.reserve(pairings.size());
  for (const Pairing &pairing : pairings) {
    Region &region = regions.emplace_back();
    region.before = sideOf(pairing.before, commonBefore);
    region.after = sideOf(pairing.after, commonAfter);
    region.least = std::log1p(pairing.least);
    region.chosen = pairing.otherExecutions ? region.before.within + region.after.within : 0;
    region.freedom = freedomOf(region.before.own) + freedomOf(region.after.own);
    region.variance = region.freedom > 0 ? varianceOf(region.before.own, region.after.own)
                                         : (region.before.within + region.after.within) / 2;
  }
  share(regions);
  const double common = commonVariance(regions, varianceOf(commonBefore, commonAfter));
  const Modes modes = modesOf(regions);

  std::vector<Interval> result;
  result.reserve(regions.size());
  for (const Region &region : regions) {
    Interval &interval = result.emplace_back();
    interval.spread = spreadOf(region, common);
    interval.modes = modes;
    interval.certainty = certainty;
    const double estimate = region.after.log - region.before.log,
                 half = errorOf(interval.spread, certainty).half;
    double low = std::min(estimate, region.after.low - region.before.high) - half,
           high = std::max(estimate, region.after.high - region.before.low) + half;
    // Of one process a side, an interval says nothing of others anyway.
    if (region.freedom > 0 && std::abs(estimate) <= modes.amplitude && (low > 0 || high < 0) &&
        !modes.excludedBy(interval.spread.before, interval.spread.after, certainty.alpha)) {
      interval.mayBeModes = true;
      low = std::min(low, 0.0);
      high = std::max(high, 0.0);
    }
    interval.ratio = std::exp(estimate);
    interval.low = std::exp(low);
    interval.high = std::exp(high);
  }
  return result;
}

} // namespace graphprof
