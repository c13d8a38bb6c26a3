// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/ReplayTotals.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/io/Text.h"
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
  const std::int64_t lengthNs = replay.lengthNs();
  if (lengthNs > 0)
    lengths_.of(replay).add(lengthNs);
  if (!replay.serves)
    return;
  auto known = named_.find(replay.serves->text);
  if (known == named_.end() && named_.size() < mostNames)
    known = named_.try_emplace(replay.serves->text).first;
  if (known == named_.end())
    ++otherNames_;
  else if (lengthNs > 0)
    known->second.of(replay).add(lengthNs);
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

std::string ReplayTotals::namedLines() const {
  constexpr std::size_t mostLines = 12;
  const auto whole = static_cast<double>(lengths_.shown().sumNs());
  std::vector<std::pair<double, const std::string *>> order; // less: longer
  for (const auto &[name, lengths] : named_)
    if (lengths.isCold() == lengths_.isCold() && !lengths.shown().empty())
      order.emplace_back(-static_cast<double>(lengths.shown().sumNs()), &name);
  std::ranges::sort(order, {}, [](const auto &one) { return std::pair(one.first, *one.second); });
  std::string text;
  double restNs = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto &[lessNs, name] = order[i];
    const Distribution &lengths = named_.at(*name).shown();
    if (i >= mostLines) {
      restNs -= lessNs;
      continue;
    }
    text += fmt::format("  {}: {}, {} each in the median, {} of the time of all\n",
                        printable(*name), counted(lengths.count(), "replay", "replays"),
                        formatTime(lengths.quantileNs(0.5), lengths.exact()),
                        formatPercent(-100 * lessNs / whole));
  }
  if (order.size() > mostLines)
    text += fmt::format("  and {} of the time of all in graphs of {} more names\n",
                        formatPercent(100 * restNs / whole), order.size() - mostLines);
  if (otherNames_ > 0)
    text += fmt::format("  {} of graphs with more than {} different names\n",
                        counted(otherNames_, "replay", "replays"), mostNames);
  return text;
}

} // namespace graphprof
