// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pair: makes, updates and drops what times its launches: the second exec, or the buffer to which
// the program's own exec writes.

#include <algorithm>
#include <string_view>
#include <utility>

#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/launch/Pair.h"
#include "graph/registry/RebuiltTiming.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;

namespace {

// What recording costs a graph if it cannot be measured: as on an H100 (docs/performance.md).
ReplayCosts costsOf(const RegionTable &table) {
  const bool stamps = table.clock->kind() == Clock::Stamp;
  const std::int64_t replayNs = stamps ? 1'000 : 6'000, boundaryNs = stamps ? 250 : 2'500;
  return {replayNs, boundaryNs * (static_cast<std::int64_t>(table.boundaries) - 1)};
}

// Of a kernel whose begin is stamped, too.
bool stampsEnds(const RegionTable &table) {
  return std::ranges::any_of(table.regions, [&](const Region &region) {
    return !region.isElsewhere && region.kind == Kind::Kernel && table.readsBegin(region.begin) &&
           table.endsOf(region) == Ends::Completion;
  });
}

} // namespace

Expected<void> Pair::make(std::shared_ptr<Registry> registry, bool switched) {
  const MutexLock lock(mutex_);
  if (flags_ & driver::instantiateDeviceLaunch)
    return Failure{"a graph for launches from the device cannot be timed"};
  const driver::RelaxedCapture relaxed;
  Device *device = relaxed ? registry->device() : nullptr;
  if (!device)
    return Failure{"it was captured on no device"};
  // The program may instantiate the graph while another device is current.
  const driver::CurrentContext current(device->context());
  registry->used();
  const auto timed = registry->timed();
  if (timed->inPlace()) {
    device_ = device;
    whole_ = {};
    whole_.exec = plain_;
    plan_.begin(costsOf(*timed->table), false);
    return writeTo(timed_.emplace<InPlaceExec>(registry), registry);
  }
  if (switched)
    return Failure{"nodes of its exec were enabled or disabled, which the driver does not tell; "
                   "instantiate a new exec"};
  device->align(); // waits for the device, so not in a launch
  device_ = device;
  whole_ = {};
  whole_.table = timed->table;
  plan_.begin(costsOf(*timed->table), timed->parts != nullptr,
              (timed->parts && timed->parts->withNodes) ||
                  std::ranges::any_of(timed->table->regions, [&](const Region &region) {
                    return region.kind == Kind::Kernel && timed->table->readsBegin(region.begin);
                  }));
  timed_ = Deferred{std::move(registry), nullptr};
  return {};
}

void Pair::ensureProfiledExec(Reason reason) noexcept {
  auto *const waiting = std::get_if<Deferred>(&timed_);
  if (!waiting || waiting->isEdited)
    return;
  Failure failure;
  try {
    auto place = limit_.take(shared_from_this(), hostNowNs(), reason == Reason::Change);
    if (!place) { // there may be room at the next launch; each is counted
      waiting->isEdited = reason == Reason::Change;
      return;
    }
    const auto made = makeProfiledExec(std::move(*place));
    if (made)
      return;
    failure = made.failure();
  } catch (...) {
    failure.why = "no memory";
  }
  forgetProfiled();
  services_.lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", failure.why);
}

Expected<void> Pair::makeProfiledExec(ExecLimit::Place place) {
  const driver::RelaxedCapture relaxed;
  if (!relaxed || Device::of(device_->context()) != device_)
    return Failure{"its device was reset"};
  // The program may launch the exec while another device is current.
  const driver::CurrentContext current(device_->context());
  const Deferred from = std::get<Deferred>(timed_);
  // Twins are found by the nodes of the graph from which the exec is made. That graph may be
  // useless, because the program may have freed its memory after an update of its exec. Then makes
  // the exec from the latest graph, without twins.
  auto made = makeFrom(from, place);
  return made || !from.latest ? made : makeFrom({from.latest, nullptr}, place);
}

