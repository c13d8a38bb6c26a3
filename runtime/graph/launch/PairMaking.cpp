// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pair: makes, updates and drops what times its launches: the second exec, or the buffer to which
// the program's own exec writes.

#include <utility>

#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/launch/Pair.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;

bool Pair::make(std::shared_ptr<Registry> registry, std::string &why, bool switched) {
  const MutexLock lock(mutex_);
  if (flags_ & driver::instantiateDeviceLaunch) {
    why = "a graph for launches from the device cannot be timed";
    return false;
  }
  const driver::RelaxedCapture relaxed;
  Device *device = relaxed ? registry->device() : nullptr;
  if (!device) {
    why = "it was captured on no device";
    return false;
  }
  // The program may instantiate the graph while another device is current.
  const driver::CurrentContext current(device->context());
  registry->used();
  const auto timed = registry->timed();
  if (timed->inPlace()) {
    device_ = device;
    cold_ = true;
    return writeTo(timed_.emplace<InPlaceExec>(registry), registry, why);
  }
  if (switched) {
    why = "nodes of its exec were enabled or disabled, which the driver does not tell; instantiate "
          "a new exec";
    return false;
  }
  device->align(); // waits for the device, so not in a launch
  device_ = device;
  table_ = timed->table;
  timed_ = Deferred{std::move(registry), nullptr};
  return true;
}

void Pair::ensureProfiledExec(Reason reason) noexcept {
  auto *const waiting = std::get_if<Deferred>(&timed_);
  if (!waiting || waiting->isEdited)
    return;
  std::string why;
  try {
    auto place = limit_.take(shared_from_this(), hostNowNs(), reason == Reason::Change);
    if (!place) { // there may be room at the next launch; each is counted
      waiting->isEdited = reason == Reason::Change;
      return;
    }
    if (makeProfiledExec(std::move(*place), why))
      return;
  } catch (...) {
    why = "no memory";
  }
  forgetProfiled();
  services_.lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", why);
}

bool Pair::makeProfiledExec(ExecLimit::Place place, std::string &why) {
  const driver::RelaxedCapture relaxed;
  if (!relaxed || Device::of(device_->context()) != device_) {
    why = "its device was reset";
    return false;
  }
  // The program may launch the exec while another device is current.
  const driver::CurrentContext current(device_->context());
  const Deferred from = std::get<Deferred>(timed_);
  // Twins are found by the nodes of the graph from which the exec is made. That graph may be
  // useless, because the program may have freed its memory after an update of its exec. Then makes
  // the exec from the latest graph, without twins.
  return makeFrom(from, place, why) ||
         (from.latest && makeFrom({from.latest, nullptr}, place, why));
}

