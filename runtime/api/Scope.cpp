// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/scope.h: the begin and end of a region. The stream decides how the region is
// timed. If it is being captured, the graph's registry notes the region. Otherwise the region is
// timed eagerly, or, if the stream is unknown, by the host's clock.

#include "graphprof/scope.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "Edge.h"
#include "Thrown.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graphprof/detail/timed_copy.h"
#include "graphprof/step.h"
#include "host/HostSpans.h"
#include "nvtx/Nvtx.h"
#include "process/BackendRegions.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "services/SiteTable.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// An outermost region that stays open (the program's main loop) holds back at most this many
// regions that ended inside it.
constexpr std::size_t largestGroup = 1024;

void copyTo(std::vector<Value> &values, std::span<const Value> context) {
  values.assign(context.begin(), context.end());
  // A key ends with a null. One without a text is the program's, too: its library may be closed.
  for (Value &value : values) {
    const char *const key = value.key().data(); // NOLINT(bugprone-suspicious-stringview-data-usage)
    value = std::move(value).with_key(*key ? internText(key) : "");
  }
}

std::vector<Value> copied(std::span<const Value> context) {
  std::vector<Value> values;
  copyTo(values, context);
  return values;
}

driver::Event recordedEvent(EventCache &events, Device &device, driver::Stream stream) noexcept {
  const driver::Event event = events.take(device);
  if (event && !ok(cu().eventRecord(event, stream))) {
    events.put(device, event);
    return nullptr;
  }
  return event;
}

// Allocates everything that a region needs, so that opening it cannot fail half way.
struct Opening {
  // Reserves the region's place on the stack.
  Opening(OpenRegions &all, driver::Stream stream)
      : regions(all), region(new OpenRegion{nullptr, OpenRegion::notEager, stream}) {
    if (auto &stack = regions.stack; stack.size() == stack.capacity())
      stack.reserve(stack.size() * 2 + 8);
  }

  OpenRegions &regions;
  std::unique_ptr<OpenRegion> region;
  bool isOpen = false; // in a graph, eagerly, or on a backend
};

// A thread that joined another thread's capture is inside the regions open in its origin.
int depthIn(const std::shared_ptr<Capture> &capture, const OpenRegions &regions) {
  const bool isOthers = !regions.hasBegun(capture->origin());
  int depth = isOthers ? capture->openInOrigin() : 0;
  for (const auto &open : regions.stack)
    if (open->capture == capture)
      depth += isOthers && !open->isJoined && open->stream == capture->origin() ? 0 : 1;
  return depth;
}

void belongTo(std::shared_ptr<Capture> capture, std::size_t index, Opening &opening) {
  if (index == Capture::noRegion)
    return;
  opening.region->capture = std::move(capture);
  opening.region->index = index;
  opening.isOpen = true;
}

void openInGraph(Opening &opening, const Site &site, const Frontier &frontier,
                 std::vector<Value> context, Holds holds) {
  const driver::Stream stream = opening.region->stream;
  Process &own = process();
  auto capture = own.graphs.capturing(stream, frontier, Graphs::Target::NotSeen);
  if (!capture) { // no clock works here
    ++own.session.counters.incomplete;
    return;
  }
  const std::size_t index = capture->open(
      site, std::move(context), depthIn(capture, opening.regions), stream, frontier, holds);
  belongTo(std::move(capture), index, opening);
}

void openJoined(Opening &opening, const Site &site, std::shared_ptr<Capture> capture,
                std::vector<Value> context) {
  opening.region->isJoined = true;
  const std::size_t index =
      capture->openJoined(site, std::move(context), depthIn(capture, opening.regions));
  belongTo(std::move(capture), index, opening);
}

// Where an eager region runs. Without a device, the host's clock times it.
struct EagerPlace {
  driver::Stream stream = nullptr;
  std::uint64_t streamId = 0;
  Device *device = nullptr;
};

