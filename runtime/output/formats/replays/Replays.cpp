// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/replays/Replays.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

// As a recursion may be: deeper ones stand below each other.
int indentOf(int depth) {
  constexpr int deepest = 100;
  return 2 * std::clamp(depth, 0, deepest);
}

std::string inStep(std::int64_t step) {
  return step < 0 ? std::string() : fmt::format(", step {}", step);
}

} // namespace

Replays::Replays(const std::string &path)
    : name_(path.empty() ? "replays" : "replays:" + path), stream_(path) {}

std::string Replays::write(const Replay &replay) {
  std::string text;
  auto out = std::back_inserter(text);
  const bool inGraph = replay.exec != 0;
  if (inGraph)
    fmt::format_to(out, "--- graph {}, exec {}, replay {}{}{} ---\n", replay.graph, replay.exec,
                   replay.number, inStep(replay.step), replay.cold ? " (cold)" : "");
  for (const Record &record : replay.records) {
    fmt::format_to(out, "{:{}}{}: ", "", indentOf(record.depth), printable(record.name));
    if (record.measured())
      fmt::format_to(out, "{:.3f} us", static_cast<double>(record.durationNs) * 1e-3);
    else
      text += "not measured";
    if (record.iteration >= 0)
      fmt::format_to(out, " (iteration {})", record.iteration);
    if (record.clock == Clock::Host)
      fmt::format_to(out, " (host time{})", inStep(record.step));
    else if (!inGraph)
      fmt::format_to(out, " (outside graphs{})", inStep(record.step));
    text += '\n';
  }
  return stream_.write(text); // in one piece, so that it does not mix with the program's own text
}

std::string Replays::close(const Losses &losses) {
  std::string text;
  for (const std::string &sentence : lossSentences(losses))
    text += "graphprof: " + sentence + '\n';
  std::string failed = text.empty() ? text : stream_.write(text);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

constinit const Format formats::replays = {
    .word = "replays",
    .toStderr = true,
    .items = "replays:PATH",
    .make = [](const Request &, const OutputSettings &settings) -> std::unique_ptr<Output> {
      return std::make_unique<Replays>(settings.path);
    },
};

} // namespace graphprof