Expected<void> Pair::makeFrom(Deferred from, ExecLimit::Place &place) {
  const auto timed = from.registry->timed(), latest = from.latest ? from.latest->timed() : nullptr;
  auto made = instantiate(*timed, latest.get());
  if (!made)
    return made.failure();
  if (latest)
    plan_.keepWhole();
  if (!limit_.isSet())
    from.latest.reset();
  made->table = whole_.table;
  made->place = std::move(place);
  whole_ = std::move(*made);
  ProfiledExec profiled{std::move(from), timed->table, {}, {}, {}, {}, {}};
  profiled.twinsFrom = latest ? latest : timed;
  if (!profiled.twinsFrom->twinsFrom)
    profiled.twinsFrom.reset();
  timed_ = std::move(profiled);
  return {};
}

Expected<Pair::TimedExec> Pair::instantiate(const TimedGraph &timed, const TimedGraph *latest) {
  auto buffer = timed.table->clock->makeBuffer(timed.bufferNeeds());
  if (!buffer)
    return Failure{"no memory for the times of its replays; lower GRAPHPROF_RING_DEPTH"};
  // The program's upload applied to its own exec and its own stream.
  const driver::Exec exec = timed.instantiate(*buffer, flags_ & ~driver::instantiateUpload);
  bool isMade = false;
  try {
    if (exec) {
      used_.reserve(used_.size() + 1);
      buffer->attach(timed.clockNodes());
      isMade = !latest || latest->update(exec, *buffer);
    }
  } catch (...) { // no memory
    cu().graphExecDestroy(exec);
    buffer->retire();
    throw;
  }
  if (!isMade) {
    if (exec)
      cu().graphExecDestroy(exec);
    buffer->retire();
    return Failure{"the driver refused the profiled exec; free device memory"};
  }
  TimedExec made;
  made.exec = exec;
  made.buffer = buffer;
  used_.push_back(std::move(buffer));
  noteLaunch();
  return made;
}

Pair::TimedExec *Pair::execFor(const Take &take) {
  auto *const profiled = std::get_if<ProfiledExec>(&timed_);
  if (take.what == Take::What::Nothing || !profiled)
    return nullptr;
  if (take.what == Take::What::Whole)
    return &whole_;
  if (take.what == Take::What::Part && profiled->parts.size() != take.parts) {
    for (auto *const execs : {&profiled->parts, &profiled->ends}) {
      for (TimedExec &part : *execs)
        release(part);
      execs->clear();
    }
    profiled->parts.resize(take.parts);
    profiled->ends.resize(std::size_t{2} * take.parts);
  }
  if (take.ends != OwnEnds::None)
    if (TimedExec *const stampsEnds = execForEnds(*profiled, take))
      return stampsEnds;
  TimedExec &part = take.what == Take::What::Bare    ? profiled->bare
                    : take.what == Take::What::Twins ? profiled->twins
                                                     : profiled->parts[take.part];
  if (part.exec || makePart(part, {take.what, take.part, take.parts}))
    return &part;
  if (take.what == Take::What::Twins) {
    loseTwins(*profiled, "there is no memory, or no place, for a second exec");
    return &whole_;
  }
  dropParts(*profiled);
  plan_.keepWhole();
  return nullptr;
}

Take Pair::nextTake() {
  Take take = plan_.next();
  auto *const profiled = std::get_if<ProfiledExec>(&timed_);
  if (take.what == Take::What::Whole && profiled && profiled->twinsFrom && plan_.takesTwins())
    take.what = Take::What::Twins;
  return take;
}

std::shared_ptr<const TimedGraph> Pair::graphFor(const Take &take) {
  ProfiledExec &profiled = std::get<ProfiledExec>(timed_);
  if (take.what == Take::What::Twins) {
    ++profiled.twinsMade;
    return timeTwins(*profiled.twinsFrom);
  }
  const auto whole = profiled.from.registry->timed();
  return whole->parts ? timePart(*whole, take.part, take.what == Take::What::Bare ? 0 : take.parts,
                                 take.ends)
                      : nullptr;
}

void Pair::loseTwins(ProfiledExec &profiled, std::string_view why) noexcept {
  release(profiled.twins);
  if (const auto from = std::exchange(profiled.twinsFrom, nullptr))
    services_.lose(&Counters::plainKernels, from->table->twinned.size(),
                   "nothing is recorded inside a kernel, which runs as it is: ", why);
}

