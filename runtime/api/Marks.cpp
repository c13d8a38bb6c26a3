// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/marks.h.

#include "graphprof/marks.h"

#include <string>
#include <utility>
#include <vector>

#include "clock/HostClock.h"
#include "graphprof/control.h"
#include "graphprof/step.h"
#include "host/HostSpans.h"
#include "nvtx/Nvtx.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

namespace {

bool shown() { return process().session.recordingSwitch.hostSpans(); }

HostEvent eventOf(HostKind kind, std::string name, std::int64_t beginNs, std::int64_t step) {
  HostEvent event;
  event.kind = kind;
  event.name = std::move(name);
  event.beginNs = beginNs;
  event.step = step;
  return event;
}

} // namespace

void v1::mark(std::string_view name) noexcept try {
  if (!active())
    return;
  used();
  std::string text(name);
  if (nvtx::listens())
    nvtx::mark(text.c_str());
  if (!shown())
    return;
  HostEvent event = eventOf(HostKind::Mark, std::move(text), hostNowNs(), current_step());
  event.endNs = event.beginNs;
  process().hostSpans.push(std::move(event));
} catch (...) { // no memory: the mark is not shown
  ++process().session.counters.hostSpans;
}

int v1::range_push(std::string_view name) noexcept try {
  if (!active())
    return -1;
  used();
  OpenRange range;
  range.name = name;
  range.nvtx = nvtx::listens();
  range.step = current_step();
  std::vector<OpenRange> &open = OpenRegions::ofThisThread().ranges;
  open.push_back(std::move(range));
  OpenRange &mine = open.back();
  if (mine.nvtx)
    nvtx::push(mine.name.c_str());
  if (shown())
    mine.beginNs = hostNowNs();
  return static_cast<int>(open.size()) - 1;
} catch (...) { // no memory: its range_pop() will end another range
  ++process().session.counters.hostSpans;
  return -1;
}

int v1::range_pop() noexcept try {
  if (!active())
    return -1;
  std::vector<OpenRange> &open = OpenRegions::ofThisThread().ranges;
  if (open.empty()) {
    process().session.say(
        "ignored range_pop(): this thread has no open range; pop on the thread that pushed");
    return -1;
  }
  OpenRange mine = std::move(open.back());
  open.pop_back();
  if (mine.nvtx)
    nvtx::pop();
  if (mine.beginNs != 0) {
    HostEvent event = eventOf(HostKind::Range, std::move(mine.name), mine.beginNs, mine.step);
    event.endNs = hostNowNs();
    process().hostSpans.push(std::move(event));
  }
  return static_cast<int>(open.size());
} catch (...) { // no memory: the range is not shown
  ++process().session.counters.hostSpans;
  return -1;
}

} // namespace graphprof
