// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/Pair.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "clock/HostClock.h"
#include "clock/StampLayout.h"
#include "cuda/Driver.h"
#include "graph/topology/CommandLists.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;
using internal::Launch;

namespace {

constexpr std::uint64_t noStream = UINT64_MAX; // not a stream's id

std::uint64_t nextExecNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

} // namespace

Pair::Pair(Services &services, ExecLimit &limit, driver::Exec plain, unsigned long long flags,
           LaunchHistory past, std::shared_ptr<ExecLifetime> lifetime)
    : services_(services), limit_(limit), plain_(plain), flags_(flags), number_(nextExecNumber()),
      lifetime_(std::move(lifetime)), plan_(services.recordingBudget, number_),
      replays_(services, number_, driver::execId(plain), plan_) {
  if (past == LaunchHistory::MayRun) { // in any stream
    lastExec_ = plain_;
    lastStream_ = noStream;
  }
}

Launch Pair::launch(driver::Stream stream, std::int64_t step, HostLaunch *hostLaunch) {
  const MutexLock lock(mutex_);
  const bool recording = services_.recording();

  // A launch during a capture becomes a child node of the program's graph, which must contain the
  // program's graph.
  driver::CaptureStatus status = driver::CaptureStatus::None;
  const bool known = ok(cu().streamIsCapturing(stream, &status));
  if (!known || status != driver::CaptureStatus::None) {
    if (recording && isTimed())
      ++services_.counters.notLaunched;
    return Launch::Plain;
  }
  if (CommandLists::take(stream))
    return leaveToCommandList(recording);
  if (recording)
    ensureProfiledExec(Reason::Launch);
  const std::uint64_t id =
      driver::streamId(stream); // only now: asking for it invalidates a capture
  const std::uint64_t number = launches_++;
  services_.launches.note(whole_.table ? whole_.table->graphNumber : 0);
  if (hostLaunch)
    *hostLaunch = {whole_.table ? whole_.table->graphNumber : 0, number_, number, hostNowNs()};
  if (inPlaceExec())
    return launchInPlace(stream, id, number, step, hostLaunch);

  const bool mayTime = recording && profiledExec() && held_.empty();
  TimedExec *timed = mayTime ? execFor(nextTake()) : nullptr;
  const bool isLeftOut = mayTime && !timed;
  const bool elsewhere = lastExec_ && id != lastStream_;
  changesStreams_ = changesStreams_ || elsewhere;
  if (timed && lastExec_ == plain_ && elsewhere) {
    if (!plainMarked_) {
      ++(plan_.samples() ? services_.counters.notSampled : services_.counters.notLaunched);
      plan_.postpone();
      return launchPlain(stream, id, true, hostLaunch);
    }
    if (!ok(cu().streamWaitEvent(stream, plainMark_, 0)))
      timed = nullptr;
  }
  // If nothing is outstanding, every profiled launch has finished, and its buffer may be in use
  // elsewhere already.
  const bool runsElsewhere = elsewhere && lastBuffer_ && replays_.pending.any();
  if (timed && runsElsewhere && lastBuffer_ != timed->buffer && !lastBuffer_->order(stream))
    timed = nullptr;

  if (timed && timed->buffer->arm(timed->exec, true)) {
    const std::int64_t launchNs = noteLaunch();
    if (launchExec(timed->exec, stream, hostLaunch)) {
      lastExec_ = timed->exec;
      lastBuffer_ = timed->buffer;
      lastStream_ = id;
      plainMarked_ = false;
      launchedTimed(*timed, number, id, launchNs, step);
      return Launch::Done;
    }
  }

  if (isLeftOut)
    ++services_.counters.notSampled;
  else if (recording && profiledExec())
    ++services_.counters.notLaunched;
  else if (recording && isDeferred())
    ++services_.counters.crowdedOut;
  if (runsElsewhere)
    lastBuffer_->order(stream);
  // The next launch, which will be recorded, may have to wait for this one.
  const bool mark = isLeftOut && changesStreams_ && plan_.takesNext();
  return launchPlain(stream, id, mark, hostLaunch);
}

// The plain exec runs nobody knows when, so the next launch in another stream may not overtake it.
// One that is timed in place writes its times then.
Launch Pair::leaveToCommandList(bool recording) {
  if (recording && isTimed())
    ++services_.counters.notLaunched;
  if (const InPlaceExec *const inPlace = inPlaceExec())
    inPlace->buffer->abandon();
  lastExec_ = plain_;
  lastBuffer_.reset();
  lastStream_ = noStream;
  plainMarked_ = false;
  return Launch::Plain;
}

bool Pair::launchExec(driver::Exec exec, driver::Stream stream, HostLaunch *hostLaunch) {
  if (!hostLaunch)
    return ok(cu().graphLaunch(exec, stream));
  hostLaunch->beginNs = hostNowNs();
  const bool launched = ok(cu().graphLaunch(exec, stream));
  hostLaunch->endNs = launched ? hostNowNs() : 0;
  return launched;
}

