// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/Pair.h"

#include <atomic>
#include <utility>

#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/launch/DeferredExec.h"
#include "graph/launch/InPlaceExec.h"
#include "graph/memory/GraphMemory.h"
#include "graph/registry/OpenGraphNames.h"
#include "graph/topology/CommandLists.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;
using internal::ChildChange;
using internal::Launch;
using Need = ExecTiming::Need;

namespace {

std::uint64_t nextExecNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

std::uint64_t numberOf(const RegionTable *table) { return table ? table->graphNumber : 0; }

} // namespace

Pair::Pair(Services &services, GraphMemory &memory, ExecLimit &limit, driver::Exec plain,
           unsigned long long flags, LaunchHistory past, std::shared_ptr<ExecLifetime> lifetime)
    : services_(services), number_(nextExecNumber()), lifetime_(std::move(lifetime)),
      shared_(services, number_, plain),
      context_(services, memory, limit, plain, flags, past == LaunchHistory::MayRun, shared_),
      untimed_(context_) {}

// The one place where a way of timing is chosen.
Expected<std::unique_ptr<ExecTiming>>
Pair::choose(ExecContext &context, const std::shared_ptr<Registry> &registry, bool switched) {
  if (registry->timed()->inPlace())
    return InPlaceExec::make(context, registry);
  return DeferredExec::make(context, registry, switched);
}

Expected<void> Pair::make(const std::shared_ptr<Registry> &registry, bool switched) {
  const MutexLock lock(mutex_);
  if (context_.flags & driver::instantiateDeviceLaunch)
    return Failure{"a graph for launches from the device cannot be timed"};
  const driver::RelaxedCapture relaxed;
  Device *const device = relaxed ? registry->device() : nullptr;
  if (!device)
    return Failure{"it was captured on no device"};
  // The program may instantiate the graph while another device is current.
  const driver::CurrentContext current(device->context());
  registry->used();
  context_.pair = weak_from_this();
  context_.device = device;
  auto chosen = choose(context_, registry, switched);
  if (!chosen)
    return chosen.failure();
  timing_ = std::move(*chosen);
  return {};
}

Expected<void> Pair::update(const std::shared_ptr<Registry> &registry, bool switched) {
  {
    const MutexLock lock(mutex_);
    if (timing().update(registry, switched))
      return {};
    forget();
  }
  if (!registry)
    return {}; // nothing to time any more
  if (!registry->usable())
    return Failure{"the graph was changed after its capture; capture it again"};
  return make(registry, switched);
}

void Pair::prepare(Need need) noexcept {
  if (auto next = timing().readyFor(need))
    timing_ = std::move(next);
  forgetIfOver();
  if (need == Need::Change && context_.memory.isOn())
    context_.memory.ownExecUsed(); // it is not launched now
}

void Pair::forget() noexcept {
  timing_.reset();
  shared_.mayHaveUnretired = true;
}

void Pair::forgetIfOver() noexcept {
  if (timing().isOver())
    forget();
}

Launch Pair::launch(Edge &edge, driver::Stream stream, std::int64_t step, HostLaunch *hostLaunch,
                    Records records) {
  const MutexLock lock(mutex_);
  const bool recording = records == Records::AsAsked && services_.recording();

  // A launch during a capture becomes a child node of the program's graph, which must contain the
  // program's graph.
  driver::CaptureStatus status = driver::CaptureStatus::None;
  const bool known = ok(cu().streamIsCapturing(stream, &status));
  if (!known || status != driver::CaptureStatus::None) {
    if (recording && timing().isTimed())
      ++services_.counters.notLaunched;
    return Launch::Plain;
  }
  if (CommandLists::take(stream))
    return leaveToCommandList(recording);
  if (recording)
    prepare(Need::Launch);
  const RegionTable *const table = timing().table();
  const std::uint64_t graph = numberOf(table);
  // Only now: asking for the stream's id invalidates a capture.
  const LaunchCall call{edge,
                        stream,
                        driver::streamId(stream),
                        launches_++,
                        step,
                        recording,
                        hostLaunch,
                        recording ? OpenGraphName::ofLaunch() : LaunchNames::none};
  services_.launches.note(graph, table && table->serves ? &table->serves->text : nullptr);
  if (hostLaunch)
    *hostLaunch = {graph, number_, call.number, hostNowNs()};
  try {
    const Launch launched = timing().launch(call);
    forgetIfOver();
    return launched;
  } catch (...) {
    if (edge.isProgramsThrow()) { // what ran of the replay is not known
      if (recording && timing().isTimed())
        services_.lose(&Counters::notLaunched, 1,
                       "an exec runs unprofiled from now on: one of its host functions left a "
                       "launch by an exception or by the end of its thread");
      forget();
      context_.order.launchedLater();
    }
    throw;
  }
}

