// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Split.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "Folding.h"
#include "output/statistics/Sums.h"

namespace graphprof {

Split::Split(const Job &job, const Matching &matching, const JobClocks &clocks, const Roots &roots,
             bool fold)
    : job_(job), matching_(matching), clocks_(clocks), roots_(roots), ranks_(job.ranks().size()) {
  for (const MatchedLaunch &launch : matching.launches())
    cold_ += launch.cold ? 1 : 0;
  matching.forEach([this](const Occurrence &occurrence) { take(occurrence); });
  matching.forEachOneWay([this](const Occurrence &occurrence) { takeOneWay(occurrence); });
  if (fold)
    collectives_ = folded(std::move(collectives_));
  findSteps();
  decide();
}

// Executions of several paths in one replay go together, so they count as one.
std::size_t CollectiveRow::lastMostOften() const {
  std::uint64_t all = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    all += ranks[i].last;
    if (ranks[i].last > ranks[most].last)
      most = i;
  }
  return all > 0 && beyondChance(ranks[most].last / paths, (all + paths - 1) / paths, ranks.size())
             ? most
             : none;
}

bool CollectiveRow::anyLast() const {
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankShare &share) { return share.last > 0; });
}

CollectiveRow &Split::rowOf(std::uint32_t path) {
  CollectiveRow *&known = ofPath_[path];
  if (known)
    return *known;
  known = &collectives_.emplace_back();
  known->path = job_.paths()[path];
  known->paths = 1;
  known->flow = job_.flow(path);
  known->ranks.resize(job_.ranks().size());
  addBusy(path, *known);
  return *known;
}

void Split::addBusy(std::uint32_t path, CollectiveRow &row) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto &known = job_.ranks()[rank].busy;
    const auto found = known.find(path);
    if (found == known.end())
      continue;
    for (BusyFigures *const to : {&row.ranks[rank].busy, &ranks_[rank].all.busy, &row.busy})
      to->add(found->second);
  }
}

void Split::take(const Occurrence &occurrence) {
  if (occurrence.launch->cold)
    return;
  if (!clocks_.comparable(occurrence)) {
    ++notComparable_;
    return;
  }
  begins_.clear();
  ends_.clear();
  double leastKnown = 0, nextKnown = 0; // the two largest uncertainties
  for (std::size_t i = 0; i < occurrence.ranks.size(); ++i) {
    const std::size_t rank = occurrence.ranks[i];
    const std::int64_t beginNs = clocks_.toFirst(rank, occurrence.spans[i].beginNs);
    begins_.push_back(beginNs);
    ends_.push_back(beginNs + occurrence.spans[i].durationNs);
    const double ns = clocks_.uncertaintyNs(rank);
    nextKnown = std::max(nextKnown, std::min(ns, leastKnown));
    leastKnown = std::max(leastKnown, ns);
  }
  const auto last =
      static_cast<std::size_t>(std::max_element(begins_.begin(), begins_.end()) - begins_.begin());
  const double lastKnown = clocks_.uncertaintyNs(occurrence.ranks[last]);
  for (std::size_t i = 0; i < begins_.size(); ++i)
    if (static_cast<double>(begins_[last] - ends_[i]) >
        lastKnown + clocks_.uncertaintyNs(occurrence.ranks[i])) {
      ++impossible_;
      return;
    }
  CollectiveRow &row = rowOf(occurrence.path);
  ++row.count;
  row.uncertaintyNs = std::max(row.uncertaintyNs, leastKnown + nextKnown);
  samples_.add(row.longest, begins_[last] - *std::min_element(begins_.begin(), begins_.end()));
  bool isLast = true; // by more than the uncertainty
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::size_t rank = occurrence.ranks[i];
    const std::int64_t waitingNs = begins_[last] - begins_[i];
    const std::int64_t transferringNs = std::max<std::int64_t>(ends_[i] - begins_[last], 0);
    const double own = clocks_.uncertaintyNs(rank);
    const bool known = static_cast<double>(waitingNs) > own + lastKnown;
    isLast = isLast && (i == last || known);
    samples_.add(row.transferring, transferringNs);
    for (RankShare *const share : {&row.ranks[rank], &ranks_[rank].all}) {
      samples_.add(share->waiting, waitingNs);
      samples_.add(share->transferring, transferringNs);
      share->uncertaintyNs =
          std::max(share->uncertaintyNs, own + (own < leastKnown ? leastKnown : nextKnown));
      share->known += known ? 1 : 0;
      if (known)
        addTo(share->knownNs, waitingNs);
    }
  }
  if (isLast) {
    ++row.ranks[occurrence.ranks[last]].last;
    ++ranks_[occurrence.ranks[last]].all.last;
  } else {
    ++row.lastUnknown;
  }
}

