// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The number of records and host spans a second that each file output can write, and its effect on
// the harvest thread. Without replays, because outputs do not know where records come from.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include "../check.h"
#include "../statistics.h"
#include "output/Batching.h"
#include "output/MakeOutput.h"
#include "output/formats/sqlite/Sqlite.h"
#include "sections.h"

namespace benchmark::host {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Replays of one exec, as the harvest passes them on: 256 regions in 32 layers. The values
/// alternate.
class Replays {
public:
  static constexpr int regions = 256;

  Replays() {
    for (int i = 0; i < regions; ++i) {
      graphprof::Record record{};
      const bool layer = i % 8 == 0;
      contexts_.push_back({i / 8});
      record.site = &site_;
      record.name = names_.emplace_back(layer ? "layer " + std::to_string(i / 8)
                                              : "gemm " + std::to_string(i));
      record.context = contexts_.back().data();
      record.context_size = 1;
      record.depth = layer ? 0 : 1;
      record.stream = 7;
      record.graph = record.exec = 1;
      records_.push_back(record);
    }
  }

  graphprof::Replay next() {
    graphprof::Replay replay;
    replay.graph = replay.exec = replay.layout = 1;
    replay.number = number_++;
    replay.device = 0;
    replay.stream = 7;
    replay.step = static_cast<std::int64_t>(replay.number / 10);
    replay.launchNs = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(number_) * 2'600'000;
    replay.beginNs = replay.launchNs + 4'321;
    std::int64_t atNs = replay.beginNs;
    for (graphprof::Record &record : records_) {
      const auto jitter =
          static_cast<std::int64_t>((random_ = random_ * 6364136223846793005 + 1) >> 56);
      record.replay = replay.number;
      record.step = replay.step;
      record.begin_ns = atNs;
      record.duration_ns = 8'000 + jitter * 32;
      atNs += record.depth == 0 ? 0 : record.duration_ns + 640;
    }
    replay.endNs = atNs;
    replay.records = records_;
    return replay;
  }

private:
  const graphprof::Site site_{"gemm {}", "src/model.cu", 120, "forward"};
  std::deque<std::string> names_;
  std::deque<std::vector<graphprof::Value>> contexts_;
  std::vector<graphprof::Record> records_;
  std::uint64_t number_ = 0, random_ = 1;
};

/// Host spans of one thread, as the harvest passes them on: a region, a launch in it, and a range
/// around every tenth of these.
class HostSpans {
public:
  static constexpr int atOnce = 512;