void openEagerly(Opening &opening, const Site &site, const EagerPlace &place, std::int64_t step,
                 std::span<const Value> context) {
  OpenRegions &regions = opening.regions;
  EagerRegion &region = regions.eager.next();
  region.clear();
  copyTo(region.context, context); // nothing behind this can fail
  region.site = &site;
  region.depth = static_cast<int>(regions.eagerOpen);
  region.device = place.device;
  region.step = step;
  region.hostBeginNs = hostNowNs();
  if (place.device) {
    region.stream = place.streamId;
    region.begin = recordedEvent(regions.events, *place.device, place.stream);
    place.device->alignment().follow(Clock::Event, region.hostBeginNs);
  }
  opening.region->index = regions.eager.size();
  opening.region->stream = place.stream;
  opening.isOpen = true;
  regions.eager.add();
  ++regions.eagerOpen;
}

// An event can be recorded in a stream whose context is not current.
EagerPlace placeOf(driver::Stream stream, OpenRegions &regions) {
  const std::uint64_t id = driver::streamId(stream);
  const auto &last = regions.lastStream;
  if (driver::isInEachContext(stream) || id == 0 || id != last.id || !last.device) {
    const driver::ContextOf current(stream);
    regions.lastStream = {id, process().devices.of(current.context())};
  }
  return {stream, id, regions.lastStream.device};
}

// Call this after an eager region was taken off the stack. Hands on what no open region holds back
// any more.
void eagerEnded(OpenRegions &regions) {
  Harvester &harvester = process().harvester;
  --regions.eagerOpen;
  if (regions.eagerOpen == 0) {
    harvester.eager().push(regions.eager.all());
    regions.eager.clear();
  } else if (regions.eager.size() > largestGroup && regions.openOnesFirst()) {
    regions.pushEnded();
  }
  harvester.wake();
}

// `hostEndNs`: 0 if the clock was not read yet.
void closeEagerly(const OpenRegion &open, OpenRegions &regions, std::int64_t hostEndNs) {
  EagerRegion &region = regions.eager[open.index];
  region.hostEndNs = hostEndNs ? hostEndNs : hostNowNs();
  if (region.device && region.begin && region.device->isAlive())
    region.end = recordedEvent(regions.events, *region.device, open.stream);
  eagerEnded(regions);
}

// Removes the region that was opened last.
void dropEagerly(const OpenRegion &open, OpenRegions &regions) {
  EagerRegion &region = regions.eager[open.index];
  if (open.index + 1 != regions.eager.size())
    return closeEagerly(open, regions, 0); // others have begun and ended meanwhile
  if (region.begin)
    regions.events.put(*region.device, region.begin);
  regions.eager.shrinkTo(open.index);
  if (regions.eager.empty())
    --regions.eagerOpen;
  else
    eagerEnded(regions);
}

// Opens a region inside the innermost one of this thread that a backend times.
void openOnBackend(Opening &opening, const graphprof_backend &backend, const Site &site,
                   std::int64_t step, std::vector<Value> context) {
  const BackendPlace *around = nullptr;
  for (const auto &open : opening.regions.stack)
    around = open->backend ? open->backend.get() : around;
  opening.region->backend = process().backendRegions.open(
      backend, site, std::move(context), reinterpret_cast<graphprof_stream>(opening.region->stream),
      around);
  BackendRegion &region = opening.region->backend->region();
  region.step = step;
  if (opening.region->span && opening.region->span->kind == HostKind::Copy)
    opening.region->backend->group->hold(step);
  opening.isOpen = true;
}

// The host span of a region. Its begin is set last.
std::unique_ptr<HostEvent> spanOf(const Site &programs, const Site &site, std::int64_t step,
                                  std::span<const Value> context, bool captured) {
  auto span = std::make_unique<HostEvent>();
  span->kind = detail::isCopySite(programs) ? HostKind::Copy : HostKind::Region;
  span->captured = captured;
  span->site = &site;
  span->context = copied(context);
  span->step = step;
  return span;
}

void closeInGraph(const OpenRegion &open) {
  if (open.isJoined)
    return open.capture->closeJoined(open.index);
  if (!open.capture->isOpen(open.index))
    return; // its stream may be destroyed
  Frontier frontier;
  const Frontier::Status status = Frontier::read(open.stream, frontier);
  // A scope that outlives its capture has no end in the graph; its replays count it as incomplete.
  if (status == Frontier::Status::Capturing && frontier.captureId == open.capture->id())
    open.capture->close(open.index, open.stream, frontier);
}