Launch Pair::leaveToCommandList(bool recording) {
  if (recording && timing().isTimed())
    ++services_.counters.notLaunched;
  (void)timing().abandon(); // it writes its times then
  context_.order.launchedLater();
  return Launch::Plain;
}

void Pair::launchedPlain(driver::Stream stream) {
  const MutexLock lock(mutex_);
  timing().launchedPlain(stream);
}

void Pair::upload(driver::Stream stream) {
  const MutexLock lock(mutex_);
  if (services_.recording()) // the next launch will be recorded
    prepare(Need::Launch);
  timing().upload(stream);
}

internal::Twin Pair::twin(driver::Node node) {
  const MutexLock lock(mutex_);
  prepare(Need::Change);
  return timing().twin(node);
}

void Pair::nodeChanged(driver::Node node, const char *kernel) {
  const MutexLock lock(mutex_);
  timing().nodeChanged(node, kernel);
}

void Pair::kernelChanging(driver::Node node, const driver::Grid &grid) {
  const MutexLock lock(mutex_);
  prepare(Need::Change);
  timing().kernelChanging(node, grid);
}

void Pair::switching(driver::Node node, bool isOn) {
  const MutexLock lock(mutex_);
  prepare(Need::Change);
  timing().switching(node, isOn);
}

ChildChange Pair::setChild(driver::Node node, driver::Graph child,
                           const std::shared_ptr<Registry> &registry) {
  const MutexLock lock(mutex_);
  prepare(Need::Change);
  const ChildChange change = timing().setChild(node, child, registry);
  if (change == ChildChange::ExecUntimed)
    forget();
  return change;
}

void Pair::bindChild(driver::Node node, std::span<const driver::Node> timingNodes) {
  const MutexLock lock(mutex_);
  timing().bindChild(node, timingNodes);
}

bool Pair::drop() noexcept {
  const MutexLock lock(mutex_);
  const bool had = timing().isTimed();
  forget();
  return had;
}

void Pair::dropIfRepeating() noexcept {
  const MutexLock lock(mutex_);
  if (timing().repeatsChanges())
    forget();
}

bool Pair::invalidate() noexcept {
  const MutexLock lock(mutex_);
  if (!timing().repeatsChanges())
    return timing().abandon();
  forget();
  return true;
}

Device *Pair::device() {
  const MutexLock lock(mutex_);
  return context_.device;
}

void Pair::destroy() noexcept {
  const MutexLock lock(mutex_);
  forget();
  destroyed_ = true;
  context_.order.giveBackMark(context_.device);
}

bool Pair::makeRoom(std::int64_t launchedBeforeNs) noexcept {
  if (!mutex_.tryLock())
    return false;
  const MutexLock lock(mutex_, std::adopt_lock);
  auto next = lastLaunchNs() < launchedBeforeNs ? timing().makeRoom() : nullptr;
  if (!next)
    return false;
  timing_ = std::move(next);
  shared_.mayHaveUnretired = true;
  return true;
}

bool Pair::finished() {
  if (!shared_
           .mayHaveUnretired) // the usual case: avoids the lock, which a launch may hold for long
    return false;
  const MutexLock lock(mutex_);
  if (shared_.replays.pending.any())
    return false;
  retireBuffers();
  shared_.mayHaveUnretired = destroyed_;
  return destroyed_;
}

void Pair::retireBuffers() {
  const ExecTiming &now = timing();
  context_.retireBuffers([&now](const ReplayBuffer *buffer) { return now.writesTo(buffer); });
}

std::optional<std::size_t> Pair::giveUp() {
  LaunchedReplays &replays = shared_.replays;
  if (!replays.mutex().tryLock())
    return std::nullopt;
  const MutexLock harvesting(replays.mutex(), std::adopt_lock);
  const MutexLock lock(mutex_);
  if (!destroyed_ || !replays.pending.areFinished())
    return std::nullopt;
  const std::size_t lost = replays.pending.abandon();
  services_.counters.notQueued += lost;
  context_.order.forgetLast();
  retireBuffers();
  return lost;
}

// If the lock is taken, a launch may be in progress that has noted its time but is not in `pending`
// yet. The next launch is later than now. If a newer launch is noted, earlier ones are in
// `pending`.
bool Pair::outBefore(std::int64_t hostNs) {
  if (mutex_.tryLock())
    mutex_.unlock();
  else if (lastLaunchNs() < hostNs)
    return true;
  return shared_.replays.pending.before(hostNs);
}

std::uint64_t Pair::graph() {
  const MutexLock lock(mutex_);
  return numberOf(timing().table());
}

} // namespace graphprof