bool Pair::makeFrom(Deferred from, ExecLimit::Place &place, std::string &why) {
  const auto timed = from.registry->timed();
  auto made = timed->table;
  auto buffer = made->clock->makeBuffer({made->boundaries});
  if (!buffer) {
    why = "no memory for the times of its replays; lower GRAPHPROF_RING_DEPTH";
    return false;
  }
  // The program's upload applied to its own exec and its own stream.
  const driver::Exec exec = timed->instantiate(*buffer, flags_ & ~driver::instantiateUpload);
  bool isMade = false;
  try {
    if (exec) {
      used_.reserve(used_.size() + 1);
      buffer->attach(timed->clockNodes());
      isMade = !from.latest || from.latest->timed()->update(exec, *buffer);
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
    why = "the driver refused the profiled exec; free device memory";
    return false;
  }
  if (!limit_.isSet())
    from.latest.reset();
  timed_ = ProfiledExec{exec, std::move(from), std::move(made), std::move(place)};
  buffer_ = buffer;
  used_.push_back(std::move(buffer));
  noteLaunch();
  cold_ = true;
  return true;
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
  table_ = (from.latest ? from.latest : from.registry)->table();
  timed_ = std::move(from);
  return true;
}

bool Pair::writeTo(InPlaceExec &inPlaceExec, std::shared_ptr<Registry> registry, std::string &why) {
  const auto timed = registry->timed();
  auto buffer = timed->inPlace();
  if (inPlaceExec.writer != registry) {
    if (!buffer->claim()) {
      forgetProfiled();
      why = "another exec writes its times to the same place; make one exec of each such graph";
      return false;
    }
    deferBufferReuse();
    if (inPlaceExec.buffer)
      inPlaceExec.buffer->release();
  }
  table_ = timed->table;
  buffer_ = std::shared_ptr<ReplayBuffer>(buffer, buffer->get());
  buffer_->attach(inPlaceExec.registry->timed()->clockNodes());
  inPlaceExec.writer = std::move(registry);
  inPlaceExec.buffer = std::move(buffer);
  return true;
}

// Whether what is timed now can be updated from the graph of `registry`.
bool Pair::follows(const Registry *registry) const {
  const auto timed = registry ? registry->usable() : nullptr;
  if (!isTimed() || !timed)
    return false;
  const auto &table = timed->table;
  if (table->boundaries != table_->boundaries || table->clock != table_->clock)
    return false;
  return inPlaceExec() ? timed->inPlace() != nullptr
                       : !timed->inPlace() && table->structure == table_->structure;
}

bool Pair::updateProfiledExec(const std::shared_ptr<Registry> &registry, bool switched) {
  auto *const profiled = std::get_if<ProfiledExec>(&timed_);
  if (profiled) {
    const driver::CurrentContext current(device_->context());
    if (!registry->timed()->update(profiled->exec, *buffer_))
      return false;
  }
  Deferred &from = profiled ? profiled->from : std::get<Deferred>(timed_);
  if (!profiled || limit_.isSet())
    from.latest = registry;
  from.isEdited = from.isEdited && switched; // an update keeps that setting
  table_ = registry->table();
  return true;
}

bool Pair::update(std::shared_ptr<Registry> registry, std::string &why, bool switched) {
  {
    const MutexLock lock(mutex_);
    if (follows(registry.get())) {
      // If it is timed in place, the program's update pointed its exec at the other graph's buffer.
      auto *const inPlaceExec = std::get_if<InPlaceExec>(&timed_);
      if (inPlaceExec || updateProfiledExec(registry, switched)) {
        registry->used();
        return !inPlaceExec || writeTo(*inPlaceExec, std::move(registry), why);
      }
    }
    forgetProfiled();
  }
  if (!registry)
    return true; // nothing to time any more
  if (!registry->usable()) {
    why = "the graph was changed after its capture; capture it again";
    return false;
  }
  return make(std::move(registry), why, switched);
}

void Pair::deferBufferReuse() noexcept {
  if (!std::exchange(unread_, false))
    return;
  try {
    replays_.pending.push({.recorded = false}, source(), SIZE_MAX);
  } catch (...) { // no memory: the buffer is never used again
    if (const InPlaceExec *const inPlace = inPlaceExec())
      inPlace->buffer->abandon();
    else
      std::erase(used_, buffer_);
  }
}

void Pair::forgetProfiled() noexcept {
  deferBufferReuse();
  // After a device reset that was not seen, the handle belongs to another exec, if any.
  const ProfiledExec *const profiled = profiledExec();
  if (profiled && Device::of(device_->context()) == device_) {
    const driver::RelaxedCapture relaxed; // otherwise destroying an exec invalidates a capture
    if (relaxed)
      cu().graphExecDestroy(profiled->exec); // running replays still finish
  }
  if (const InPlaceExec *const inPlace = inPlaceExec(); inPlace && inPlace->buffer)
    inPlace->buffer->release();
  timed_ = std::monostate();
  held_.clear();
  buffer_.reset();
  source_.reset();
  table_.reset();
  mayHaveUnretired_ = true;
}

} // namespace graphprof
