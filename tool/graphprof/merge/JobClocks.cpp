// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "JobClocks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "output/io/Units.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

namespace {

constexpr double nsOfS = 1e9;

// Rounded down between the middle two. Changes the order.
std::int64_t median(std::vector<std::int64_t> &values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1)
    return *middle;
  const std::int64_t below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

} // namespace

std::int64_t JobClock::toFirst(std::int64_t ns) const {
  if (nodes.empty())
    return ns - aheadNs;
  const auto at = static_cast<double>(ns - fromNs);
  auto behind = std::upper_bound(nodes.begin(), nodes.end(), at,
                                 [](double time, const Node &node) { return time < node.atNs; });
  double ahead = nodes.front().aheadNs;
  if (nodes.size() > 1) { // beyond the first and the last, as between the two beside them
    behind = std::clamp(behind, nodes.begin() + 1, nodes.end() - 1);
    const auto before = behind - 1;
    ahead = before->aheadNs + (at - before->atNs) * (behind->aheadNs - before->aheadNs) /
                                  (behind->atNs - before->atNs);
  }
  constexpr double most = 1e18; // of times that make no sense
  return ns - aheadNs - std::llround(std::clamp(ahead, -most, most));
}

JobClocks::JobClocks(const Job &job, const Matching &matching) : job_(job) {
  assign();
  separate(matching);
  clocks_.front().known = true;
  while (alignSome(matching)) {
  }
  measure(matching);
}

bool JobClocks::comparable(const Occurrence &occurrence) const {
  return std::all_of(occurrence.ranks.begin(), occurrence.ranks.end(),
                     [this](std::size_t rank) { return of(rank).known; });
}

// One for each host. Where a recording does not say its host, its clock is its own.
void JobClocks::assign() {
  std::map<std::string, std::size_t> hosts;
  for (std::size_t i = 0; i < job_.ranks().size(); ++i) {
    const std::string &host = job_.ranks()[i].host;
    const auto known = host.empty() ? hosts.end() : hosts.find(host);
    std::size_t clock = clocks_.size();
    if (known != hosts.end()) {
      clock = known->second;
    } else {
      clocks_.emplace_back().host = host;
      if (!host.empty())
        hosts.emplace(host, clock);
    }
    clockOf_.push_back(clock);
    clocks_[clock].ranks.push_back(i);
  }
}

// Two machines may have one name, such as that of a container, or a device's clock could not be
// read well.
void JobClocks::separate(const Matching &matching) {
  std::vector<std::vector<std::int64_t>> apart(job_.ranks().size());
  constexpr std::size_t enough = 20'000;
  matching.forEach([&](const Occurrence &occurrence) {
    std::map<std::size_t, std::int64_t> first; // of each clock
    for (std::size_t i = 0; i < occurrence.ranks.size(); ++i) {
      const std::size_t rank = occurrence.ranks[i];
      const std::int64_t endNs = occurrence.spans[i].endNs();
      const auto [of, isFirst] = first.try_emplace(clockOf_[rank], endNs);
      if (!isFirst && apart[rank].size() < enough)
        apart[rank].push_back(endNs - of->second);
    }
  });
  for (std::size_t rank = 0; rank < apart.size(); ++rank) {
    if (apart[rank].empty())
      continue;
    const std::int64_t ns = median(apart[rank]);
    if (std::abs(ns) <= notOneClockNs)
      continue;
    JobClock &shared = clocks_[clockOf_[rank]];
    remarks_.push_back(fmt::format(
        "rank {} says that it ran on {} like rank {}, but their collectives end {} apart in the "
        "median, so its clock is taken for another one; if they take part in different "
        "collectives, --group says which ranks go together",
        job_.ranks()[rank].number, shared.host, job_.ranks()[shared.ranks.front()].number,
        formatTime(static_cast<double>(std::abs(ns)))));
    std::erase(shared.ranks, rank);
    JobClock own;
    own.host = shared.host;
    own.ranks = {rank};
    clockOf_[rank] = clocks_.size();
    clocks_.push_back(std::move(own));
  }
}

