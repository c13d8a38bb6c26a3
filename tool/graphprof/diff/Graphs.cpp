// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Graphs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

std::string listed(std::string_view what, std::vector<std::pair<double, std::string_view>> &rows) {
  if (rows.empty())
    return {};
  std::ranges::sort(rows, std::greater<>());
  constexpr std::size_t most = 3;
  double rest = 0;
  std::string text(what);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i < most)
      text += fmt::format("{} {} ({} a replay)", i == 0 ? "" : ",", rows[i].second,
                          formatTime(std::max(rows[i].first, 0.0)));
    else
      rest += std::max(rows[i].first, 0.0);
  if (rows.size() > most)
    text += fmt::format(" and {} more ({})", rows.size() - most, formatTime(rest));
  return text;
}

// What ran in a graph of `side` and not in `other`, the outermost, the longest first.
std::string listed(std::string_view what, const Side &side,
                   const std::map<std::size_t, std::size_t> &matches, std::uint64_t graph,
                   const std::set<std::size_t> &other) {
  const auto isAlone = [&](std::size_t subject) {
    const auto match = matches.find(subject);
    return match == matches.end() || !other.contains(match->second);
  };
  std::vector<std::pair<double, std::string_view>> rows;
  for (const std::size_t i : side.inGraph(graph)) {
    const Subject &subject = side.subjects()[i];
    if (isAlone(i) && (subject.parent == SIZE_MAX || !isAlone(subject.parent)))
      rows.emplace_back(subject.nsPerReplay(), subject.path);
  }
  return listed(what, rows);
}

} // namespace

bool runOtherwise(const Subject &before, const Subject &after) {
  constexpr double little = 0.001;
  return before.replays > 0 && after.replays > 0 &&
         std::abs(before.executionsPerReplay() / after.executionsPerReplay() - 1) > little;
}

MatchedGraphs::MatchedGraphs(const Side &before, const Side &after, std::vector<Match> &matches)
    : before_(before), after_(after) {
  for (const Match &match : matches)
    if (match.before != Match::none && match.after != Match::none) {
      ofBefore_.emplace(match.before, match.after);
      ofAfter_.emplace(match.after, match.before);
    }
  struct Pair {
    bool sameName; // or, if neither has one, number
    double common;
    std::size_t before, after;
  };
  std::vector<Pair> pairs;
  std::vector<std::size_t> gone;
  gone.reserve(before_.subjects().size());
  for (std::size_t i = 0; i < before_.subjects().size(); ++i) {
    const Subject &one = before_.subjects()[i];
    if (!one.isGraph())
      continue;
    gone.push_back(i);
    for (std::size_t k = 0; k < after_.subjects().size(); ++k)
      if (const Subject &other = after_.subjects()[k];
          other.isGraph() && (one.path == other.path || !one.isNamedGraph || !other.isNamedGraph))
        pairs.push_back({one.path == other.path, inCommon(one.graph, other.graph), i, k});
  }
  // A name says what is the same; a number does only where nothing else does.
  std::ranges::sort(pairs, {}, [this](const Pair &pair) {
    const bool byName = pair.sameName && before_.subjects()[pair.before].isNamedGraph;
    return std::tuple(!byName, -pair.common, !pair.sameName, pair.before, pair.after);
  });
  std::map<std::size_t, std::size_t> ofAfter;
  for (const Pair &pair : pairs) {
    const auto left = std::ranges::find(gone, pair.before);
    if (left == gone.end() || ofAfter.contains(pair.after) || (pair.common == 0 && !pair.sameName))
      continue;
    ofAfter.emplace(pair.after, pair.before);
    gone.erase(left);
  }
  std::erase_if(matches, [&](const Match &match) {
    return match.after == Match::none && before_.subjects()[match.before].isGraph();
  });
  for (Match &match : matches)
    if (match.after != Match::none && after_.subjects()[match.after].isGraph()) {
      const auto found = ofAfter.find(match.after);
      match.before = found == ofAfter.end() ? Match::none : found->second;
      match.renamed = match.before != Match::none &&
                      before_.subjects()[match.before].path != after_.subjects()[match.after].path;
    }
  for (const std::size_t one : gone)
    matches.push_back({one, Match::none, false});
}

// The share of what ran in either graph that ran in both.
double MatchedGraphs::inCommon(std::uint64_t before, std::uint64_t after) const {
  const std::set<std::size_t> &ofBefore = before_.inGraph(before), &ofAfter = after_.inGraph(after);
  std::size_t kept = 0;
  for (const std::size_t subject : ofBefore)
    if (const auto match = ofBefore_.find(subject);
        match != ofBefore_.end() && ofAfter.contains(match->second))
      ++kept;
  const std::size_t all = ofBefore.size() + ofAfter.size() - kept;
  return all == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(all);
}

std::string MatchedGraphs::difference(const Subject &before, const Subject &after) const {
  std::string text = otherCounts(before.graph, after.graph);
  for (const std::string &part :
       {listed("came", after_, ofAfter_, after.graph, before_.inGraph(before.graph)),
        listed("went", before_, ofBefore_, before.graph, after_.inGraph(after.graph)),
        repeated(before.graph, after.graph)})
    if (!part.empty())
      text += (text.empty() ? "" : "; ") + part;
  return text;
}

// What ran in both graphs, another number of times.
std::string MatchedGraphs::repeated(std::uint64_t before, std::uint64_t after) const {
  std::string text;
  std::size_t more = 0;
  for (const std::size_t i : before_.inGraph(before)) {
    const auto match = ofBefore_.find(i);
    if (match == ofBefore_.end() || !after_.inGraph(after).contains(match->second))
      continue;
    const Subject &one = before_.subjects()[i], &other = after_.subjects()[match->second];
    if (!runOtherwise(one, other))
      continue;
    if (text.empty())
      text = fmt::format("{} runs {:.4g} times a replay, then {:.4g}", other.path,
                         one.executionsPerReplay(), other.executionsPerReplay());
    else
      ++more;
  }
  return more == 0 ? text : fmt::format("{} (and {} more)", text, more);
}
// How the numbers of its nodes and edges differ, which recordings say also where nodes are not
// recorded.
std::string MatchedGraphs::otherCounts(std::uint64_t ofBefore, std::uint64_t ofAfter) const {
  const auto &before = before_.countsOf(ofBefore), &after = after_.countsOf(ofAfter);
  if (before.empty() || after.empty() || before == after)
    return {};
  const auto text = [](const std::set<std::pair<std::uint32_t, std::uint32_t>> &counts) {
    return fmt::format("{} and {}", counted(counts.begin()->first, "node", "nodes"),
                       counted(counts.begin()->second, "edge", "edges"));
  };
  return fmt::format("another graph: it had {}, and has {}", text(before), text(after));
}

} // namespace graphprof