// Takes regions off the stack whose Scopes ended on other threads. They have no end.
void dropLeft(OpenRegions &regions) {
  while (!regions.stack.empty() && regions.stack.back()->left.load()) {
    const OpenRegion::Held open = std::move(regions.stack.back());
    regions.stack.pop_back();
    if (open->nvtx)
      nvtx::pop();
    if (open->isEager())
      eagerEnded(regions);
  }
}

// Where a region begins.
struct Beginning {
  Beginning(StreamRef ref, OpenRegions &regions)
      : stream(ref.get()), isNamed(ref.known()), isKnown(isNamed && driver::functions()) {
    if (!isNamed && !regions.capturing.empty()) {
      stream = regions.capturing.back();
      isKnown = true;
    } else if (!isNamed) {
      joined = regions.newestJoined();
    }
    if (isKnown)
      status = Frontier::read(stream, frontier);
  }
  [[nodiscard]] bool isCaptured() const {
    return joined || (isKnown && status == Frontier::Status::Capturing);
  }

  driver::Stream stream;
  bool isNamed;                    // by the program
  bool isKnown;                    // by it, or by a capture of this thread
  std::shared_ptr<Capture> joined; // another thread's, to which this one adds nodes
  Frontier frontier;
  Frontier::Status status = Frontier::Status::Eager;
};

// What a region is besides a time: part of a graph under construction, a host span, a range of
// NVTX's tools.
void noteBesides(OpenRegion &region, const Site &programs, const Site &site, std::int64_t step,
                 std::span<const Value> context, bool isBuilt, bool isCaptured) {
  if (isBuilt)
    region.building.reset(new BuildingScope{ExplicitGraph::now(), &site, copied(context)});
  if (process().session.recordingSwitch.hostSpans())
    region.span = spanOf(programs, site, step, context, isCaptured);
  region.nvtx = nvtx::listens();
}

// Chooses how a region is timed, if at all. `backend`: the one that knows the stream, if any.
void openTimed(Opening &opening, Beginning &at, const graphprof_backend *backend, const Site &site,
               std::int64_t step, std::span<const Value> context) {
  Session &session = process().session;
  const Recording &recording = session.recordingSwitch;
  if (at.joined)
    openJoined(opening, site, std::move(at.joined), copied(context));
  else if (at.isCaptured())
    openInGraph(opening, site, at.frontier, copied(context),
                at.isNamed ? Holds::ItsStream : Holds::All);
  else if (recording.device() && at.status == Frontier::Status::Refused)
    ++session.counters.eager;
  else if (recording.device() && at.isKnown && at.isNamed)
    openEagerly(opening, site, placeOf(at.stream, opening.regions), step, context);
  else if (recording.device() && backend)
    openOnBackend(opening, *backend, site, step, copied(context));
  else if (recording.host())
    openEagerly(opening, site, EagerPlace(), step, context);
}

// The region is open from here on. `nameForTools`: see noteBesides().
OpenRegion &putOnStack(Opening &opening, const std::string &nameForTools) {
  OpenRegions &regions = opening.regions;
  OpenRegion &mine = *regions.stack.emplace_back(opening.region.release());
  if (mine.nvtx)
    nvtx::push(nameForTools.c_str());
  if (!mine.span)
    return mine;
  EagerRegion *const eager = mine.isEager() ? &regions.eager[mine.index] : nullptr;
  if (eager && eager->device)
    mine.span->device = eager->device->ordinal();
  mine.span->beginNs = hostNowNs();
  // A host region has the same time as a record and as a span.
  if (eager && !eager->device)
    eager->hostBeginNs = mine.span->beginNs;
  return mine;
}

} // namespace

void detail::copyText(std::string &copy, std::string_view text) noexcept {
  if (!survived([&] { copy = text; }))
    ++process().session.counters.namesCut;
}

void Scope::begin(const Site &programs, StreamRef ref, const ValueRef *context,
                  std::size_t size) noexcept {
  if (!active())
    return;
  constexpr std::size_t few = 8;
  if (size <= few) {
    // Copied here, and not on the heap.
    union Room {
      Room() {} // NOLINT(modernize-use-equals-default): it begins without values
      ~Room() {}
      Value values[few]; // NOLINT(modernize-avoid-c-arrays)
    } room;
    for (std::size_t i = 0; i < size; ++i)
      new (&room.values[i]) Value(context[i]);
    begin(programs, ref, room.values, size);
    std::destroy_n(room.values, size);
    return;
  }
  try {
    const std::vector<Value> values(context, context + size);
    begin(programs, ref, values.data(), size);
  } catch (...) {
    ++process().session.counters.incomplete; // no memory: the region is not timed
  }
}

