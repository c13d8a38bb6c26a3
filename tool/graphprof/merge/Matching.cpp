// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Matching.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace graphprof {

namespace {

// What two ranks' execs have in common if they are of one graph.
template <class Set> std::vector<std::size_t> sorted(const Set &set) {
  std::vector<std::size_t> all(set.begin(), set.end());
  std::sort(all.begin(), all.end());
  return all;
}

// How a replay is told from others of its exec. Outside graphs nothing counts what is not recorded,
// so there the step says more than the number, where there is one.
using ReplayName = std::pair<std::int64_t, std::uint64_t>;

} // namespace

Matching::Matching(const Job &job, std::vector<RankGroup> groups)
    : job_(job), groups_(std::move(groups)) {
  if (groups_.empty()) {
    RankGroup all(job_.ranks().size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    groups_.push_back(std::move(all));
  }
  matchExecs();
  matchReplays();
  const auto ignore = [](const Occurrence &) {};
  for (const MatchedLaunch &launch : launches_)
    visit(launch, ignore, unmatched_);
}

// The first exec with these regions on one rank is the first with these on another, of those that
// the program gave a name, the first with this name. Where names of regions differ from rank to
// rank, the names of the collectives decide.
void Matching::matchExecs() {
  const std::vector<Rank> &ranks = job_.ranks();
  using Key = std::tuple<std::vector<std::size_t>, std::size_t>;
  const auto matchBy = [&](const std::vector<Place> &which, auto signature) {
    std::map<Key, std::vector<Place>> found;
    std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> counts;
    for (const Place &place : which) {
      std::vector<std::size_t> of = signature(ranks[place.first].execs.at(place.second));
      const std::size_t count = counts[{place.first, of}]++;
      found[{std::move(of), count}].push_back(place);
    }
    return found;
  };
  const auto accept = [&](const std::vector<Place> &places) {
    for (const Place &place : places)
      execOf_[place] = execs_;
    ++execs_;
  };
  std::vector<Place> named, all, rest;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const auto &[number, exec] : ranks[i].execs)
      (exec.serves.empty() ? all : named).emplace_back(i, number);
  for (const auto &[key, places] : matchBy(named, [](const RankExec &exec) {
         std::vector<std::size_t> signature = sorted(exec.regions);
         signature.insert(signature.end(), exec.serves.begin(), exec.serves.end());
         return signature;
       }))
    if (places.size() == ranks.size())
      accept(places);
    else // perhaps its name is of one rank
      all.insert(all.end(), places.begin(), places.end());
  std::sort(all.begin(), all.end());
  for (const auto &[key, places] :
       matchBy(all, [](const RankExec &exec) { return sorted(exec.regions); }))
    if (places.size() == ranks.size() ||
        ranks[places[0].first].execs.at(places[0].second).collectives.empty())
      accept(places);
    else
      rest.insert(rest.end(), places.begin(), places.end());
  std::sort(rest.begin(), rest.end());
  for (const auto &[key, places] :
       matchBy(rest, [](const RankExec &exec) { return sorted(exec.collectives); }))
    accept(places);
}