  std::span<const graphprof::HostSpan> next() {
    spans_.clear();
    while (spans_.size() < atOnce) {
      const std::int64_t beginNs = atNs_;
      add(graphprof::HostKind::Launch, "cudaGraphLaunch", atNs_ + 700, 2'000).replay = number_;
      graphprof::HostSpan &region = add(graphprof::HostKind::Region, "enqueue", beginNs,
                                        spans_.back().end_ns - beginNs + 300);
      region.site = &site_;
      region.context = &layer_;
      region.context_size = 1;
      if (++number_ % 10 == 0)
        add(graphprof::HostKind::Range, "decode", groupNs_, region.end_ns - groupNs_ + 100);
      atNs_ = spans_.back().end_ns + 900;
      if (number_ % 10 == 0)
        groupNs_ = atNs_ - 200;
    }
    return spans_;
  }

private:
  graphprof::HostSpan &add(graphprof::HostKind kind, std::string_view name, std::int64_t beginNs,
                           std::int64_t durationNs) {
    const auto jitter =
        static_cast<std::int64_t>((random_ = random_ * 6364136223846793005 + 1) >> 56);
    graphprof::HostSpan &span = spans_.emplace_back();
    span.kind = kind;
    span.name = name;
    span.thread = 7128;
    span.thread_name = "decoder";
    span.begin_ns = beginNs;
    span.end_ns = beginNs + durationNs + jitter * 8;
    span.step = static_cast<std::int64_t>(number_ / 10);
    if (kind == graphprof::HostKind::Launch)
      span.graph = span.exec = 1;
    return span;
  }

  const graphprof::Site site_{"enqueue", "src/model.cu", 140, "decode"};
  const graphprof::Value layer_{7};
  std::vector<graphprof::HostSpan> spans_;
  std::int64_t atNs_ = 1'700'000'000'000'000'000, groupNs_ = atNs_ - 200;
  std::uint64_t number_ = 0, random_ = 1;
};

struct Sample {
  double perSecond = 0; ///< records or host spans, until the last of them is in the file
  double callerNs = 0;  ///< one, of the thread that hands them on
  double bytes = 0;     ///< one, in the file
};

void demand(const std::string &failed) {
  if (!failed.empty())
    throw std::runtime_error("outputs: " + failed);
}

/// Calls `hand(output)`, which passes on some records or host spans and returns their number, this
/// many times. At most `maxWaiting` of each call may wait.
template <class Hand>
Sample measure(const std::string &ending, int times, std::size_t maxWaiting, Hand hand) {
  constexpr int atOnce = 512; // the most pieces that wait
  std::string pattern = (std::filesystem::temp_directory_path() / "graphprof-XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const std::string path = (folder / ("run" + ending)).string();
  const auto output = graphprof::makeOutput(path, std::size_t{atOnce} * maxWaiting,
                                            graphprof::thisRun(), graphprof::HostSpansFor::All);
  std::size_t count = 0;
  double callerS = 0;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < times;) {
    const Clock::time_point handing = Clock::now();
    for (const int until = std::min(i + atOnce, times); i < until; ++i)
      count += hand(*output);
    callerS += secondsSince(handing);
    constexpr std::int64_t patienceMs = 60'000;
    if (!output->flush(patienceMs))
      throw std::runtime_error("outputs: " + path + " is too slow");
  }
  const double tookS = secondsSince(begin);
  if (output->dropped() > 0)
    throw std::runtime_error("outputs: " + path + " dropped records");
  demand(output->close({}));
  const auto all = static_cast<double>(count),
             bytes = static_cast<double>(std::filesystem::file_size(path));
  std::filesystem::remove_all(folder);
  return {all / tookS, callerS / all * 1e9, bytes / all};
}

Sample measureRecords(const std::string &ending, bool quick) {
  Replays replays;
  graphprof::Batching batching;
  return measure(ending, quick ? 40 : 8'000, Replays::regions + 1, [&](graphprof::Output &output) {
    demand(batching.write(replays.next(), output));
    return std::size_t{Replays::regions};
  });
}

Sample measureHostSpans(const std::string &ending, bool quick) {
  HostSpans spans;
  graphprof::Batching batching;
  return measure(ending, quick ? 20 : 4'000, HostSpans::atOnce + 4, [&](graphprof::Output &output) {
    const std::span<const graphprof::HostSpan> some = spans.next();
    demand(batching.write(some, output));
    return some.size();
  });
}

struct Kind {
  const char *what, *ending, *aim;
};

void compare(std::span<const Kind> kinds, bool quick,
             Sample (*measureOne)(const std::string &, bool)) {
  for (const Kind &kind : kinds) {
    if (std::string_view(kind.ending) == ".db" && !graphprof::sqliteBuiltIn())
      continue;
    std::vector<double> rates, callers, bytes;
    for (int round = 0; round <= (quick ? 1 : 7); ++round) {
      const Sample sample = measureOne(kind.ending, quick);
      if (round == 0)
        continue;
      rates.push_back(sample.perSecond);
      callers.push_back(sample.callerNs);
      bytes.push_back(sample.bytes);
    }
    const Summary rate = summarise(rates), caller = summarise(callers);
    std::printf("| %s | %.0f (%.0f to %.0f) | %s | %.1f (%.1f to %.1f) | %.1f |\n", kind.what,
                rate.median, rate.lowerQuartile, rate.upperQuartile, kind.aim, caller.median,
                caller.lowerQuartile, caller.upperQuartile, median(bytes));
  }
  std::fflush(stdout);
}

} // namespace

void outputs(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const Kind ofRecords[] = {{"binary", ".gprof", "1,000,000"},
                            {"SQLite", ".db", "1,000,000"},
                            {"CSV", ".csv", "300,000"},
                            {"JSON lines", ".jsonl", "300,000"}};
  std::printf("\n### Outputs: 256 regions a replay, written while the program runs\n\n"
              "| output | records a second | aim | of the harvest thread, ns a record | bytes a "
              "record |\n| --- | --- | --- | --- | --- |\n");
  compare(ofRecords, quick, measureRecords);
  const Kind ofHostSpans[] = {
      {"binary", ".gprof", ""}, {"SQLite", ".db", ""}, {"JSON lines", ".jsonl", ""}};
  std::printf("\n### Outputs: host spans, where they are asked for\n\n"
              "| output | host spans a second | aim | of the harvest thread, ns a span | bytes a "
              "span |\n| --- | --- | --- | --- | --- |\n");
  compare(ofHostSpans, quick, measureHostSpans);
}

} // namespace benchmark::host