void Split::addWait(CollectiveRow &row, std::size_t rank, std::size_t other, std::int64_t waitingNs,
                    std::int64_t transferringNs) {
  RankShare &share = row.ranks[rank];
  const double knownNs = clocks_.uncertaintyNs(rank) + clocks_.uncertaintyNs(other);
  share.uncertaintyNs = std::max(share.uncertaintyNs, knownNs);
  row.uncertaintyNs = std::max(row.uncertaintyNs, knownNs);
  samples_.add(share.waiting, waitingNs);
  samples_.add(share.transferring, std::max<std::int64_t>(transferringNs, 0));
  samples_.add(row.transferring, std::max<std::int64_t>(transferringNs, 0));
  if (static_cast<double>(waitingNs) > knownNs) {
    ++share.known;
    addTo(share.knownNs, waitingNs);
  }
}

// In a broadcast every rank waits for the root, and in a reduction the root for the last of the
// others.
void Split::takeOneWay(const Occurrence &occurrence) {
  if (occurrence.launch->cold)
    return;
  if (!clocks_.comparable(occurrence)) {
    ++notComparable_;
    return;
  }
  const std::size_t root = roots_.of(occurrence);
  if (root == Roots::none) {
    ++(roots_.contradicts(occurrence) ? rootContradicted_ : rootUnknown_);
    return;
  }
  const auto &ranks = occurrence.ranks;
  const auto at =
      static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), root) - ranks.begin());
  const auto beginNs = [&](std::size_t i) {
    return clocks_.toFirst(ranks[i], occurrence.spans[i].beginNs);
  };
  const auto endNs = [&](std::size_t i) { return beginNs(i) + occurrence.spans[i].durationNs; };
  CollectiveRow &row = rowOf(occurrence.path);
  ++row.count;
  row.roots.insert(root);
  std::size_t held = Roots::none, last = at == 0 ? 1 : 0; // who was held up most, and by whom
  std::int64_t longestNs = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (i != at && beginNs(i) > beginNs(last))
      last = i;
  if (row.flow == Flow::ToRoot) {
    longestNs = std::max<std::int64_t>(beginNs(last) - beginNs(at), 0);
    addWait(row, root, ranks[last], longestNs, endNs(at) - std::max(beginNs(last), beginNs(at)));
    held = at;
  } else {
    last = at;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (i == at)
        continue;
      const std::int64_t waitingNs = std::max<std::int64_t>(beginNs(at) - beginNs(i), 0);
      addWait(row, ranks[i], root, waitingNs, endNs(i) - std::max(beginNs(at), beginNs(i)));
      if (held == Roots::none || waitingNs > longestNs)
        held = i;
      longestNs = std::max(longestNs, waitingNs);
    }
  }
  samples_.add(row.longest, longestNs);
  if (static_cast<double>(longestNs) >
      clocks_.uncertaintyNs(ranks[last]) + clocks_.uncertaintyNs(ranks[held]))
    ++row.ranks[ranks[last]].last;
  else
    ++row.lastUnknown;
}

// A step is what launches of one number have in common or, without steps, a launch. Only what all
// ranks have part in can be compared.
void Split::findSteps() {
  std::vector<const MatchedLaunch *> whole;
  std::size_t stepped = 0;
  for (const MatchedLaunch &launch : matching_.launches())
    if (std::all_of(launch.of.begin(), launch.of.end(), [](const RankReplay *replay) {
          return replay && replay->endNs > replay->beginNs;
        })) {
      whole.push_back(&launch);
      stepped += launch.step >= 0 ? 1 : 0;
    }
  bySteps_ = stepped > 0 && 2 * stepped >= whole.size();
  std::vector<Unit> units;
  if (bySteps_) {
    std::map<std::int64_t, Unit> byStep;
    for (const MatchedLaunch *const launch : whole)
      if (launch->step >= 0) {
        Unit &unit = byStep[launch->step];
        unit.step = launch->step;
        unit.launches.push_back(launch);
      }
    for (auto &[step, unit] : byStep)
      units.push_back(std::move(unit));
  } else {
    for (const MatchedLaunch *const launch : whole)
      units.push_back({-1, {launch}});
  }
  std::set<std::pair<std::size_t, std::uint64_t>> seen;
  for (const MatchedLaunch *const launch : whole)
    seen.emplace(launch->exec, launch->number);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Unit *before = i > 0 ? &units[i - 1] : nullptr;
    const MatchedLaunch &first = *units[i].launches.front();
    // Between the two nothing may be missing.
    if (before && (bySteps_ ? before->step + 1 != units[i].step
                            : first.number > 0 && !seen.contains({first.exec, first.number - 1})))
      before = nullptr;
    if (std::none_of(units[i].launches.begin(), units[i].launches.end(),
                     [](const MatchedLaunch *launch) { return launch->cold; }))
      addStep(units[i], before);
  }
}

