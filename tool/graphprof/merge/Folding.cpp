// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Folding.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "output/io/ShortName.h"

namespace graphprof {

namespace {

constexpr double alike = 0.1; // medians that differ by less agree

bool agree(const Distribution &one, const Distribution &other, double uncertaintyNs) {
  if (one.empty() || other.empty())
    return one.empty() == other.empty();
  const double ns = one.quantileNs(0.5), otherNs = other.quantileNs(0.5);
  return std::abs(ns - otherNs) <= std::max(uncertaintyNs, alike * std::max(ns, otherNs));
}

bool agree(const CollectiveRow &one, const CollectiveRow &other) {
  const double uncertaintyNs = std::max(one.uncertaintyNs, other.uncertaintyNs);
  return one.flow == other.flow && one.roots == other.roots &&
         one.lastMostOften() == other.lastMostOften() &&
         agree(one.longest, other.longest, uncertaintyNs) &&
         agree(one.transferring, other.transferring, uncertaintyNs);
}

void add(RankShare &to, const RankShare &other) {
  to.waiting.add(other.waiting);
  to.transferring.add(other.transferring);
  to.last += other.last;
  to.known += other.known;
  to.knownNs += other.knownNs;
  to.uncertaintyNs = std::max(to.uncertaintyNs, other.uncertaintyNs);
  to.busy.add(other.busy);
}

void add(CollectiveRow &to, const CollectiveRow &other) {
  to.paths += other.paths;
  to.count += other.count;
  to.longest.add(other.longest);
  to.transferring.add(other.transferring);
  to.lastUnknown += other.lastUnknown;
  to.uncertaintyNs = std::max(to.uncertaintyNs, other.uncertaintyNs);
  to.busy.add(other.busy);
  for (std::size_t rank = 0; rank < to.ranks.size(); ++rank)
    add(to.ranks[rank], other.ranks[rank]);
}

} // namespace

std::deque<CollectiveRow> folded(std::deque<CollectiveRow> rows) {
  std::deque<CollectiveRow> all;
  struct Shown {
    CollectiveRow first; // before others were added: what they have to agree with
    CollectiveRow *row;
  };
  std::map<std::string, std::vector<Shown>> byName;
  for (CollectiveRow &row : rows) {
    std::vector<Shown> &known = byName[withoutNumbers(row.path)];
    const auto like = std::find_if(known.begin(), known.end(),
                                   [&](const Shown &shown) { return agree(shown.first, row); });
    if (like == known.end()) {
      CollectiveRow first = row;
      known.push_back({std::move(first), &all.emplace_back(std::move(row))});
      continue;
    }
    add(*like->row, row);
    like->row->path = withoutNumbers(like->row->path);
  }
  return all;
}

bool beyondChance(std::uint64_t times, std::uint64_t all, std::size_t ranks) {
  if (ranks < 2 || times * ranks <= all)
    return false;
  const auto n = static_cast<double>(all), p = 1 / static_cast<double>(ranks);
  double tail = 0; // of the binomial distribution
  for (std::uint64_t i = times; i <= all; ++i) {
    const auto k = static_cast<double>(i);
    const double term = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                 k * std::log(p) + (n - k) * std::log1p(-p));
    tail += term;
    if (term < 1e-9 * tail || tail > 1)
      break; // above the mean, terms fall
  }
  constexpr double oneOf = 0.01;
  return tail * static_cast<double>(ranks) < oneOf;
}

} // namespace graphprof