void Matching::matchReplays() {
  const std::vector<Rank> &ranks = job_.ranks();
  replays_.assign(ranks.size(), 0);
  std::vector<std::set<std::size_t>> having(execs_); // ranks
  for (const auto &[place, exec] : execOf_)
    having[exec].insert(place.first);
  std::map<std::pair<std::size_t, ReplayName>, MatchedLaunch> found;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::map<std::pair<std::uint64_t, std::int64_t>, std::uint64_t> inStep; // of a region: how many
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>> known;
    for (const RankReplay &replay : ranks[i].replays) {
      const bool outside = replay.exec >= Rank::firstOutside;
      if (!known.emplace(replay.exec, outside ? 0 : replay.number, outside ? replay.beginNs : 0)
               .second) {
        ++unmatched_.twice;
        continue;
      }
      const std::size_t exec = execOf_.at({i, replay.exec});
      if (having[exec].size() < 2) {
        ++unmatched_.replaysAlone;
        continue;
      }
      ++replays_[i];
      ReplayName name{-1, replay.number};
      if (outside && replay.step >= 0)
        name = {replay.step, inStep[{replay.exec, replay.step}]++};
      MatchedLaunch &launch = found[{exec, name}];
      if (launch.of.empty()) {
        launch.of.resize(ranks.size());
        launch.exec = exec;
        launch.number = replay.number;
        launch.step = replay.step;
        launch.cold = false;
      }
      launch.of[i] = &replay;
      launch.cold = launch.cold || replay.cold;
      if (launch.step != replay.step)
        launch.step = -1;
    }
  }
  for (auto &[key, launch] : found) {
    const auto count = std::count_if(launch.of.begin(), launch.of.end(),
                                     [](const RankReplay *replay) { return replay != nullptr; });
    if (static_cast<std::size_t>(count) == having[launch.exec].size())
      launches_.push_back(std::move(launch));
    else
      unmatched_.replays += static_cast<std::uint64_t>(count);
  }
  const auto order = [](const MatchedLaunch &launch) {
    const auto first = std::find_if(launch.of.begin(), launch.of.end(),
                                    [](const RankReplay *replay) { return replay != nullptr; });
    return std::tuple((*first)->beginNs, launch.exec, launch.number);
  };
  std::sort(launches_.begin(), launches_.end(),
            [&](const MatchedLaunch &a, const MatchedLaunch &b) { return order(a) < order(b); });
}

void Matching::forEach(const std::function<void(const Occurrence &)> &take) const {
  visitAll(true, take);
}

void Matching::forEachOneWay(const std::function<void(const Occurrence &)> &take) const {
  visitAll(false, take);
}

void Matching::visitAll(bool waitForAll,
                        const std::function<void(const Occurrence &)> &take) const {
  Unmatched counted;
  for (const MatchedLaunch &launch : launches_)
    visit(
        launch,
        [&](const Occurrence &occurrence) {
          if ((job_.flow(occurrence.path) == Flow::All) == waitForAll)
            take(occurrence);
        },
        counted);
}

void Matching::visit(const MatchedLaunch &launch,
                     const std::function<void(const Occurrence &)> &take,
                     Unmatched &unmatched) const {
  std::vector<CollectiveSpan> spans;
  RankGroup taking;
  const auto hand = [&](std::uint32_t path) {
    if (job_.flow(path) == Flow::Pair && taking.size() > 2)
      unmatched.sends += spans.size();
    else if (std::any_of(spans.begin(), spans.end(),
                         [](const CollectiveSpan &span) { return span.durationNs < 0; }))
      unmatched.notMeasured += spans.size();
    else
      take({path, &launch, taking, spans});
  };
  for (const RankGroup &group : groups_) {
    taking.clear();
    for (const std::size_t rank : group)
      if (launch.of[rank])
        taking.push_back(rank);
    if (taking.empty())
      continue;
    const std::uint32_t layout = launch.of[taking.front()]->layout;
    const CollectiveLayout &entries = job_.layout(layout);
    const auto spanOf = [&](std::size_t rank, std::size_t entry) {
      return job_.ranks()[rank].spans[launch.of[rank]->first + entry];
    };
    if (taking.size() == 1) {
      unmatched.collectives += entries.size();
    } else if (std::all_of(taking.begin(), taking.end(),
                           [&](std::size_t rank) { return launch.of[rank]->layout == layout; })) {
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        spans.clear();
        for (const std::size_t rank : taking)
          spans.push_back(spanOf(rank, entry));
        hand(entries[entry].first);
      }
    } else { // some ranks recorded another part of the graph, or lost a part
      std::map<CollectiveLayout::value_type, std::vector<CollectiveSpan>> found;
      for (const std::size_t rank : taking) {
        const CollectiveLayout &own = job_.layout(launch.of[rank]->layout);
        for (std::size_t entry = 0; entry < own.size(); ++entry)
          found[own[entry]].push_back(spanOf(rank, entry));
      }
      for (auto &[key, each] : found) {
        spans.swap(each);
        if (spans.size() == taking.size())
          hand(key.first);
        else
          (job_.flow(key.first) == Flow::Pair ? unmatched.sends : unmatched.collectives) +=
              spans.size();
      }
    }
  }
}

} // namespace graphprof
