// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "MergedTrace.h"

#include <algorithm>
#include <utility>

namespace graphprof {

MergedTrace::MergedTrace(std::string path, std::size_t maxRecords, const Job &job,
                         const JobClocks &clocks)
    : path_(std::move(path)), maxRecords_(maxRecords), job_(job), clocks_(clocks),
      rankOf_(job.runs().size()) {
  for (std::size_t rank = 0; rank < job.ranks().size(); ++rank)
    for (const std::size_t run : job.ranks()[rank].runs)
      rankOf_[run] = rank;
}

std::size_t MergedTrace::leftOut() const {
  std::size_t count = 0;
  for (std::size_t rank = 0; rank < job_.ranks().size(); ++rank)
    count += shows(rank) ? 0 : 1;
  return count;
}

void MergedTrace::begin(const Run &run) {
  const std::size_t rank = rankOf_[++run_];
  if (!shows(rank))
    return;
  Run named = run;
  named.inJob = true; // so that the trace says its rank
  named.rank = job_.ranks()[rank].number;
  parts_.push_back({&traces_.emplace_back(path_, maxRecords_ / rankOf_.size(), named), {}});
}

void MergedTrace::add(const Batch &batch) {
  const std::size_t rank = rankOf_[run_];
  if (!shows(rank) || !failed_.empty())
    return;
  Batch moved = batch;
  const auto move = [&](std::int64_t &ns) {
    if (ns > 0) // 0: not known
      ns = clocks_.toFirst(rank, ns);
  };
  for (Batch::Launch &launch : moved.launches)
    for (std::int64_t *const ns :
         {&launch.replay.launchNs, &launch.replay.beginNs, &launch.replay.endNs})
      move(*ns);
  for (Batch::Timing &timing : moved.timings)
    move(timing.beginNs);
  for (Batch::Span &span : moved.spans)
    for (std::int64_t *const ns : {&span.beginNs, &span.endNs})
      move(*ns);
  for (Batch::Memory &memory : moved.memory)
    move(memory.event.timeNs);
  failed_ = traces_.back().write(moved);
}

void MergedTrace::end(const RecordedEnd &end) {
  if (shows(rankOf_[run_]))
    parts_.back().losses = end.losses;
}

std::string MergedTrace::close() {
  if (!failed_.empty())
    return failed_;
  std::sort(parts_.begin(), parts_.end(),
            [](const ChromeTrace::Part &a, const ChromeTrace::Part &b) {
              return a.trace->run().rank < b.trace->run().rank;
            });
  return ChromeTrace::closeTogether(parts_);
}

} // namespace graphprof
