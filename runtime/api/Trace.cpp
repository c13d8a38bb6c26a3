// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/trace.h.

#include "graphprof/trace.h"

#include <algorithm>
#include <optional>

#include "Edge.h"
#include "Thrown.h"
#include "output/Batching.h"
#include "output/data/CopyNames.h"
#include "output/formats/chrome_trace/ChromeTrace.h"
#include "output/formats/graph/GraphPicture.h"
#include "output/formats/memory_timeline/MemoryTimeline.h"
#include "output/io/File.h"
#include "output/io/FileName.h"
#include "output/statistics/Averages.h"
#include "output/statistics/Overlap.h"
#include "process/Process.h"
#include "session/Session.h"
#include "session/cycles/FoldedStacks.h"
#include "session/cycles/SavedCycle.h"

namespace graphprof {

namespace {

// `work` returns a failure text; empty: it succeeded.
template <class Work> bool succeeds(Work work) noexcept {
  const Edge edge;
  try {
    const std::string failure = work();
    if (failure.empty())
      return true;
    process().session.say("nothing was exported: " + failure);
  } catch (...) {
    process().session.say("nothing was exported: ", whatWasThrown());
  }
  return false;
}

} // namespace

std::uint64_t Trace::cycle() const noexcept { return saved_->number; }
std::int64_t Trace::first_step() const noexcept { return saved_->firstStep; }
std::int64_t Trace::last_step() const noexcept { return saved_->lastStep; }
std::string Trace::get_trace_id() const { return saved_->traceId; }
std::uint64_t Trace::dropped() const noexcept { return saved_->dropped; }

Events Trace::events() const {
  return Events(std::shared_ptr<const std::vector<Record>>(saved_, &saved_->all->records()));
}

std::vector<std::int64_t> Trace::overlapped_ns() const {
  const auto timeOf = [](const Record &record) {
    return StreamTime{record.device, record.stream, record.begin_ns,
                      record.begin_ns + record.duration_ns};
  };
  const auto isCopy = [](const Record &record) {
    return record.exec == 0 && record.measured() && isCopyOfStep(record);
  };
  const Collection &all = *saved_->all;
  std::vector<StreamTime> times;
  for (const Replay &replay : all.replays())
    if (replay.exec != 0 && replay.spanKnown())
      times.push_back({replay.device, replay.stream, replay.beginNs, replay.endNs});
  for (const Record &record : all.records())
    if (record.exec == 0 && record.clock != Clock::Host && record.measured() && !isCopy(record))
      times.push_back(timeOf(record));
  std::sort(times.begin(), times.end(),
            [](const StreamTime &a, const StreamTime &b) { return a.beginNs < b.beginNs; });
  Overlap computing(times.size());
  for (const StreamTime &time : times)
    computing.add(time);
  std::vector<std::int64_t> overlapped;
  overlapped.reserve(all.records().size());
  for (const Record &record : all.records())
    overlapped.push_back(isCopy(record) ? computing.overlappedNs(timeOf(record)) : -1);
  return overlapped;
}

HostEvents Trace::host_events() const {
  return HostEvents(std::shared_ptr<const std::vector<HostSpan>>(saved_, &saved_->all->spans()));
}

KeyAverages Trace::key_averages(bool group_by_input_shape, int group_by_stack_n) const {
  const OwnFloats inHere;
  const std::vector<HostSpan> &spans = saved_->all->spans();
  const std::size_t records = saved_->all->size();
  Averages averages({group_by_input_shape, group_by_stack_n}, records, !spans.empty(), records);
  for (const auto &[key, json] : process().session.facts())
    if (key == "deviceProperties")
      averages.peaks(peaksOf(json));
  for (const Replay &replay : saved_->all->replays())
    averages.add(replay);
  if (saved_->memory)
    averages.withMemory();
  averages.addHost(spans, saved_->all->memory());
  return averages.finish();
}

bool Trace::export_chrome_trace(const std::string &path) const noexcept {
  return succeeds([&] {
    // Room for everything: each record, each replay's own span, each host span.
    const std::size_t most =
        saved_->own->size() + saved_->own->replays().size() + saved_->own->spans().size();
    const std::string file = expandPath(path);
    ChromeTrace output(file, most);
    Batching batching;
    std::string failure = saved_->writeTo(output, {.hostSpans = true, .memory = true}, batching);
    return failure.empty() ? output.close(process().session.losses()) : failure;
  });
}

bool Trace::export_execution_trace(const std::string &path) const noexcept {
  return succeeds([&]() -> std::string {
    const std::optional<GraphForm> form = graphFormOf(path);
    if (!form)
      return path + " must end in .json or .dot";
    GraphPicture picture(expandPath(path), *form, saved_->own->size());
    Batching batching;
    std::string failure = saved_->writeTo(picture, {}, batching);
    if (picture.dropped() > 0)
      process().session.say("a graph is not drawn: it was made before the profile, or the "
                            "profile lacks execution_trace; make the profile first, with it");
    return failure.empty() ? picture.close(process().session.losses()) : failure;
  });
}

bool Trace::export_memory_timeline(const std::string &path,
                                   std::string_view device) const noexcept {
  return succeeds([&]() -> std::string {
    if (path.ends_with(
            ".html")) // a page needs a library of charts, which the runtime does not carry
      return path + " must end in .json, .json.gz, .raw.json or .raw.json.gz; for a page, record "
                    "with GRAPHPROF_MEMORY=1 GRAPHPROF_OUTPUT=run.gprof, and run graphprof html "
                    "run.gprof";
    const std::vector<MemoryEvent> &events = saved_->all->memory();
    if (events.empty())
      return "no memory was allocated or freed, or the profile was made without profile_memory; "
             "set it";
    const std::optional<int> wanted = memoryDevice(device, events);
    if (!wanted)
      return "device " + std::string(device) + " must be cpu, cuda, or cuda:NUMBER";
    const MemoryTimeline timeline(events, *wanted, saved_->all->held());
    if (timeline.empty())
      return "no memory of " + std::string(device) +
             " was allocated or freed; choose another device";
    if (path.ends_with("raw.json") || path.ends_with("raw.json.gz"))
      return writeWhole(expandPath(path), timeline.rawJson());
    return writeWhole(expandPath(path), timeline.json());
  });
}

bool Trace::export_stacks(const std::string &path, std::string_view metric) const noexcept {
  return succeeds([&]() -> std::string {
    const bool cuda = metric == "self_cuda_time_total";
    if (!cuda && metric != "self_cpu_time_total")
      return "metric " + std::string(metric) +
             " must be self_cuda_time_total or self_cpu_time_total";
    return writeWhole(expandPath(path),
                      foldedStacks(saved_->all->replays(), saved_->all->spans(),
                                   cuda ? ProfilerActivity::CUDA : ProfilerActivity::CPU));
  });
}

} // namespace graphprof