// Launched here, not by the program, so that no other thread's launch comes between the choice and
// the launch. If the driver refuses, the program tries again and gets the error.
Launch Pair::launchPlain(driver::Stream stream, std::uint64_t id, bool mark,
                         HostLaunch *hostLaunch) {
  const bool launched = launchExec(plain_, stream, hostLaunch);
  lastExec_ = plain_;
  lastBuffer_.reset();
  lastStream_ = id;
  plainMarked_ = launched && mark && markPlain(stream);
  if (launched)
    return Launch::Done;
  return mark ? Launch::PlainThenMark : Launch::Plain;
}

bool Pair::markPlain(driver::Stream stream) noexcept {
  if (!plainMark_ && device_)
    plainMark_ = device_->takeEvent();
  return plainMark_ && ok(cu().eventRecord(plainMark_, stream));
}

// Every launch writes times. Those of launches that are not recorded are never read.
Launch Pair::launchInPlace(driver::Stream stream, std::uint64_t id, std::uint64_t number,
                           std::int64_t step, HostLaunch *hostLaunch) {
  bool recording = services_.recording();
  if (inPlaceExec()->buffer->isAbandoned()) {
    forgetProfiled();
    services_.lose(&Counters::notMirrored, 1,
                   "an exec runs unprofiled from now on: another exec writes its times to the same "
                   "place; make one exec of each such graph");
    return Launch::Plain;
  }
  if (recording && plan_.next().what == Take::What::Nothing) {
    recording = false;
    ++services_.counters.notSampled;
  }
  const std::int64_t launchNs = noteLaunch();
  if (!whole_.buffer->arm(plain_, recording) || !launchExec(plain_, stream, hostLaunch)) {
    if (recording)
      ++services_.counters.notLaunched;
    return Launch::PlainThenMark; // the program repeats the launch and gets the error
  }
  whole_.isUnread = !recording;
  if (recording)
    launchedTimed(whole_, number, id, launchNs, step);
  else
    whole_.buffer->launched();
  return Launch::Done;
}

// The launch has happened and must not be repeated. A failure from here on, for lack of memory,
// costs only its times.
void Pair::launchedTimed(TimedExec &timed, std::uint64_t number, std::uint64_t stream,
                         std::int64_t launchNs, std::int64_t step) noexcept {
  const std::uint64_t sequence = timed.buffer->launched();
  timed.isUnread = false;
  if (timed.take.what == Take::What::Bare || timed.take.ends != OwnEnds::None)
    ++services_.counters.notSampled;
  try {
    if (!replays_.pending.push({sequence, number, stream, launchNs, step, timed.isCold},
                               source(timed), services_.config().maxQueue))
      ++services_.counters.notQueued;
  } catch (...) {
    timed.buffer->skip(sequence);
    timed.isUnread = true;
    ++services_.counters.notQueued;
  }
  timed.isCold = false;
  device_->alignment().follow(timed.table->clock->kind(), launchNs);
}

const std::shared_ptr<const TimingContext> &Pair::source(TimedExec &timed) {
  if (!timed.source || timed.source->table != timed.table || timed.source->buffer != timed.buffer ||
      timed.source->device != device_)
    timed.source = std::make_shared<const TimingContext>(
        TimingContext{timed.table, timed.buffer, device_, timed.take});
  return timed.source;
}

void Pair::launchedPlain(driver::Stream stream) {
  const MutexLock lock(mutex_);
  if (inPlaceExec()) {
    whole_.buffer->skip(whole_.buffer->launched());
    whole_.isUnread = true;
    return;
  }
  plainMarked_ = markPlain(stream);
  lastExec_ = plain_;
  lastStream_ = driver::streamId(stream);
  lastBuffer_.reset();
}

// If graphprof is recording, the next launch will be recorded, so the profiled exec is uploaded.
void Pair::upload(driver::Stream stream) {
  const MutexLock lock(mutex_);
  if (services_.recording())
    ensureProfiledExec(Reason::Launch);
  if (profiledExec())
    cu().graphUpload(whole_.exec, stream);
}

internal::Twin Pair::twin(driver::Node node) {
  const MutexLock lock(mutex_);
  ProfiledExec *const profiled = changing();
  if (!profiled)
    return {nullptr, nullptr, false};
  profiled->from.isEdited = true;
  return {whole_.exec, profiled->from.registry->twin(node), shownAs(node) != nullptr};
}

// `node` belongs to the graph that the exec was made from. After an update from another graph, the
// exec shows that graph's node that ends at the same boundary.
const Region *Pair::shownAs(driver::Node node) const {
  const ProfiledExec *const profiled = profiledExec();
  const Region *const made = profiled ? profiled->made->regionOf(node) : nullptr;
  if (!made || whole_.table == profiled->made)
    return made;
  const auto found =
      std::find_if(whole_.table->regions.begin(), whole_.table->regions.end(),
                   [made](const Region &other) { return other.node && other.end == made->end; });
  return found == whole_.table->regions.end() ? nullptr : &*found;
}

void Pair::nodeChanged(driver::Node node, const char *kernel) {
  const MutexLock lock(mutex_);
  const Region *const hostLaunch = shownAs(node);
  if (!hostLaunch)
    return;
  if (auto table = whole_.table->changed(*hostLaunch, kernel, services_))
    whole_.table = std::move(table);
}

