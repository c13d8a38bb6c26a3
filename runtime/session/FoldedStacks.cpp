// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/FoldedStacks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace graphprof {

namespace {

constexpr std::int64_t nsPerUs = 1000;

// As torch.profiler does, so that what reads its stacks reads these.
std::string frame(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(),
      [](char character) {
        return std::string_view(" ;\t\n\r").find(character) != std::string_view::npos;
      },
      '_');
  return text;
}

struct Open {
  int depth;
  std::string path;
};

} // namespace

std::string foldedStacks(std::span<const Replay> replays, ProfilerActivity activity) {
  std::map<std::string, std::int64_t> selfNs;
  std::vector<Open> open;
  for (const Replay &replay : replays) {
    open.clear();
    for (const Record &record : replay.records) {
      if ((record.clock == Clock::Host) != (activity == ProfilerActivity::CPU))
        continue;
      while (!open.empty() && open.back().depth >= record.depth)
        open.pop_back();
      std::string path =
          open.empty() ? frame(record.name) : open.back().path + ';' + frame(record.name);
      if (record.measured()) {
        selfNs[path] += record.durationNs;
        if (!open.empty())
          selfNs[open.back().path] -= record.durationNs;
      }
      open.push_back({record.depth, std::move(path)});
    }
  }
  std::string text;
  for (const auto &[path, ns] : selfNs)
    if (ns >= nsPerUs)
      text += path + ' ' + std::to_string(ns / nsPerUs) + '\n';
  return text;
}

} // namespace graphprof