// Without it, ends are not measured, and the part is recorded as ever.
Pair::TimedExec *Pair::execForEnds(ProfiledExec &profiled, const Take &take) {
  TimedExec &timed =
      profiled.ends[std::size_t{2} * take.part + (take.ends == OwnEnds::SecondHalf ? 1 : 0)];
  if (!timed.exec && !timed.isRefused)
    timed.isRefused = !makePart(timed, take);
  return timed.exec ? &timed : nullptr;
}

// Where parts cannot be had, for lack of memory or places, whole replays are recorded less often.
bool Pair::makePart(TimedExec &part, const Take &take) {
  const driver::RelaxedCapture relaxed;
  if (!relaxed || Device::of(device_->context()) != device_)
    return false;
  const driver::CurrentContext current(device_->context());
  try {
    auto place = limit_.spare(shared_from_this());
    if (!place)
      return false;
    const auto timed = graphFor(take);
    if (!timed || (take.ends != OwnEnds::None && !stampsEnds(*timed->table)))
      return false;
    auto made = instantiate(*timed, nullptr);
    if (!made)
      return false;
    made->table = timed->table;
    made->part = timed;
    made->take = take;
    made->place = std::move(*place);
    part = std::move(*made);
    return true;
  } catch (...) { // no memory
    return false;
  }
}

Pair::ProfiledExec *Pair::changing() noexcept {
  ensureProfiledExec(Reason::Change);
  auto *const profiled = std::get_if<ProfiledExec>(&timed_);
  if (!profiled)
    return nullptr;
  dropParts(*profiled);
  loseTwins(*profiled, "the program set a node of its exec; it runs its timed twin again from the "
                       "next update of the exec on");
  plan_.keepWhole();
  return profiled;
}

void Pair::dropParts(ProfiledExec &profiled) noexcept {
  release(profiled.bare);
  release(profiled.twins);
  for (auto *const execs : {&profiled.parts, &profiled.ends}) {
    for (TimedExec &part : *execs)
      release(part);
    execs->clear();
  }
}

// One that was edited could not be made again. And the program may be about to repeat an edit on it
// just now, without the lock: it has the handle from twin().
bool Pair::makeRoom(std::int64_t launchedBeforeNs) noexcept {
  if (!mutex_.tryLock())
    return false;
  const MutexLock lock(mutex_, std::adopt_lock);
  auto *const profiled = std::get_if<ProfiledExec>(&timed_);
  if (!profiled || profiled->from.isEdited || lastLaunchNs() >= launchedBeforeNs)
    return false;
  Deferred from = std::move(profiled->from);
  forgetProfiled();
  whole_.table = (from.latest ? from.latest : from.registry)->table();
  timed_ = std::move(from);
  return true;
}

Expected<void> Pair::writeTo(InPlaceExec &inPlaceExec, std::shared_ptr<Registry> registry) {
  const auto timed = registry->timed();
  auto buffer = timed->inPlace();
  if (inPlaceExec.writer != registry) {
    if (!buffer->claim()) {
      forgetProfiled();
      return Failure{
          "another exec writes its times to the same place; make one exec of each such graph"};
    }
    deferBufferReuse(whole_);
    if (inPlaceExec.buffer)
      inPlaceExec.buffer->release();
  }
  whole_.table = timed->table;
  whole_.buffer = std::shared_ptr<ReplayBuffer>(buffer, buffer->get());
  whole_.buffer->attach(inPlaceExec.registry->timed()->clockNodes());
  inPlaceExec.writer = std::move(registry);
  inPlaceExec.buffer = std::move(buffer);
  return {};
}

// Whether what is timed now can be updated from the graph of `registry`.
bool Pair::follows(const Registry *registry) const {
  const auto timed = registry ? registry->usable() : nullptr;
  if (!isTimed() || !timed)
    return false;
  const auto &table = timed->table;
  if (table->boundaries != whole_.table->boundaries || table->clock != whole_.table->clock)
    return false;
  return inPlaceExec() ? timed->inPlace() != nullptr
                       : !timed->inPlace() && table->structure == whole_.table->structure;
}

