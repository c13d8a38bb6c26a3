// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is said of a merged job in sentences: its clocks, and what could not be used.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ShowMerge.h"
#include "output/data/LossText.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

std::string numbersOf(const Job &job, const JobClock &clock) {
  constexpr std::size_t most = 8;
  std::vector<std::int64_t> numbers;
  for (const std::size_t rank : clock.ranks)
    if (numbers.size() < most)
      numbers.push_back(job.ranks()[rank].number);
  return fmt::format(
      "{} {}{}", clock.ranks.size() == 1 ? "rank" : "ranks", fmt::join(numbers, ", "),
      clock.ranks.size() > most ? fmt::format(" and {} more", clock.ranks.size() - most) : "");
}

std::string driftOf(const JobClock &clock) {
  if (clock.nodes.size() < 2 || clock.driftWithinNsPerS > std::abs(clock.driftNsPerS))
    return "its drift too small to be seen in this time";
  return fmt::format("{} {} in a second", clock.driftNsPerS < 0 ? "losing" : "gaining",
                     formatTime(std::abs(clock.driftNsPerS), false));
}

} // namespace

std::vector<std::string> clockLines(const Job &job, const JobClocks &clocks) {
  std::vector<std::string> lines;
  lines.reserve(clocks.clocks().size());
  for (const JobClock &clock : clocks.clocks()) {
    double known = 0;
    for (const std::size_t rank : clock.ranks)
      known = std::max(known, clocks.uncertaintyNs(rank));
    std::string line = fmt::format("clock of {}{}: ", clock.host.empty() ? "" : clock.host + ", ",
                                   numbersOf(job, clock));
    if (!clock.known)
      line += "not known: no collective in common with the others";
    else if (clock.collectives == 0)
      line += fmt::format("the host's, within {}", formatTime(known, false));
    else
      line += fmt::format("{} {} the first at its begin, {}, within {}; from the ends of {}",
                          formatTime(static_cast<double>(std::abs(clock.aheadNs))),
                          clock.aheadNs < 0 ? "behind" : "ahead of", driftOf(clock),
                          formatTime(known, false),
                          counted(clock.collectives, "collective", "collectives"));
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> mergeRemarks(const MergedJob &merged) {
  std::vector<std::string> said = merged.job.remarks();
  said.insert(said.end(), merged.clocks.remarks().begin(), merged.clocks.remarks().end());
  const auto say = [&](std::uint64_t count, std::string_view one, std::string_view many,
                       std::string_view what) {
    if (count > 0)
      said.push_back(fmt::format("{} {}", counted(count, one, many), what));
  };
  const std::vector<std::uint64_t> &replays = merged.matching.replays();
  const auto [least, most] = std::minmax_element(replays.begin(), replays.end());
  if (*least != *most)
    said.push_back(fmt::format(
        "the ranks recorded different numbers of replays: rank {} {}, rank {} {}",
        merged.job.ranks()[static_cast<std::size_t>(least - replays.begin())].number, *least,
        merged.job.ranks()[static_cast<std::size_t>(most - replays.begin())].number, *most));
  const Unmatched &unmatched = merged.matching.unmatched();
  say(unmatched.replays, "replay", "replays",
      "not compared: other ranks have the graph, but not this launch");
  say(unmatched.replaysAlone, "replay", "replays",
      "not compared: of graphs and regions that one rank has only");
  say(unmatched.collectives, "collective", "collectives",
      "not split: not in the same launch of the other ranks");
  say(unmatched.notMeasured, "collective", "collectives", "not split: not measured on all ranks");
  say(unmatched.twice, "replay", "replays", "in two files of a process: counted once");
  say(merged.split.notComparable(), "collective", "collectives",
      "not split: of ranks whose clocks cannot be compared");
  say(merged.split.impossible(), "collective", "collectives",
      "not split: a rank ended before another began, so they are no collective of all these ranks; "
      "--group says which ranks go together");
  say(merged.split.cold(), "cold launch", "cold launches",
      "left out: some code ran for the first time");
  say(merged.split.rootUnknown(), "broadcast, reduction to one rank, or send",
      "broadcasts, reductions to one rank, or sends",
      "not split: which rank is the root is not known; --root says it");
  say(merged.split.rootContradicted(), "broadcast, reduction to one rank, or send",
      "broadcasts, reductions to one rank, or sends",
      "not split: a rank that would be the root began after another had ended, or ended before "
      "another began; --group says which ranks go together, --root which is the root");
  say(unmatched.sends, "send or receive", "sends and receives",
      "not split: which of more than two ranks talk to each other is not known; --group says it");
  std::uint64_t notSplit = 0, noCollectives = 0;
  for (const Rank &rank : merged.job.ranks()) {
    notSplit += rank.notSplit;
    noCollectives += rank.spans.empty() ? 1 : 0;
  }
  say(notSplit, "record", "records",
      "of NCCL's other kernels not split: who waits for whom in them is not known");
  if (noCollectives > 0)
    said.push_back(fmt::format(
        "{}: record with GRAPHPROF_NODES=1, as graphprof run does, or name the regions around them "
        "with --collectives",
        noCollectives == merged.job.ranks().size()
            ? "there is no collective in the recordings"
            : counted(noCollectives, "rank has", "ranks have") + " no collective"));
  for (const RunFacts &run : merged.job.runs())
    said.insert(said.end(), run.remarks.begin(), run.remarks.end());
  return said;
}

} // namespace graphprof
