// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Receives the program's NVTX ranges if NVTX_INJECTION64_PATH names libgraphprof.so. A range that a
// thread pushes while it captures is a region of the capture, in all its streams, until it is
// popped or the capture ends. If a thread adds to another thread's capture, its range is a region
// of that capture from then on. Outside captures a range is a span of the host's time line. So are
// ranges with a start and an end, which may be on two threads, and marks. While a range is open
// whose name begins with "graph: ", the rest names the graphs of its thread
// (graphprof/graph_scope.h).
//
// NVTX loads it once for each module that uses NVTX, including graphprof itself. What graphprof
// emits is not taken.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

#include "ThreadOwned.h"
#include "Thrown.h"
#include "calls/nvtx/Names.h"
#include "clock/HostClock.h"
#include "graph/registry/Capture.h"
#include "graphprof/control.h"
#include "graphprof/graph_scope.h"
#include "graphprof/marks.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"
#include "host/HostSpans.h"
#include "nvtx/Nvtx.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "process/StartedRanges.h"
#include "services/Name.h"
#include "session/Session.h"

namespace graphprof {
namespace {

using nvtx::domains;
using nvtx::matches;
using nvtx::nameOf;
using nvtx::narrow;
using nvtx::plain;
using nvtx::siteOf;
using nvtx::strings;
using nvtx::Text;
using nvtx::Texts;

// A range that opens a window of GRAPHPROF_WINDOW, until this object is gone. A thread may end
// without a pop.
class WindowRange {
public:
  WindowRange() noexcept { process().windows.open(WindowArguments::Opener::NvtxRange); }
  ~WindowRange() { process().windows.close(WindowArguments::Opener::NvtxRange); }
  WindowRange(const WindowRange &) = delete;
  WindowRange &operator=(const WindowRange &) = delete;

  // Does a range open windows? Which one?
  static bool wanted() { return process().windows.openBy(WindowArguments::Opener::NvtxRange); }
  static bool opens(const std::string &name) { return matches({process().windows.range()}, name); }
};

// How a range begins that names the graphs which its thread captures meanwhile: the rest is the
// name.
constexpr std::string_view namesGraphs = "graph: ";

// A range that this thread pushed. Ranges that are not taken are noted, too, for their pops.
struct Pushed {
  std::unique_ptr<WindowRange> window;
  std::unique_ptr<GraphScope> graph; // of a range that names graphs
  std::unique_ptr<Scope> region;
  driver::Stream capture = nullptr; // the stream in which the region's capture began; in progress
  std::string name;              // of a range that becomes a region when its thread joins a capture
  std::weak_ptr<Capture> joined; // that capture
  bool isOfHost = false;

  Pushed() = default;
  Pushed(Pushed &&) = default;
  Pushed &operator=(Pushed &&) = default;
  Pushed(const Pushed &) = delete;
  Pushed &operator=(const Pushed &) = delete;
  ~Pushed() = default;

