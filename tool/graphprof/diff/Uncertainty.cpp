// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Uncertainty.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "Student.h"

namespace graphprof {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Times are compared as logarithms: a process or a change makes everything longer by a factor.
double logOf(double ns) { return std::log(std::max(ns, 1.0)); }

double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Numbers that are the same in every run (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
class Draws {
public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    std::uint64_t bits = state_ += 0x9e37'79b9'7f4a'7c15;
    bits = (bits ^ bits >> 30) * 0xbf58'476d'1ce4'e5b9;
    bits = (bits ^ bits >> 27) * 0x94d0'49bb'1331'11eb;
    return static_cast<std::size_t>((bits ^ bits >> 31) % bound);
  }

private:
  std::uint64_t state_;
};

// One process of one side: its time, without what it has in common with other regions.
struct Process {
  const Blocks *blocks;
  double log;
};
using OneSide = std::vector<Process>;

double meanLog(const OneSide &side) {
  double sum = 0;
  for (const Process &process : side)
    sum += process.log;
  return sum / static_cast<double>(side.size());
}

// Of the mean of a process's blocks, relative: the inner level of the bootstrap alone.
double within(const Blocks &blocks) {
  const std::vector<double> &values = blocks.values();
  if (values.size() < 2)
    return 0;
  const double middle = blocks.meanNs();
  double sum = 0;
  for (const double value : values)
    sum += (value - middle) * (value - middle);
  const auto count = static_cast<double>(values.size());
  return sum / (count - 1) / count / std::max(middle * middle, 1.0);
}

// The variance of one process's logarithm, drawn: processes of a side with replacement, and within
// each its blocks. Few processes vary less among themselves than all do; the draws are corrected
// for that, and for the blocks' share, which is in both levels.
double drawnVariance(const OneSide &before, const OneSide &after, std::uint64_t seed) {
  constexpr int draws = 200;
  Draws random(seed);
  std::vector<double> differences;
  differences.reserve(draws);
  struct Level {
    double middle, between;
  };
  const auto levelOf = [](const OneSide &side) {
    const double middle = meanLog(side), count = static_cast<double>(side.size());
    double squares = 0, inner = 0;
    for (const Process &process : side) {
      squares += (process.log - middle) * (process.log - middle);
      inner += within(*process.blocks) / count;
    }
    if (side.size() < 2 || squares <= 0)
      return Level{middle, 0};
    // What the draw of a process contributes is the variance between processes alone.
    const double variance = squares / (count - 1);
    return Level{middle,
                 std::sqrt(std::max(variance - inner, 0.0) / variance * count / (count - 1))};
  };
  const Level ofBefore = levelOf(before), ofAfter = levelOf(after);
  const auto drawn = [&random](const OneSide &side, const Level &level) {
    double sum = 0;
    for (std::size_t i = 0; i < side.size(); ++i) {
      const Process &process = side[random.below(side.size())];
      const std::vector<double> &values = process.blocks->values();
      double blocks = 0;
      for (std::size_t k = 0; k < values.size(); ++k)
        blocks += values[random.below(values.size())];
      blocks /= static_cast<double>(values.size());
      sum += level.middle + (process.log - level.middle) * level.between + logOf(blocks) -
             logOf(process.blocks->meanNs());
    }
    return sum / static_cast<double>(side.size());
  };
  for (int i = 0; i < draws; ++i)
    differences.push_back(drawn(after, ofAfter) - drawn(before, ofBefore));
  const double middle = mean(differences);
  double squares = 0;
  for (const double difference : differences)
    squares += (difference - middle) * (difference - middle);
  return squares / (draws - 1) /
         (1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size()));
}

double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// What each process of a side adds to all its regions, as a logarithm.
std::vector<double> inCommon(const std::vector<std::vector<const Blocks *>> &regions) {
  std::size_t count = 0;
  for (const auto &region : regions)
    count = std::max(count, region.size());
  std::vector<std::vector<double>> deviations(count);
  for (const auto &region : regions) {
    double sum = 0, measured = 0;
    for (const Blocks *blocks : region)
      if (blocks) {
        sum += logOf(blocks->meanNs());
        ++measured;
      }
    for (std::size_t process = 0; process < region.size(); ++process)
      if (region[process] && measured > 1)
        deviations[process].push_back(logOf(region[process]->meanNs()) - sum / measured);
  }
  std::vector<double> common;
  common.reserve(count);
  for (std::vector<double> &of : deviations)
    common.push_back(medianOf(std::move(of)));
  return common;
}

double varianceOf(const std::vector<double> &before, const std::vector<double> &after) {
  double squares = 0, freedom = 0;
  for (const auto *side : {&before, &after}) {
    if (side->size() < 2)
      continue;
    const double middle = mean(*side);
    for (const double value : *side)
      squares += (value - middle) * (value - middle);
    freedom += static_cast<double>(side->size()) - 1;
  }
  return freedom > 0 ? squares / freedom : 0;
}

// A region's own variance, and what those that take as long tell of it.
struct Own {
  double variance = 0, freedom = 0, logNs = 0;
  double shared = 0, sharedFreedom = 0; // the prior; freedom 0: none
};

