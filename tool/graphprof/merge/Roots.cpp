// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Roots.h"

#include <algorithm>

namespace graphprof {

Roots::Roots(const Job &job, const Matching &matching, const JobClocks &clocks,
             const std::vector<SaidRoot> &said) {
  matching.forEachOneWay([&](const Occurrence &occurrence) {
    if (!clocks.comparable(occurrence))
      return;
    const std::size_t size = occurrence.ranks.size();
    Evidence &evidence =
        evidence_[{occurrence.path, {occurrence.ranks.begin(), occurrence.ranks.end()}}];
    evidence.against.resize(size);
    const auto beginNs = [&](std::size_t i) {
      return clocks.toFirst(occurrence.ranks[i], occurrence.spans[i].beginNs);
    };
    // Whether the one had ended when the other began.
    const auto endedBefore = [&](std::size_t one, std::size_t other) {
      return static_cast<double>(beginNs(other) - beginNs(one) - occurrence.spans[one].durationNs) >
             clocks.uncertaintyNs(occurrence.ranks[one]) +
                 clocks.uncertaintyNs(occurrence.ranks[other]);
    };
    const bool toRoot = job.flow(occurrence.path) == Flow::ToRoot;
    for (std::size_t i = 0; i < size; ++i) {
      bool isAgainst = false;
      for (std::size_t other = 0; other < size && !isAgainst; ++other)
        isAgainst = other != i && (toRoot ? endedBefore(i, other) : endedBefore(other, i));
      evidence.against[i] += isAgainst ? 1 : 0;
    }
  });
  for (auto &[key, evidence] : evidence_) {
    const auto &[path, ranks] = key;
    const auto excluded = [](std::uint64_t count) { return count >= leastEvidence; };
    const auto left = std::count(evidence.against.begin(), evidence.against.end(), 0U);
    const auto out = std::count_if(evidence.against.begin(), evidence.against.end(), excluded);
    std::size_t root = none;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      for (const SaidRoot &one : said)
        if (root == none && job.ranks()[ranks[i]].number == one.rank &&
            std::regex_search(job.paths()[path], one.paths))
          root = i;
    const bool isSaid = root != none;
    if (!isSaid && left == 1 && out + 1 == static_cast<std::ptrdiff_t>(ranks.size()))
      root =
          static_cast<std::size_t>(std::find(evidence.against.begin(), evidence.against.end(), 0U) -
                                   evidence.against.begin());
    evidence.contradicts = left == 0 || (isSaid && excluded(evidence.against[root]));
    if (root != none && !evidence.contradicts)
      evidence.root = ranks[root];
  }
}

const Roots::Evidence &Roots::evidenceOf(const Occurrence &occurrence) const {
  return evidence_.at({occurrence.path, {occurrence.ranks.begin(), occurrence.ranks.end()}});
}

std::size_t Roots::of(const Occurrence &occurrence) const { return evidenceOf(occurrence).root; }

bool Roots::contradicts(const Occurrence &occurrence) const {
  return evidenceOf(occurrence).contradicts;
}

} // namespace graphprof