// An update gives every node what the graph says, but nodes that are disabled stay so. The variant
// is made again when it is next launched, which takes as long as to instantiate the graph: so not
// for an exec that is updated all the time.
void Pair::twinsFollow(ProfiledExec &profiled, std::shared_ptr<const TimedGraph> now) noexcept {
  constexpr unsigned mostMade = 16;
  profiled.twinsFrom.reset();
  if (!now->twinsFrom)
    return;
  profiled.twinsFrom = std::move(now);
  if (profiled.from.isEdited)
    loseTwins(profiled, "nodes of its exec were enabled or disabled; instantiate a new exec");
  else if (profiled.twinsMade >= mostMade)
    loseTwins(profiled, "its exec is updated often");
}

bool Pair::updateProfiledExec(const std::shared_ptr<Registry> &registry, bool switched) {
  auto *const profiled = std::get_if<ProfiledExec>(&timed_);
  if (profiled) {
    const driver::CurrentContext current(device_->context());
    if (!registry->timed()->update(whole_.exec, *whole_.buffer))
      return false;
    dropParts(*profiled);
  }
  plan_.keepWhole();
  Deferred &from = profiled ? profiled->from : std::get<Deferred>(timed_);
  if (!profiled || limit_.isSet())
    from.latest = registry;
  from.isEdited = from.isEdited && switched; // an update keeps that setting
  if (profiled)
    twinsFollow(*profiled, registry->timed());
  whole_.table = registry->table();
  return true;
}

Expected<void> Pair::update(std::shared_ptr<Registry> registry, bool switched) {
  {
    const MutexLock lock(mutex_);
    if (follows(registry.get())) {
      // If it is timed in place, the program's update pointed its exec at the other graph's buffer.
      auto *const inPlaceExec = std::get_if<InPlaceExec>(&timed_);
      if (inPlaceExec || updateProfiledExec(registry, switched)) {
        registry->used();
        return inPlaceExec ? writeTo(*inPlaceExec, std::move(registry)) : Expected<void>();
      }
    }
    forgetProfiled();
  }
  if (!registry)
    return {}; // nothing to time any more
  if (!registry->usable())
    return Failure{"the graph was changed after its capture; capture it again"};
  return make(std::move(registry), switched);
}

void Pair::deferBufferReuse(TimedExec &timed) noexcept {
  if (!std::exchange(timed.isUnread, false))
    return;
  try {
    replays_.pending.push({.recorded = false}, source(timed), SIZE_MAX);
  } catch (...) { // no memory: the buffer is never used again
    if (const InPlaceExec *const inPlace = inPlaceExec())
      inPlace->buffer->abandon();
    else
      std::erase(used_, timed.buffer);
  }
}

void Pair::release(TimedExec &timed) noexcept {
  if (!timed.exec)
    return;
  deferBufferReuse(timed);
  // After a device reset that was not seen, the handle belongs to another exec, if any.
  if (timed.exec != plain_ && Device::of(device_->context()) == device_) {
    const driver::RelaxedCapture relaxed; // otherwise destroying an exec invalidates a capture
    if (relaxed)
      cu().graphExecDestroy(timed.exec); // running replays still finish
  }
  timed = {};
  mayHaveUnretired_ = true;
}

bool Pair::isInUse(const ReplayBuffer *buffer) const {
  const ProfiledExec *const profiled = profiledExec();
  const auto isOfOne = [buffer](const TimedExec &timed) { return buffer == timed.buffer.get(); };
  return isOfOne(whole_) || (profiled && (isOfOne(profiled->bare) || isOfOne(profiled->twins) ||
                                          std::ranges::any_of(profiled->parts, isOfOne) ||
                                          std::ranges::any_of(profiled->ends, isOfOne)));
}

void Pair::forgetProfiled() noexcept {
  if (auto *const profiled = std::get_if<ProfiledExec>(&timed_))
    dropParts(*profiled);
  release(whole_);
  if (const InPlaceExec *const inPlace = inPlaceExec(); inPlace && inPlace->buffer)
    inPlace->buffer->release();
  timed_ = std::monostate();
  held_.clear();
  whole_ = {};
  mayHaveUnretired_ = true;
}

} // namespace graphprof