  // Begins the region in the capture that this thread joined last, unless it is in a capture in
  // progress.
  void beginJoined(const std::shared_ptr<Capture> &newest) {
    if (const auto capture = joined.lock(); region && capture && !capture->hasEnded())
      return;
    region.reset();
    region = std::make_unique<Scope>(siteOf(name), on_capture());
    joined = newest;
  }
};
// Of this thread. A program may push for ever and never pop, so nothing here looks at all of them
// for each push, pop or capture.
class PushedRanges {
public:
  // The new one. Returns how many of its domain were open before.
  std::size_t push(nvtxDomainHandle_t domain, Pushed *&pushed) {
    std::vector<Place> &mine = domains_[domain];
    mine.reserve(mine.size() == mine.capacity() ? 2 * mine.size() + 8 : 0);
    all_.emplace_back();
    mine.push_back(std::prev(all_.end()));
    pushed = &all_.back();
    return mine.size() - 1;
  }
  // Call this when the region of `pushed`, the newest one, was begun in a capture of this thread.
  void isCaptured(Pushed *pushed) { captured_.push_back(pushed); }
  // The innermost one of the domain. Null if there is none.
  Pushed *innermost(nvtxDomainHandle_t domain) {
    const auto mine = domains_.find(domain);
    return mine == domains_.end() || mine->second.empty() ? nullptr : &*mine->second.back();
  }
  // Removes that one. Returns how many are left in the domain.
  std::size_t pop(nvtxDomainHandle_t domain) {
    std::vector<Place> &mine = domains_[domain];
    const Place place = mine.back();
    if (place->capture)
      std::erase(captured_, &*place);
    all_.erase(place);
    mine.pop_back();
    return mine.size();
  }
  // Ends the regions that were begun in a capture, the innermost first.
  void captureEnds(driver::Stream stream) {
    for (auto each = captured_.rbegin(); each != captured_.rend(); ++each)
      if ((*each)->capture == stream) {
        (*each)->region.reset();
        (*each)->capture = nullptr;
      }
    std::erase_if(captured_, [](const Pushed *each) { return !each->capture; });
  }
  // For those that may become regions of a capture that this thread joins, the outermost first.
  void joined(const std::shared_ptr<Capture> &newest) {
    for (Pushed &each : all_)
      if (!each.name.empty())
        each.beginJoined(newest);
  }

private:
  using Place = std::list<Pushed>::iterator;
  std::list<Pushed> all_; // innermost last
  std::map<nvtxDomainHandle_t, std::vector<Place>> domains_;
  std::vector<Pushed *> captured_; // in captures in progress, innermost last
};

bool isTaken(nvtxDomainHandle_t domain, const std::string &name) {
  const auto *const of = reinterpret_cast<const Text *>(domain);
  const Config &config = process().session.config();
  if (of ? !of->isTaken : !matches(config.nvtxDomains, ""))
    return false;
  return !name.empty() && matches(config.nvtxRegions, name);
}

void beginRange(PushedRanges &ranges, Pushed &pushed, std::string name) {
  if (const auto &capturing = OpenRegions::ofThisThread().capturing; !capturing.empty()) {
    ranges.isCaptured(&pushed);
    pushed.capture = capturing.back();
    pushed.region = std::make_unique<Scope>(siteOf(name), on_capture());
    return;
  }
  if (process().session.recordingSwitch.hostSpans()) {
    range_push(name);
    pushed.isOfHost = true;
  }
  pushed.name = std::move(name);
  if (const auto capture = OpenRegions::ofThisThread().newestJoined())
    pushed.beginJoined(capture);
}

template <class MakeName> int push(nvtxDomainHandle_t domain, MakeName makeName) noexcept {
  std::size_t depth = 0;
  const bool isPushed = survived([&] {
    auto *const ranges = ofThisThread<PushedRanges>();
    if (!ranges)
      return;
    Pushed *pushed = nullptr;
    depth = ranges->push(domain, pushed);
    if (active() && WindowRange::wanted() && WindowRange::opens(makeName()))
      pushed->window = std::make_unique<WindowRange>();
    std::string name = active() ? makeName() : std::string();
    if (name.size() > namesGraphs.size() && name.starts_with(namesGraphs))
      pushed->graph =
          std::make_unique<GraphScope>(asFormat(name.substr(namesGraphs.size())).c_str());
    if (isTaken(domain, name))
      beginRange(*ranges, *pushed, std::move(name));
  });
  if (isPushed)
    return static_cast<int>(depth);
  ++process().session.counters.dropped;
  return 0;
}

int pop(nvtxDomainHandle_t domain) noexcept {
  auto *const ranges = ofThisThread<PushedRanges>();
  if (!ranges)
    return 0;
  Pushed *const found = ranges->innermost(domain);
  if (!found) {
    if (active())
      process().session.say("NVTX: ignored a pop: this thread has no open range");
    return 0;
  }
  found->region.reset();
  found->graph.reset();
  if (found->isOfHost)
    range_pop();
  return static_cast<int>(ranges->pop(domain));
}

template <class MakeName>
void begin(StartedRanges::Number range, nvtxDomainHandle_t domain, MakeName makeName) {
  Process &own = process();
  if (active() && WindowRange::wanted() && WindowRange::opens(makeName()))
    own.startedRanges.openWindow(range);
  if (!active() || !own.session.recordingSwitch.hostSpans())
    return;
  HostEvent event;
  event.kind = HostKind::Range;
  event.name = makeName();
  if (!isTaken(domain, event.name))
    return;
  used();
  event.thread = own.hostSpans.thisThread();
  event.step = current_step();
  event.beginNs = hostNowNs();
  own.startedRanges.add(range, std::move(event));
}

template <class MakeName>
nvtxRangeId_t start(nvtxDomainHandle_t domain, MakeName makeName) noexcept {
  Process &own = process();
  const nvtxRangeId_t range = own.startedRanges.next();
  if (!survived([&] { begin(range, domain, makeName); }))
    ++own.session.counters.hostSpans;
  return range;
}

template <class MakeName> void noteMark(nvtxDomainHandle_t domain, MakeName makeName) noexcept {
  if (!active() || !process().session.recordingSwitch.hostSpans())
    return;
  if (!survived([&] {
        if (const std::string name = makeName(); isTaken(domain, name))
          mark(name);
      }))
    ++process().session.counters.hostSpans;
}

// What is used before the program's first CUDA call has to be whole in a forked child
// (Lifetime.cpp).
void readyForForks() {
  (void)ofThisThread<PushedRanges>();
  static const int once = pthread_atfork(
      [] {
        domains().lock();
        strings().lock();
      },
      [] {
        strings().unlock();
        domains().unlock();
      },
      [] {
        strings().unlock();
        domains().unlock();
      });
  (void)once;
}

std::atomic<bool> listening{false};

// NVTX's functions.

int NVTX_API pushA(const char *name) {
  return push(nullptr, [=] { return plain(name); });
}
int NVTX_API pushW(const wchar_t *name) {
  return push(nullptr, [=] { return narrow(name); });
}
int NVTX_API pushEx(const nvtxEventAttributes_t *attributes) {
  return push(nullptr, [=] { return nameOf(attributes); });
}
int NVTX_API popAny() { return pop(nullptr); }
int NVTX_API domainPush(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  return push(domain, [=] { return nameOf(attributes); });
}
int NVTX_API domainPop(nvtxDomainHandle_t domain) { return pop(domain); }

nvtxRangeId_t NVTX_API startA(const char *name) {
  return start(nullptr, [=] { return plain(name); });
}
nvtxRangeId_t NVTX_API startW(const wchar_t *name) {
  return start(nullptr, [=] { return narrow(name); });
}
nvtxRangeId_t NVTX_API startEx(const nvtxEventAttributes_t *attributes) {
  return start(nullptr, [=] { return nameOf(attributes); });
}
nvtxRangeId_t NVTX_API domainStart(nvtxDomainHandle_t domain,
                                   const nvtxEventAttributes_t *attributes) {
  return start(domain, [=] { return nameOf(attributes); });
}
void NVTX_API end(nvtxRangeId_t id) { process().startedRanges.end(id); }
void NVTX_API domainEnd(nvtxDomainHandle_t /*domain*/, nvtxRangeId_t id) {
  process().startedRanges.end(id);
}

void NVTX_API markA(const char *name) {
  noteMark(nullptr, [=] { return plain(name); });
}
void NVTX_API markW(const wchar_t *name) {
  noteMark(nullptr, [=] { return narrow(name); });
}
void NVTX_API markEx(const nvtxEventAttributes_t *attributes) {
  noteMark(nullptr, [=] { return nameOf(attributes); });
}
void NVTX_API domainMark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  noteMark(domain, [=] { return nameOf(attributes); });
}

template <class Handle, class MakeText> Handle handleOf(Texts &texts, MakeText makeText) noexcept {
  Text *text = nullptr;
  (void)survived([&] { text = texts.of(makeText()); });
  return reinterpret_cast<Handle>(text);
}
nvtxDomainHandle_t NVTX_API createA(const char *name) {
  return handleOf<nvtxDomainHandle_t>(domains(), [=] { return plain(name); });
}
nvtxDomainHandle_t NVTX_API createW(const wchar_t *name) {
  return handleOf<nvtxDomainHandle_t>(domains(), [=] { return narrow(name); });
}
nvtxStringHandle_t NVTX_API registerA(nvtxDomainHandle_t /*domain*/, const char *text) {
  return handleOf<nvtxStringHandle_t>(strings(), [=] { return plain(text); });
}
nvtxStringHandle_t NVTX_API registerW(nvtxDomainHandle_t /*domain*/, const wchar_t *text) {
  return handleOf<nvtxStringHandle_t>(strings(), [=] { return narrow(text); });
}

struct Taken {
  unsigned id;
  NvtxFunctionPointer function;
};
template <class Function> NvtxFunctionPointer as(Function *function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

bool take(const NvtxExportTableCallbacks &callbacks, NvtxCallbackModule module,
          const std::vector<Taken> &functions) {
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks.GetModuleFunctionTable(module, &table, &size))
    return false;
  for (const Taken &each : functions)
    if (each.id < size && table[each.id])
      *table[each.id] = each.function;
  return true;
}

bool isOurOwn(const void *address) {
  Dl_info theirs{}, ours{};
  return dladdr(address, &theirs) && dladdr(reinterpret_cast<const void *>(&isOurOwn), &ours) &&
         theirs.dli_fbase == ours.dli_fbase;
}

} // namespace