// Aligns those that have collectives in common with one that is aligned already. Returns whether
// there were any.
bool JobClocks::alignSome(const Matching &matching) {
  std::vector<std::vector<Sample>> samples(clocks_.size());
  std::vector<std::int64_t> aligned;
  matching.forEach([&](const Occurrence &occurrence) {
    aligned.clear();
    std::map<std::size_t, std::vector<std::int64_t>> others;
    for (std::size_t i = 0; i < occurrence.ranks.size(); ++i) {
      const std::size_t rank = occurrence.ranks[i];
      const std::int64_t endNs = occurrence.spans[i].endNs();
      if (of(rank).known)
        aligned.push_back(toFirst(rank, endNs));
      else
        others[clockOf_[rank]].push_back(endNs);
    }
    if (aligned.empty() || others.empty())
      return;
    const std::int64_t endNs = median(aligned);
    for (auto &[clock, ends] : others) {
      const std::int64_t own = median(ends);
      samples[clock].push_back({own, own - endNs});
    }
  });
  bool some = false;
  for (std::size_t i = 0; i < clocks_.size(); ++i)
    if (!samples[i].empty()) {
      follow(clocks_[i], std::move(samples[i]));
      some = true;
    }
  return some;
}

// The course of the clock: medians of collectives that follow each other, so that single late ends
// do not count, with a line from one to the next.
void JobClocks::follow(JobClock &clock, std::vector<Sample> samples) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample &a, const Sample &b) { return a.atNs < b.atNs; });
  clock.known = true;
  clock.collectives = samples.size();
  clock.fromNs = samples.front().atNs;
  clock.aheadNs = samples.front().aheadNs;
  constexpr std::size_t least = 16, most = 512;
  const std::size_t size = samples.size();
  const std::size_t parts = size < 4 ? 1 : std::clamp(size / least, std::size_t{2}, most);
  std::vector<std::int64_t> at, ahead;
  for (std::size_t part = 0; part < parts; ++part) {
    at.clear();
    ahead.clear();
    for (std::size_t i = size * part / parts; i < size * (part + 1) / parts; ++i) {
      at.push_back(samples[i].atNs - clock.fromNs);
      ahead.push_back(samples[i].aheadNs - clock.aheadNs);
    }
    const JobClock::Node node{static_cast<double>(median(at)), static_cast<double>(median(ahead))};
    if (clock.nodes.empty() || node.atNs > clock.nodes.back().atNs)
      clock.nodes.push_back(node);
  }
  const JobClock::Node &first = clock.nodes.front(), &last = clock.nodes.back();
  if (last.atNs > first.atNs)
    clock.driftNsPerS = (last.aheadNs - first.aheadNs) / (last.atNs - first.atNs) * nsOfS;
  clock.aheadNs = clock.fromNs - clock.toFirst(clock.fromNs); // by the line, not by one collective
  const double moved = static_cast<double>(clock.aheadNs - samples.front().aheadNs);
  for (JobClock::Node &node : clock.nodes)
    node.aheadNs -= moved;
}

void JobClocks::measure(const Matching &matching) {
  std::vector<Distribution> off(job_.ranks().size());
  constexpr std::size_t mostSamples = 4'000'000;
  SharedBound bound(mostSamples);
  std::vector<std::int64_t> ends, inOrder;
  matching.forEach([&](const Occurrence &occurrence) {
    if (!comparable(occurrence))
      return;
    ends.clear();
    for (std::size_t i = 0; i < occurrence.ranks.size(); ++i)
      ends.push_back(toFirst(occurrence.ranks[i], occurrence.spans[i].endNs()));
    inOrder = ends;
    const std::int64_t middle = median(inOrder);
    for (std::size_t i = 0; i < ends.size(); ++i)
      bound.add(off[occurrence.ranks[i]], std::abs(ends[i] - middle));
  });
  constexpr double most = 0.9; // of the ends
  for (std::size_t rank = 0; rank < off.size(); ++rank)
    uncertaintyNs_.push_back(std::max(job_.ranks()[rank].timedByEvents ? eventNs : stampNs,
                                      off[rank].empty() ? 0 : off[rank].quantileNs(most)));
  for (JobClock &clock : clocks_)
    if (clock.nodes.size() > 1) {
      double known = 0;
      for (const std::size_t rank : clock.ranks)
        known = std::max(known, uncertaintyNs_[rank]);
      clock.driftWithinNsPerS =
          2 * known / (clock.nodes.back().atNs - clock.nodes.front().atNs) * nsOfS;
    }
}

} // namespace graphprof
