// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Job.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "output/io/Text.h"
#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

// A file may hold any number. From those that are no time nothing is computed, so sums of two
// times do not overflow.
bool isTime(std::int64_t ns) { return ns >= 0 && ns < INT64_MAX / 4; } // until 2043

} // namespace

Flow flowOf(std::string_view kernel) {
  static const std::regex fromRoot("^nccl\\w*Kernel_Broadcast"), toRoot("^nccl\\w*Kernel_Reduce_"),
      pair("^nccl\\w*Kernel_SendRecv");
  const auto is = [kernel](const std::regex &name) {
    return std::regex_search(kernel.begin(), kernel.end(), name);
  };
  return is(fromRoot) ? Flow::FromRoot
         : is(toRoot) ? Flow::ToRoot
         : is(pair)   ? Flow::Pair
                      : Flow::All;
}

std::int64_t RankExec::allBusyNs() const {
  std::int64_t sumNs = 0;
  for (const auto &[path, ns] : busyNs) {
    if (ns < 0)
      return -1;
    addTo(sumNs, ns);
  }
  return busyNs.empty() || busyNs.size() < ownKernels ? -1 : sumNs;
}

void Job::begin(const Run &run) {
  RunsListener::begin(run);
  known_ = {};
  // A process may have written several files, such as one for each cycle of a schedule.
  const auto [process, isNew] =
      processes_.try_emplace(std::tuple(run.host, run.pid, run.beganNs), ranks_.size());
  current_ = process->second;
  if (isNew) {
    Rank &rank = ranks_.emplace_back();
    rank.number = inOrder_ ? static_cast<std::int64_t>(current_) : run.rank;
    rank.host = run.host;
    rank.name = fmt::format("{}: {}", runs().back().file, runs().back().name());
  }
  ranks_[current_].runs.push_back(runs().size() - 1);
  outside_.clear();
  outsideCounts_.clear();
  knowsBusy_ = false;
}

void Job::add(const Batch &batch) {
  RunsListener::add(batch);
  known_.take(batch.regionsFrom, batch.regions,
              [this](const Batch::Region &region) { return learn(region); });
  for (const Batch::Launch &launch : batch.launches)
    addLaunch(batch, launch);
}

Job::Region Job::learn(const Batch::Region &region) {
  const bool around = region.parent != 0 && known_.of(region.parent).inCollective;
  const bool may = which_.chosen || region.kind == Kind::Kernel;
  const Flow flow = region.kind == Kind::Kernel ? flowOf(region.name) : Flow::All;
  const bool is = !around && ((may && std::regex_search(region.name, which_.names)) ||
                              (!which_.chosen && flow != Flow::All));
  Region learned{none,
                 std::hash<std::string>{}(region.path),
                 around || is,
                 !around && !is && region.kind == Kind::Kernel && region.name.starts_with("nccl"),
                 !around && !is && region.kind == Kind::Kernel,
                 region.parent == 0 ? region.name : std::string(),
                 region.clock == Clock::Event};
  if (is) {
    const auto next = static_cast<std::uint32_t>(paths_.size());
    const auto [number, isNew] = pathNumbers_.try_emplace(region.path, next);
    if (isNew) {
      paths_.push_back(region.path);
      flows_.push_back(flow);
    }
    learned.collective = number->second;
  }
  return learned;
}

std::uint64_t Job::outside(const std::string &name) {
  return outside_.try_emplace(name, Rank::firstOutside + outside_.size()).first->second;
}

std::uint32_t Job::nameOf(const Replay &replay) {
  if (!replay.serves)
    return 0;
  const auto next = static_cast<std::uint32_t>(graphNames_.size());
  const auto [known, isNew] = graphNameNumbers_.try_emplace(replay.serves->text, next);
  if (isNew)
    graphNames_.push_back(known->first);
  return known->second;
}

std::uint32_t Job::layoutOf(const CollectiveLayout &layout) {
  const auto next = static_cast<std::uint32_t>(layouts_.size());
  const auto [known, isNew] = layoutNumbers_.try_emplace(layout, next);
  if (isNew)
    layouts_.push_back(&known->first);
  return known->second;
}

// Kernels are kept from the first busy time on, so that recordings without any take no memory for
// it.
void Job::addBusy(const Region &region, const Replay &replay, const Batch::Timing &timing) {
  knowsBusy_ = knowsBusy_ || timing.busy.isKnown();
  if (!knowsBusy_ || replay.exec == 0 || replay.cold)
    return;
  Rank &rank = ranks_[current_];
  if (region.collective != none)
    rank.busy[region.collective].add(runs().size(), replay, timing);
  else if (region.isOwnKernel)
    rank.execs[replay.exec].busyNs[region.path] = timing.busy.isKnown() ? timing.busy.ns : -1;
}