void nvtx::captureEnds(driver::Stream stream) noexcept {
  if (!listening.load(std::memory_order_relaxed))
    return;
  if (auto *const ranges = ofThisThread<PushedRanges>())
    ranges->captureEnds(stream);
}

void nvtx::joined(const std::shared_ptr<Capture> &capture) {
  if (!listening.load(std::memory_order_relaxed))
    return;
  if (auto *const ranges = ofThisThread<PushedRanges>())
    ranges->joined(capture);
}

} // namespace graphprof

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable) {
  using namespace graphprof;
  if (!active() || isOurOwn(reinterpret_cast<const void *>(getTable)))
    return 0;
  const auto *const callbacks =
      static_cast<const NvtxExportTableCallbacks *>(getTable(NVTX_ETID_CALLBACKS));
  if (!callbacks)
    return 0;
  bool isTaken = false;
  (void)survived([&] {
    readyForForks();
    const bool core = take(*callbacks, NVTX_CB_MODULE_CORE,
                           {{NVTX_CBID_CORE_RangePushA, as(pushA)},
                            {NVTX_CBID_CORE_RangePushW, as(pushW)},
                            {NVTX_CBID_CORE_RangePushEx, as(pushEx)},
                            {NVTX_CBID_CORE_RangePop, as(popAny)},
                            {NVTX_CBID_CORE_RangeStartA, as(startA)},
                            {NVTX_CBID_CORE_RangeStartW, as(startW)},
                            {NVTX_CBID_CORE_RangeStartEx, as(startEx)},
                            {NVTX_CBID_CORE_RangeEnd, as(end)},
                            {NVTX_CBID_CORE_MarkA, as(markA)},
                            {NVTX_CBID_CORE_MarkW, as(markW)},
                            {NVTX_CBID_CORE_MarkEx, as(markEx)}});
    const bool core2 = take(*callbacks, NVTX_CB_MODULE_CORE2,
                            {{NVTX_CBID_CORE2_DomainRangePushEx, as(domainPush)},
                             {NVTX_CBID_CORE2_DomainRangePop, as(domainPop)},
                             {NVTX_CBID_CORE2_DomainRangeStartEx, as(domainStart)},
                             {NVTX_CBID_CORE2_DomainRangeEnd, as(domainEnd)},
                             {NVTX_CBID_CORE2_DomainMarkEx, as(domainMark)},
                             {NVTX_CBID_CORE2_DomainRegisterStringA, as(registerA)},
                             {NVTX_CBID_CORE2_DomainRegisterStringW, as(registerW)},
                             {NVTX_CBID_CORE2_DomainCreateA, as(createA)},
                             {NVTX_CBID_CORE2_DomainCreateW, as(createW)}});
    isTaken = core || core2;
    if (isTaken)
      listening.store(true, std::memory_order_relaxed);
  });
  return isTaken ? 1 : 0;
}