void Pair::kernelChanging(driver::Node node, const driver::Grid &grid) {
  const MutexLock lock(mutex_);
  const ProfiledExec *const profiled = changing();
  const driver::Node twin = profiled ? profiled->from.registry->twin(node) : nullptr;
  if (!twin)
    return;
  const driver::CurrentContext current(device_->context());
  hold(node, HeldKernel::TooSmall, !mayWait(node, twin, grid));
  const auto boundary = profiled->made->boundaryAt(node);
  if (!boundary)
    return;
  driver::Occupancy occupancy(device_->properties());
  const bool isLate = !occupancy.leavesRoom(twin, grid, whole_.table->stampThreads[*boundary]);
  if (isLate != whole_.table->isLate(*boundary))
    whole_.table = whole_.table->withLate(*boundary, isLate);
}

// The exec was made from the graph of `node`, and its timing nodes are now those of the graph that
// it was updated from. Both are built alike.
bool Pair::mayWait(driver::Node node, driver::Node twin, const driver::Grid &grid) const {
  const std::vector<WaitingKernel> &made = profiledExec()->made->waiting,
                                   &now = whole_.table->waiting;
  for (std::size_t i = 0; i < std::min(made.size(), now.size()); ++i)
    if (made[i].node == node &&
        !driver::Occupancy::coversBlock(twin, grid, now[i].threads, device_->stampRegisters()))
      return false;
  return true;
}

void Pair::hold(driver::Node node, HeldKernel::Why why, bool isHeld) {
  const HeldKernel held{node, why};
  std::erase(held_, held);
  if (!isHeld)
    return;
  held_.push_back(held);
  services_.say("launches of an exec are not timed while a kernel that waits for a stamp "
                "is disabled, or needs less than the stamp");
}

void Pair::switching(driver::Node node, bool isOn) {
  const MutexLock lock(mutex_);
  const ProfiledExec *const profiled = changing();
  if (profiled && std::ranges::count(profiled->made->waiting, node, &WaitingKernel::node) > 0)
    hold(node, HeldKernel::Disabled, !isOn);
}

bool Pair::isTimedInPlace() {
  const MutexLock lock(mutex_);
  return inPlaceExec() != nullptr;
}

bool Pair::drop() noexcept {
  const MutexLock lock(mutex_);
  const bool had = isTimed();
  forgetProfiled();
  return had;
}

bool Pair::invalidate() noexcept {
  const MutexLock lock(mutex_);
  bool had = isTimed();
  if (const InPlaceExec *const inPlace = inPlaceExec()) {
    had = !inPlace->buffer->isAbandoned();
    inPlace->buffer->abandon(); // the next launch notices
  } else {
    forgetProfiled();
  }
  return had;
}

Device *Pair::device() {
  const MutexLock lock(mutex_);
  return device_;
}

void Pair::destroy() noexcept {
  drop();
  const MutexLock lock(mutex_);
  destroyed_ = true;
  mayHaveUnretired_ = true;
  if (plainMark_)
    device_->returnEvent(plainMark_);
  plainMark_ = nullptr;
  plainMarked_ = false;
}

bool Pair::finished() {
  if (!mayHaveUnretired_) // the usual case: avoids the lock, which a launch may hold for long
    return false;
  const MutexLock lock(mutex_);
  if (replays_.pending.any())
    return false;
  retireUsed();
  mayHaveUnretired_ = destroyed_;
  return destroyed_;
}

void Pair::retireUsed() {
  std::erase_if(used_, [this](const std::shared_ptr<ReplayBuffer> &buffer) REQUIRES(mutex_) {
    if (isInUse(buffer.get()))
      return false;
    buffer->retire();
    return true;
  });
}

std::optional<std::size_t> Pair::giveUp() {
  if (!replays_.mutex().tryLock())
    return std::nullopt;
  const MutexLock harvesting(replays_.mutex(), std::adopt_lock);
  const MutexLock lock(mutex_);
  if (!destroyed_ || !replays_.pending.areFinished())
    return std::nullopt;
  const std::size_t lost = replays_.pending.abandon();
  services_.counters.notQueued += lost;
  lastBuffer_.reset();
  retireUsed();
  return lost;
}

std::size_t Pair::outstanding() { return replays_.pending.recorded(); }

std::int64_t Pair::noteLaunch() {
  const std::int64_t nowNs = hostNowNs();
  lastLaunchNs_.store(nowNs, std::memory_order_relaxed);
  return nowNs;
}

// If the lock is taken, a launch may be in progress that has noted its time but is not in `pending`
// yet. The next launch is later than now. If a newer launch is noted, earlier ones are in
// `pending`.
bool Pair::outBefore(std::int64_t hostNs) {
  if (mutex_.tryLock())
    mutex_.unlock();
  else if (lastLaunchNs_.load(std::memory_order_relaxed) < hostNs)
    return true;
  return replays_.pending.before(hostNs);
}

std::uint64_t Pair::graph() {
  const MutexLock lock(mutex_);
  return whole_.table ? whole_.table->graphNumber : 0;
}

} // namespace graphprof
