// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/ReplayTotals.h"

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/io/Units.h"

namespace graphprof {

void ReplayTotals::add(const Replay &replay) {
  if (replay.exec == 0)
    return;
  ++count_;
  cold_ += ranCold(replay) ? 1 : 0;
  if (graphs_.size() < most)
    graphs_.insert(replay.graph);
  if (execs_.size() < most)
    execs_.insert(replay.exec);
  if (const std::int64_t lengthNs = replay.lengthNs(); lengthNs > 0)
    lengths_.of(replay).add(lengthNs);
}

void ReplayTotals::beginRun() {
  graphsBefore_ += graphs_.size();
  execsBefore_ += execs_.size();
  graphs_.clear();
  execs_.clear();
}

std::string ReplayTotals::lines(bool coldRows) const {
  if (count_ == 0)
    return {};
  std::string text =
      fmt::format("{} of {} of {}", counted(count_, "replay", "replays"),
                  counted(execs(), "exec", "execs"), counted(graphs(), "graph", "graphs"));
  if (const Distribution &lengths = lengths_.shown(); !lengths.empty())
    text += fmt::format(", {} each in the median{}",
                        formatTime(lengths.quantileNs(0.5), lengths.exact()),
                        lengths_.isCold() ? coldMark : "");
  text += '\n';
  return cold_ > 0 ? text + coldLine(cold_, coldRows) : text;
}

} // namespace graphprof