void Scope::begin(const Site &programs, StreamRef ref, const Value *context,
                  std::size_t size) noexcept {
  if (!active())
    return;
  const Edge edge;
  Process &own = process();
  try {
    used();
    OpenRegions &regions = OpenRegions::ofThisThread();
    dropLeft(regions);
    Beginning at(ref, regions);
    const bool isCaptured = at.isCaptured(), isCopy = detail::isCopySite(programs);
    // Asked only without a driver, so that it costs CUDA regions nothing.
    const graphprof_backend *const backend =
        at.isNamed && !at.isKnown ? own.backendRegions.chosen() : nullptr;
    if (!isCopy)
      Seen::note(own.session.seen.region);
    const Recording &recording = own.session.recordingSwitch;
    const bool isBuilt = !isCaptured && own.graphs.built().any();
    if (!isCaptured && !isBuilt && !recording.regions() && !nvtx::listens())
      return;
    const Site &site = internSite(programs);
    const std::span<const Value> values(context, size);
    Opening opening(regions, at.stream);
    const bool holds = isCopy && !isCaptured && recording.hostSpans();
    const std::int64_t step = holds ? regions.holdStep() : current_step();
    OpenRegion &region = *opening.region;
    region.site = &site;
    noteBesides(region, programs, site, step, values, isBuilt, isCaptured);
    const std::string nameForTools = region.nvtx ? own.session.nameOf(site, values) : std::string();
    opening.isOpen = region.building || region.span || region.nvtx;
    openTimed(opening, at, backend, site, step, values);
    if (opening.isOpen)
      region_ = &putOnStack(opening, nameForTools);
  } catch (...) {
    region_ = nullptr; // no memory: the region is not timed
    ++own.session.counters.incomplete;
    if (OpenRegions *const mine = OpenRegions::ofThisThreadIfAny())
      mine->letStepsGo();
  }
}

void Scope::end() noexcept {
  if (inForkedChild())
    return;
  const Edge edge;
  Process &own = process();
  OpenRegion::Held mine(static_cast<OpenRegion *>(region_));
  try {
    OpenRegions &regions = OpenRegions::ofThisThread();
    const std::unique_ptr<OpenRegion> open = regions.takeOff(mine);
    if (!open)
      return; // it belongs to another thread and stays without an end
    if (open->nvtx)
      nvtx::pop();
    // A host region has the same time as a record and as a span.
    std::int64_t endNs = 0;
    if (open->span) {
      endNs = open->span->endNs = hostNowNs();
      open->span->captured = open->span->captured || open->isOfGraph;
      own.hostSpans.push(std::move(*open->span));
    }
    if (open->capture)
      closeInGraph(*open);
    else if (open->backend)
      own.backendRegions.close(*open->backend);
    else if (open->isEager() && open->isOfGraph)
      dropEagerly(*open, regions); // it built graph nodes; timing them here would be wrong
    else if (open->isEager())
      closeEagerly(*open, regions, endNs);
    dropLeft(regions);
    regions.letStepsGo();
  } catch (...) {
    ++own.session.counters.eager;
  }
}

void Scope::discard() noexcept {
  if (inForkedChild())
    return;
  const Edge edge;
  OpenRegion::Held mine(static_cast<OpenRegion *>(std::exchange(region_, nullptr)));
  if (!mine)
    return;
  try {
    OpenRegions &regions = OpenRegions::ofThisThread();
    const std::unique_ptr<OpenRegion> open = regions.takeOff(mine);
    if (!open)
      return; // it belongs to another thread and stays without an end
    if (open->nvtx)
      nvtx::pop();
    if (open->capture)
      open->capture->discard(open->index);
    else if (open->isEager())
      dropEagerly(*open, regions);
    regions.letStepsGo();
  } catch (...) {
    ++process().session.counters.eager;
  }
}

} // namespace graphprof