// Fits the prior: of each region from its neighbours by duration, because short regions vary more.
void share(std::vector<Own> &regions) {
  constexpr std::size_t fewest = 8, neighbours = 20; // on each side
  constexpr double least = 1e-12;                    // a variance of a millionth, relative
  std::vector<std::size_t> byTime;
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (regions[i].freedom > 0)
      byTime.push_back(i);
  if (byTime.size() < fewest)
    return;
  std::sort(byTime.begin(), byTime.end(), [&](std::size_t a, std::size_t b) {
    return regions[a].logNs != regions[b].logNs ? regions[a].logNs < regions[b].logNs : a < b;
  });
  std::vector<double> logs(byTime.size()), smooth(byTime.size()), residuals;
  double expected = 0; // the variance that the logarithms have by chance
  for (std::size_t i = 0; i < byTime.size(); ++i) {
    const Own &region = regions[byTime[i]];
    logs[i] = std::log(std::max(region.variance, least)) - digamma(region.freedom / 2) +
              std::log(region.freedom / 2);
    expected += trigamma(region.freedom / 2) / static_cast<double>(byTime.size());
  }
  for (std::size_t i = 0; i < byTime.size(); ++i) {
    const std::size_t from = i > neighbours ? i - neighbours : 0,
                      to = std::min(i + neighbours + 1, byTime.size());
    smooth[i] = std::accumulate(logs.begin() + static_cast<std::ptrdiff_t>(from),
                                logs.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
                static_cast<double>(to - from);
    const double counted = static_cast<double>(to - from);
    residuals.push_back((logs[i] - smooth[i]) * std::sqrt(counted / std::max(counted - 1, 1.0)));
  }
  double spread = 0;
  for (const double residual : residuals)
    spread += residual * residual / static_cast<double>(residuals.size());
  const bool alike = spread <= expected; // no more than by chance
  const double freedom = alike ? unlimited : 2 * inverseTrigamma(spread - expected);
  for (std::size_t i = 0; i < byTime.size(); ++i) {
    Own &region = regions[byTime[i]];
    region.sharedFreedom = freedom;
    region.shared =
        std::exp(smooth[i] + (alike ? 0 : digamma(freedom / 2) - std::log(freedom / 2)));
  }
}

// The processes of one side, with what is theirs alone of a region's time.
OneSide sideOf(const std::vector<const Blocks *> &all, const std::vector<double> &common) {
  OneSide side;
  for (std::size_t process = 0; process < all.size(); ++process)
    if (all[process])
      side.push_back({all[process], logOf(all[process]->meanNs()) -
                                        (process < common.size() ? common[process] : 0)});
  return side;
}

// With what the processes have in common.
double wholeMeanLog(const OneSide &side) {
  double sum = 0;
  for (const Process &process : side)
    sum += logOf(process.blocks->meanNs());
  return sum / static_cast<double>(side.size());
}

struct Spread {
  double variance = 0, freedom = 0;
};

// A region's own variance, drawn towards that of the regions that take as long, and the common one.
Spread spreadOf(const Own &own, double commonVariance) {
  Spread spread{own.variance, own.freedom > 0 ? own.freedom : unlimited};
  if (own.sharedFreedom == unlimited) {
    spread = {own.shared, unlimited};
  } else if (own.sharedFreedom > 0) {
    spread.freedom = own.sharedFreedom + own.freedom;
    spread.variance =
        (own.sharedFreedom * own.shared + own.freedom * own.variance) / spread.freedom;
  }
  if (own.freedom > 0 && commonVariance > 0) { // Satterthwaite's degrees of freedom
    const double sum = spread.variance + commonVariance;
    spread.freedom =
        sum * sum /
        (commonVariance * commonVariance / own.freedom +
         (spread.freedom == unlimited ? 0 : spread.variance * spread.variance / spread.freedom));
    spread.variance = sum;
  }
  return spread;
}

} // namespace

std::vector<Interval> intervals(const std::vector<Pairing> &pairings, double alpha) {
  std::vector<std::vector<const Blocks *>> befores, afters;
  for (const Pairing &pairing : pairings) {
    befores.push_back(pairing.before);
    afters.push_back(pairing.after);
  }
  // With few regions the common part cannot be told from a region's own.
  constexpr std::size_t enough = 8;
  const bool apart = pairings.size() >= enough;
  const std::vector<double> commonBefore = apart ? inCommon(befores) : std::vector<double>(),
                            commonAfter = apart ? inCommon(afters) : std::vector<double>();
  const double commonVariance = varianceOf(commonBefore, commonAfter);

  std::vector<Own> regions(pairings.size());
  std::vector<double> estimates(pairings.size()), weights(pairings.size());
  for (std::size_t i = 0; i < pairings.size(); ++i) {
    const OneSide before = sideOf(pairings[i].before, commonBefore),
                  after = sideOf(pairings[i].after, commonAfter);
    const double logBefore = wholeMeanLog(before);
    estimates[i] = wholeMeanLog(after) - logBefore;
    weights[i] = 1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size());
    regions[i] = {drawnVariance(before, after, i + 1),
                  static_cast<double>(before.size() + after.size()) - 2, logBefore, 0, 0};
  }
  share(regions);

  std::vector<Interval> result;
  for (std::size_t i = 0; i < pairings.size(); ++i) {
    const Spread spread = spreadOf(regions[i], commonVariance);
    const double half =
        studentQuantile(alpha / static_cast<double>(pairings.size()), spread.freedom) *
        std::sqrt(spread.variance * weights[i]);
    result.push_back(
        {std::exp(estimates[i]), std::exp(estimates[i] - half), std::exp(estimates[i] + half)});
  }
  return result;
}

} // namespace graphprof
