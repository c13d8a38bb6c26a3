// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "KeptHost.h"

#include <algorithm>

#include "output/data/Source.h"
#include "output/io/Words.h"

namespace graphprof {

KeptHost::KeptHost(const std::vector<const KeptReplays::Kept *> &kept, std::size_t mostSpans) {
  const std::size_t each = kept.empty() ? 0 : mostSpans / kept.size();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const KeptReplays::Kept &one = *kept[i];
    if (one.replay.exec != 0)
      launches_.emplace(std::tuple(one.run, one.replay.exec, one.replay.number), i);
    const auto [fromNs, toNs] = one.extent();
    if (fromNs <= 0)
      continue; // nothing of it was measured
    // By a simulated device's clock, a replay may end before its launch.
    const std::int64_t launchNs =
        one.replay.exec != 0 && one.replay.launchNs > 0 ? one.replay.launchNs : fromNs;
    stretches_[one.run].push_back({std::min(launchNs, fromNs), std::max(launchNs, toNs), each});
  }
  for (auto &[run, stretches] : stretches_) {
    std::sort(stretches.begin(), stretches.end(),
              [](const Stretch &a, const Stretch &b) { return a.fromNs < b.fromNs; });
    std::vector<Stretch> apart;
    for (const Stretch &stretch : stretches)
      if (!apart.empty() && stretch.fromNs <= apart.back().toNs) {
        apart.back().toNs = std::max(apart.back().toNs, stretch.toNs);
        apart.back().room += stretch.room;
      } else {
        apart.push_back(stretch);
      }
    stretches = std::move(apart);
  }
}

void KeptHost::begin(const Run & /*run*/) {
  ++run_;
  knownActs_ = {};
  knownThreads_ = {};
}

// Whether it is in a stretch, of which it takes a place.
bool KeptHost::hasRoom(const Batch::Span &span) {
  const auto of = stretches_.find(run_);
  if (of == stretches_.end())
    return false;
  const auto behind =
      std::upper_bound(of->second.begin(), of->second.end(), span.endNs,
                       [](std::int64_t ns, const Stretch &stretch) { return ns < stretch.fromNs; });
  if (behind == of->second.begin())
    return false;
  Stretch &stretch = *(behind - 1);
  if (stretch.toNs < span.beginNs)
    return false;
  if (stretch.room == 0) {
    ++leftOut_;
    return false;
  }
  --stretch.room;
  return true;
}

void KeptHost::keep(const Batch::Span &span, std::ptrdiff_t replay) {
  Named &act = knownActs_.of(span.act);
  if (act.place == SIZE_MAX) {
    const auto [known, isNew] = actPlaces_.emplace(
        std::tuple(act.as.kind, act.as.captured, act.as.name, act.as.source), acts_.size());
    act.place = known->second;
    if (isNew)
      acts_.push_back(act.as);
  }
  Numbered &thread = knownThreads_.of(span.thread);
  if (thread.place == SIZE_MAX) {
    const auto [known, isNew] =
        threadPlaces_.emplace(std::pair(run_, thread.as.number), threads_.size());
    thread.place = known->second;
    if (isNew)
      threads_.push_back(thread.as);
  }
  spans_.push_back({act.place, thread.place, span.beginNs, span.endNs, replay, span.bytes});
}

void KeptHost::add(const Batch &batch) {
  knownActs_.take(batch.actsFrom, batch.acts, [](const Batch::Act &act) {
    const bool isRegion = act.kind == HostKind::Region && act.site != nullptr;
    return Named{{act.kind, act.captured, act.name,
                  isRegion ? sourceOf(act.site, Kind::Region) : std::string()}};
  });
  knownThreads_.take(batch.threadsFrom, batch.threads, [this](const Batch::Thread &thread) {
    return Numbered{{run_, thread.number, thread.name}};
  });
  for (const Batch::Span &span : batch.spans) {
    const auto launch =
        span.exec == 0 ? launches_.end() : launches_.find(std::tuple(run_, span.exec, span.replay));
    if (launch != launches_.end())
      keep(span, static_cast<std::ptrdiff_t>(launch->second));
    else if (hasRoom(span))
      keep(span, -1);
  }
}

} // namespace graphprof
