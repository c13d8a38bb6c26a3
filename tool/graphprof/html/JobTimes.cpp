// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "JobTimes.h"

#include <algorithm>
#include <utility>

namespace graphprof {

void JobTimes::finish() {
  if (job_.ranks().size() < 2)
    return;
  isJob_ = true;
  try {
    job_.finish();
  } catch (const UnreadableRecording &) {
    isJob_ = false; // two processes have one rank
  }
  std::unique_ptr<Matching> matching;
  if (isJob_) {
    matching = std::make_unique<Matching>(job_, std::vector<RankGroup>());
    isJob_ = !matching->launches().empty();
  }
  if (!isJob_) { // what they call collectives was not between them
    std::vector<RankGroup> alone;
    alone.reserve(job_.ranks().size());
    for (std::size_t rank = 0; rank < job_.ranks().size(); ++rank)
      alone.push_back({rank});
    matching = std::make_unique<Matching>(job_, std::move(alone));
  }
  clocks_ = std::make_unique<JobClocks>(job_, *matching);
  rankOf_.resize(job_.runs().size());
  std::size_t onFirst = 0;
  for (std::size_t rank = 0; rank < job_.ranks().size(); ++rank) {
    onFirst += clocks_->of(rank).known ? 1 : 0;
    for (const std::size_t run : job_.ranks()[rank].runs)
      rankOf_[run] = rank;
  }
  if (onFirst < 2) {
    clocks_.reset();
    return;
  }
  firstNs_ = INT64_MAX;
  for (std::size_t run = 0; run < rankOf_.size(); ++run)
    if (knows(run) && job_.runs()[run].run.beganNs > 0)
      firstNs_ = std::min(firstNs_, clocks_->toFirst(rankOf_[run], job_.runs()[run].run.beganNs));
  if (firstNs_ == INT64_MAX)
    firstNs_ = 0;
  behind_.resize(job_.ranks().size());
  if (isJob_)
    compareBegins(*matching);
}

void JobTimes::compareBegins(const Matching &matching) {
  constexpr std::size_t mostSamples = 4'000'000;
  SharedBound bound(mostSamples);
  std::vector<std::int64_t> begins;
  for (const MatchedLaunch &launch : matching.launches()) {
    const auto comparable = [&](std::size_t rank) {
      return launch.of[rank] != nullptr && launch.of[rank]->beginNs > 0 && clocks_->of(rank).known;
    };
    begins.clear();
    for (std::size_t rank = 0; rank < launch.of.size() && !launch.cold; ++rank)
      if (comparable(rank))
        begins.push_back(clocks_->toFirst(rank, launch.of[rank]->beginNs));
    if (begins.size() < launch.of.size() || begins.empty())
      continue;
    const std::int64_t first = *std::min_element(begins.begin(), begins.end());
    for (std::size_t rank = 0; rank < begins.size(); ++rank)
      bound.add(behind_[rank], begins[rank] - first);
  }
}

} // namespace graphprof