void Job::addLaunch(const Batch &batch, const Batch::Launch &launch) {
  Rank &rank = ranks_[current_];
  const auto timings = batch.timingsOf(launch);
  RankReplay replay{launch.replay.exec,    launch.replay.number, launch.replay.step, 0, 0, 0,
                    nameOf(launch.replay), launch.replay.cold,   rank.spans.size()};
  if (replay.exec == 0) {
    if (timings.empty())
      return;
    replay.exec = outside(known_.of(timings.front().region).name);
    replay.number = outsideCounts_[replay.exec]++;
    replay.step = timings.front().step;
  }
  RankExec &exec = rank.execs[replay.exec];
  if (replay.serves != 0)
    exec.serves.insert(replay.serves);
  scratch_.clear();
  scratchSpans_.clear();
  std::int64_t firstNs = INT64_MAX, lastNs = 0;
  for (const Batch::Timing &timing : timings) {
    const Region &region = known_.of(timing.region);
    if (exec.regions.insert(region.path).second && region.isOwnKernel)
      ++exec.ownKernels;
    rank.notSplit += region.otherNccl ? 1 : 0;
    rank.timedByEvents = rank.timedByEvents || region.byEvents;
    addBusy(region, launch.replay, timing);
    const bool measured = isTime(timing.beginNs) && isTime(timing.durationNs);
    if (measured) {
      firstNs = std::min(firstNs, timing.beginNs);
      lastNs = std::max(lastNs, timing.beginNs + timing.durationNs);
    }
    if (region.collective == none)
      continue;
    if (flows_[region.collective] == Flow::All) // others need not be on every rank
      exec.collectives.insert(region.collective);
    scratch_.emplace_back(region.collective, timing.iteration);
    scratchSpans_.push_back(measured ? CollectiveSpan{timing.beginNs, timing.durationNs}
                                     : CollectiveSpan{0, -1});
  }
  // Where the replay's own span is not known, it is that of what was measured in it.
  if (launch.replay.exec != 0 && launch.replay.spanKnown() && isTime(launch.replay.endNs)) {
    replay.beginNs = launch.replay.beginNs;
    replay.endNs = launch.replay.endNs;
  } else if (lastNs > 0) {
    replay.beginNs = firstNs;
    replay.endNs = lastNs;
  }
  if (kept_ + scratchSpans_.size() > mostSpans) {
    leftOut_ += scratchSpans_.size();
    return;
  }
  kept_ += scratchSpans_.size();
  replay.layout = layoutOf(scratch_);
  rank.spans.insert(rank.spans.end(), scratchSpans_.begin(), scratchSpans_.end());
  rank.replays.push_back(replay);
}

void Job::finish() {
  std::sort(ranks_.begin(), ranks_.end(), [](const Rank &a, const Rank &b) {
    return std::pair(a.number, a.runs.front()) < std::pair(b.number, b.runs.front());
  });
  checkRanks();
  sayWhatDiffers();
}

void Job::checkRanks() {
  for (std::size_t i = 1; i < ranks_.size(); ++i)
    if (ranks_[i].number == ranks_[i - 1].number)
      throw UnreadableRecording{fmt::format(
          "both are rank {}: {}, and {}; give one of them, or record each job in files of its own. "
          "If no launcher gave the processes their ranks, --in-order takes them in the order given",
          ranks_[i].number, ranks_[i - 1].name, ranks_[i].name)};
  if (ranks_.size() == 1)
    throw UnreadableRecording{
        fmt::format("{}: is the only rank, so there is nothing to compare; give the recordings of "
                    "all ranks, or see graphprof report",
                    ranks_.front().name)};
}

void Job::sayWhatDiffers() {
  // A launcher says how many ranks there are. Otherwise there are as many as the last number says.
  std::int64_t most = ranks_.back().number + 1;
  std::set<std::int64_t> said;
  std::set<std::string> programs;
  for (const RunFacts &run : runs()) {
    if (run.run.ranks > 0)
      said.insert(run.run.ranks);
    if (!run.run.program.empty())
      programs.insert(run.run.program);
  }
  if (said.size() > 1)
    remarks_.push_back(fmt::format("the recordings say that their job has {} ranks: perhaps they "
                                   "are of several jobs",
                                   fmt::join(said, ", or ")));
  else if (!said.empty() && !inOrder_)
    most = std::max(most, *said.begin());
  std::vector<std::int64_t> missing;
  std::int64_t next = 0, missingCount = 0;
  constexpr std::size_t mostNamed = 8;
  const auto lack = [&](std::int64_t until) {
    for (; next < until && missing.size() < mostNamed; ++next, ++missingCount)
      missing.push_back(next);
    missingCount += std::max<std::int64_t>(until - next, 0);
    next = until;
  };
  for (const Rank &rank : ranks_) {
    lack(rank.number);
    next = rank.number + 1;
  }
  lack(most);
  if (missingCount > 0)
    remarks_.push_back(fmt::format(
        "no recording of rank {}{}: waiting is shown for the last of the others, so it is at least "
        "that",
        fmt::join(missing, ", "),
        missingCount > static_cast<std::int64_t>(missing.size())
            ? fmt::format(" and {} more", missingCount - static_cast<std::int64_t>(missing.size()))
            : ""));
  if (programs.size() > 1)
    remarks_.push_back(fmt::format("the ranks are processes of different programs: {}",
                                   fmt::join(programs, ", ")));
  if (leftOut_ > 0)
    remarks_.push_back(fmt::format("{} collectives are beyond what is kept in memory, and left "
                                   "out",
                                   leftOut_));
}

} // namespace graphprof
