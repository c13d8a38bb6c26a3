// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/replays/Replays.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/data/LossText.h"
#include "output/io/Columns.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

std::string inStep(std::int64_t step) {
  return step < 0 ? std::string() : fmt::format(", step {}", step);
}

// The first line is a heading, or a region outside graphs.
bool isOfReplays(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const auto ends = [line](std::string_view text) { return line.find(text) != line.npos; };
  return beginsAsLine(head) || head.starts_with("--- graph ") || ends(" us (outside graphs") ||
         ends(" us (host time") || ends(": not measured");
}

} // namespace

std::string Replays::write(const Batch &batch) {
  regions_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return Region{fmt::format("{:{}}{}: ", "", indentOf(region.depth), printable(region.shown())),
                  region.clock};
  });
  if (batch.launches.empty())
    return {};
  std::string text;
  for (const Batch::Launch &launch : batch.launches)
    add(text, batch, launch);
  return stream_.write(text); // one write, so that it does not mix with the program's own text
}

void Replays::add(std::string &text, const Batch &batch, const Batch::Launch &launch) const {
  auto out = std::back_inserter(text);
  const Replay &replay = launch.replay;
  const bool inGraph = replay.exec != 0;
  if (inGraph)
    fmt::format_to(out, "--- {}, exec {}, replay {}{}{} ---\n", printable(replay.shownGraph()),
                   replay.exec, replay.number, inStep(replay.step), replay.cold ? " (cold)" : "");
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    const Region &region = regions_.of(timing.region);
    text += region.heading;
    if (timing.durationNs >= 0)
      fmt::format_to(out, "{:.3f} us", static_cast<double>(timing.durationNs) * 1e-3);
    else
      text += "not measured";
    if (timing.iteration >= 0)
      fmt::format_to(out, " (iteration {})", timing.iteration);
    if (region.clock == Clock::Host)
      fmt::format_to(out, " (host time{})", inStep(timing.step));
    else if (!inGraph)
      fmt::format_to(out, " (outside graphs{})", inStep(timing.step));
    text += '\n';
  }
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
    .mode = WriteMode::Immediate,
    .wrote = isOfReplays,
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<Replays>(settings.path);
    },
};

} // namespace graphprof