std::int64_t Split::ownNs(const Unit &unit, const Unit *before, std::size_t rank) {
  std::int64_t beginNs = INT64_MAX, endNs = 0, beforeNs = 0;
  inside_.clear();
  for (const MatchedLaunch *const launch : unit.launches) {
    const RankReplay &replay = *launch->of[rank];
    beginNs = std::min(beginNs, replay.beginNs);
    endNs = std::max(endNs, replay.endNs);
    for (std::size_t i = 0; i < job_.layout(replay.layout).size(); ++i)
      if (const CollectiveSpan &span = job_.ranks()[rank].spans[replay.first + i];
          span.durationNs >= 0)
        inside_.emplace_back(span.beginNs, span.endNs());
  }
  if (before)
    for (const MatchedLaunch *const launch : before->launches)
      beforeNs = std::max(beforeNs, launch->of[rank]->endNs);
  if (before)
    beginNs = std::min(beforeNs, endNs);
  std::sort(inside_.begin(), inside_.end());
  std::int64_t ownNs = endNs - beginNs, coveredNs = beginNs;
  for (const auto &[fromNs, toNs] : inside_) {
    const std::int64_t first = std::max(fromNs, coveredNs);
    if (toNs > first)
      ownNs -= std::min(toNs, endNs) - first;
    coveredNs = std::max(coveredNs, toNs);
  }
  return std::max<std::int64_t>(ownNs, 0);
}

std::int64_t Split::busyNs(const Unit &unit, std::size_t rank) {
  std::int64_t sumNs = 0;
  for (const MatchedLaunch *const launch : unit.launches) {
    const std::uint64_t exec = launch->of[rank]->exec;
    const auto [known, isNew] = busyNs_.try_emplace({rank, exec}, -1);
    if (isNew)
      known->second = job_.ranks()[rank].execs.at(exec).allBusyNs();
    if (known->second < 0)
      return -1;
    addTo(sumNs, known->second);
  }
  return sumNs;
}

// What a launch serves on all ranks; 0: nothing, or not the same.
static std::uint32_t servesOf(const MatchedLaunch &launch) {
  std::uint32_t serves = 0;
  for (const RankReplay *const replay : launch.of)
    if (replay != nullptr) {
      if (serves != 0 && replay->serves != serves)
        return 0;
      serves = replay->serves;
    }
  return serves;
}

void Split::addStep(const Unit &unit, const Unit *before) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    order.emplace_back(ownNs(unit, before, rank), rank);
    ownNs_.push_back(order.back().first);
    samples_.add(ranks_[rank].own, order.back().first);
    if (const std::int64_t ns = busyNs(unit, rank); ns >= 0)
      samples_.add(ranks_[rank].busy, ns);
  }
  std::sort(order.begin(), order.end());
  const auto &[slowestNs, slowest] = order.back();
  const std::size_t middle = order.size() / 2;
  const StepRow row{unit.step,
                    unit.launches.front()->exec,
                    unit.launches.front()->number,
                    servesOf(*unit.launches.front()),
                    order.front().second,
                    slowest,
                    order.front().first,
                    slowestNs,
                    order.size() % 2 ? order[middle].first
                                     : (order[middle - 1].first + order[middle].first) / 2,
                    false};
  samples_.add(spread_, row.spreadNs());
  steps_.push_back(row);
}

namespace {

// Sorts a part of `values`, of which there are some.
std::int64_t lowest(std::vector<std::int64_t> &values, double part) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

} // namespace

void Split::decide() {
  constexpr double leastBehindNs = 1'000, deviations = 5;
  const double chanceNs = deviations * variationNs();
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    StepRow &step = steps_[i];
    const auto ofStep = std::span(ownNs_).subspan(i * ranks_.size(), ranks_.size());
    others.assign(ofStep.begin(), ofStep.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(step.slowest));
    const std::int64_t nextNs = lowest(others, 1), usualNs = lowest(others, 0.5);
    step.decided = static_cast<double>(step.slowestNs - nextNs) >= leastBehindNs &&
                   static_cast<double>(step.slowestNs - usualNs) >= chanceNs;
    if (!step.decided)
      continue;
    ++ranks_[step.slowest].slowest;
    samples_.add(ranks_[step.slowest].behind, step.spreadNs());
  }
}

// Of ranks that are neighbours by number, about what is usual between the two: a rank that is
// slower in all steps does not vary. Of all these differences the smaller ones tell: where ranks
// take turns in being slow, half of them may be large.
double Split::variationNs() const {
  std::vector<std::int64_t> all, ofPair;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    ofPair.clear();
    for (std::size_t i = 0; i < steps_.size(); ++i)
      ofPair.push_back(ownNs_[i * ranks_.size() + rank] - ownNs_[i * ranks_.size() + rank - 1]);
    if (ofPair.empty())
      return 0;
    const std::int64_t usualNs = lowest(ofPair, 0.5);
    for (const std::int64_t ns : ofPair)
      all.push_back(std::abs(ns - usualNs));
  }
  constexpr double quarter = 0.3186, sqrt2 = 1.4142; // of a normal distribution, and of two
  return all.empty() ? 0 : static_cast<double>(lowest(all, 0.25)) / quarter / sqrt2;
}

} // namespace graphprof
