// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/FoldedStacks.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "output/data/Nesting.h"
#include "output/data/Path.h"
#include "output/io/Text.h"
#include "output/statistics/ByWarmth.h"

namespace graphprof {

namespace {

// Replaces the characters that torch.profiler replaces, so that programs that read its stacks read
// these.
std::string frame(std::string_view name) {
  std::string text = utf8(name);
  std::replace_if(
      text.begin(), text.end(),
      [](char character) {
        const auto code = static_cast<unsigned char>(character);
        return code <= ' ' || code == 0x7f || character == ';';
      },
      '_');
  return text;
}

// The own time of each path.
struct OwnTime {
  std::uint64_t executions = 0; // measured or not
  std::int64_t ns = 0;
  [[nodiscard]] bool empty() const { return executions == 0; }
};

class Stacks {
public:
  ByWarmth<OwnTime> &operator[](const std::string &path) { return times_[path]; }
  [[nodiscard]] std::string text() const {
    std::map<std::string, std::int64_t> lines; // in their order
    for (const auto &[path, times] : times_)
      if (times.shown().ns > 0)
        lines[times.isCold() ? std::string(coldFrame) + ';' + path : path] += times.shown().ns;
    std::string text;
    for (const auto &[path, ns] : lines)
      text += path + ' ' + std::to_string(ns) + '\n';
    return text;
  }

private:
  // The outermost frame of what ran in cold replays only, so that no frame has warm and cold times.
  static constexpr std::string_view coldFrame = "(cold)";
  std::map<std::string, ByWarmth<OwnTime>> times_;
};

// The path of each region; `parents` says which region is inside which.
class Paths {
public:
  explicit Paths(std::size_t count) { paths_.reserve(count); }
  const std::string &add(std::string_view name, std::ptrdiff_t parent) {
    return paths_.emplace_back(
        parent < 0 ? frame(name)
                   : pathInside(paths_[static_cast<std::size_t>(parent)], frame(name), ';'));
  }

private:
  std::vector<std::string> paths_;
};

void addRecords(Stacks &stacks, const Replay &replay, bool ofHost) {
  std::vector<Record> records;
  std::copy_if(replay.records.begin(), replay.records.end(), std::back_inserter(records),
               [ofHost](const Record &record) { return (record.clock == Clock::Host) == ofHost; });
  Paths paths(records.size());
  for (const RecordTree::Node &node : RecordTree(records).nodes) {
    const std::string &path = paths.add(node.record->name, node.parent);
    OwnTime &time = stacks[path].of(replay);
    ++time.executions;
    if (node.record->measured())
      time.ns += node.selfNs();
  }
}

void addSpans(Stacks &stacks, std::span<const HostSpan> spans) {
  const std::vector<std::ptrdiff_t> parents = containers(spans);
  Paths paths(spans.size());
  std::vector<const std::string *> places;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const HostSpan &span = spans[i];
    // All steps share one path, as in key averages.
    const bool isStep = span.kind == HostKind::Step;
    places.push_back(&paths.add(isStep ? "ProfilerStep*" : span.name, parents[i]));
    OwnTime &time = stacks[*places.back()].warm;
    ++time.executions;
    time.ns += span.duration_ns();
    if (parents[i] >= 0)
      stacks[*places[static_cast<std::size_t>(parents[i])]].warm.ns -= span.duration_ns();
  }
}

} // namespace

std::string foldedStacks(std::span<const Replay> replays, std::span<const HostSpan> spans,
                         ProfilerActivity activity) {
  Stacks stacks;
  const bool ofHost = activity == ProfilerActivity::CPU;
  if (ofHost && !spans.empty()) // host regions are among the spans
    addSpans(stacks, spans);
  else
    for (const Replay &replay : replays)
      addRecords(stacks, replay, ofHost);
  return stacks.text();
}

} // namespace graphprof
