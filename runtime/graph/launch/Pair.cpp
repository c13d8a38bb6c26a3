// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/Pair.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "session/Session.h"

namespace graphprof {

using detail::Launch;
using driver::cu;
using driver::ok;

namespace {

constexpr std::uint64_t noStream = UINT64_MAX; // no stream's id

std::uint64_t nextExecNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

} // namespace

Pair::Pair(driver::Exec plain, unsigned long long flags, Past past, std::shared_ptr<Lifeline> line)
    : plain_(plain), flags_(flags), number_(nextExecNumber()), line_(std::move(line)),
      replays_(number_) {
  if (past == Past::MayRun) { // in any stream
    lastExec_ = plain_;
    lastStream_ = noStream;
  }
}

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
  // The program may instantiate it while another device is current.
  const driver::CurrentContext current(device->context());
  registry->used();
  if (registry->inPlace()) {
    device_ = device;
    cold_ = true;
    return writeTo(timed_.emplace<OwnExec>(registry), registry, why);
  }
  if (switched) {
    why = "nodes of its exec were enabled or disabled, which the driver does not tell";
    return false;
  }
  device_ = device;
  return makeSecond(std::move(registry), why);
}

bool Pair::makeSecond(std::shared_ptr<Registry> registry, std::string &why) {
  auto table = registry->table();
  auto buffer = table->clock->makeBuffer({table->boundaries});
  if (!buffer) {
    why = "no memory for the times of its replays";
    return false;
  }
  used_.reserve(used_.size() + 1);
  // The program's upload went to its own exec and its own stream.
  driver::Exec exec = nullptr;
  if (!registry->bind(*buffer) || !ok(cu().graphInstantiate(&exec, registry->profiled(),
                                                            flags_ & ~driver::instantiateUpload))) {
    buffer->retire();
    why = "the driver refused the profiled exec";
    return false;
  }
  try {
    registry->attach(*buffer);
    device_->align();
  } catch (...) { // no memory
    cu().graphExecDestroy(exec);
    buffer->retire();
    throw;
  }
  timed_ = SecondExec{exec, std::move(registry), table};
  table_ = std::move(table);
  buffer_ = buffer;
  used_.push_back(std::move(buffer));
  cold_ = true;
  return true;
}

Launch Pair::launch(driver::Stream stream, std::int64_t step, Session &session, HostLaunch *shown) {
  const MutexLock lock(mutex_);
  const bool recording = session.recording();

  // A launch into a capture becomes a child node of the program's graph: that graph is the
  // program's.
  driver::CaptureStatus status = driver::CaptureStatus::None;
  const bool known = ok(cu().streamIsCapturing(stream, &status));
  if (!known || status != driver::CaptureStatus::None) {
    if (recording && isTimed())
      ++session.counters.notLaunched;
    return Launch::Plain;
  }
  const std::uint64_t id =
      driver::streamId(stream); // only now: asking for it invalidates a capture
  const std::uint64_t number = launches_++;
  if (shown)
    *shown = {table_ ? table_->graphNumber : 0, number_, number, hostNowNs()};
  if (own())
    return launchOwn(stream, id, number, step, session, shown);

  const SecondExec *const profiled = second();
  bool profile = recording && profiled;
  const bool elsewhere = lastExec_ && id != lastStream_;
  if (profile && lastExec_ == plain_ && elsewhere) {
    if (!plainMarked_) {
      ++session.counters.notLaunched;
      return launchPlain(stream, id, true, shown);
    }
    profile = ok(cu().streamWaitEvent(stream, plainMark_, 0));
  }
  // Nothing out means that every profiled launch has finished; and then its buffer may be another's
  // already.
  const bool runsElsewhere = elsewhere && lastBuffer_ && replays_.pending.any();
  if (profile && runsElsewhere && lastBuffer_ != buffer_)
    profile = lastBuffer_->order(stream);

  if (profile && buffer_->arm(profiled->exec, true)) {
    const std::int64_t launchNs = noteLaunch();
    if (launchExec(profiled->exec, stream, shown)) {
      lastExec_ = profiled->exec;
      lastBuffer_ = buffer_;
      lastStream_ = id;
      plainMarked_ = false;
      launchedTimed(number, id, launchNs, step, session);
      return Launch::Done;
    }
  }

  if (recording && profiled)
    ++session.counters.notLaunched;
  if (runsElsewhere)
    lastBuffer_->order(stream);
  return launchPlain(stream, id, false, shown);
}

bool Pair::launchExec(driver::Exec exec, driver::Stream stream, HostLaunch *shown) {
  if (!shown)
    return ok(cu().graphLaunch(exec, stream));
  shown->beginNs = hostNowNs();
  const bool launched = ok(cu().graphLaunch(exec, stream));
  shown->endNs = launched ? hostNowNs() : 0;
  return launched;
}

// Here and not by the program, so that no other thread's launch comes between the choice and the
// launch. Where the driver refuses, the program tries and gets the error.
Launch Pair::launchPlain(driver::Stream stream, std::uint64_t id, bool mark, HostLaunch *shown) {
  const bool launched = launchExec(plain_, stream, shown);
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

// Every launch writes times: those that are not recorded are counted, and never read.
Launch Pair::launchOwn(driver::Stream stream, std::uint64_t id, std::uint64_t number,
                       std::int64_t step, Session &session, HostLaunch *shown) {
  const bool recording = session.recording();
  if (own()->writer->spoiled()) {
    forgetProfiled();
    ++session.counters.notMirrored;
    session.say(
        "an exec runs unprofiled from now on: another exec writes its times to the same place");
    return Launch::Plain;
  }
  const std::int64_t launchNs = noteLaunch();
  if (!buffer_->arm(plain_, recording) || !launchExec(plain_, stream, shown)) {
    if (recording)
      ++session.counters.notLaunched;
    return Launch::PlainThenMark; // with the error that it has for the program
  }
  unread_ = !recording;
  if (recording)
    launchedTimed(number, id, launchNs, step, session);
  else
    buffer_->launched();
  return Launch::Done;
}

// The launch has happened, and must not happen again: what fails now, for want of memory, costs its
// times.
void Pair::launchedTimed(std::uint64_t number, std::uint64_t stream, std::int64_t launchNs,
                         std::int64_t step, Session &session) noexcept {
  const std::uint64_t sequence = buffer_->launched();
  unread_ = false;
  try {
    if (!replays_.pending.push({sequence, number, stream, launchNs, step, cold_}, source(),
                               session.config().maxQueue))
      ++session.counters.notQueued;
  } catch (...) {
    buffer_->skip(sequence);
    unread_ = true;
    ++session.counters.notQueued;
  }
  cold_ = false;
  device_->alignment().follow(table_->clock->kind(), launchNs);
}

const std::shared_ptr<const TimesSource> &Pair::source() {
  if (!source_ || source_->table != table_ || source_->buffer != buffer_ ||
      source_->device != device_)
    source_ = std::make_shared<const TimesSource>(TimesSource{table_, buffer_, device_});
  return source_;
}

bool Pair::writeTo(OwnExec &own, std::shared_ptr<Registry> registry, std::string &why) {
  if (own.writer != registry) {
    if (!registry->claim()) {
      forgetProfiled();
      why = "another exec writes its times to the same place";
      return false;
    }
    keepUntilRead();
    if (own.writer)
      own.writer->release();
  }
  table_ = registry->table();
  buffer_ = registry->inPlace();
  own.registry->attach(*buffer_);
  own.writer = std::move(registry);
  return true;
}

void Pair::launchedPlain(driver::Stream stream) {
  const MutexLock lock(mutex_);
  if (own()) {
    buffer_->skip(buffer_->launched());
    unread_ = true;
    return;
  }
  plainMarked_ = markPlain(stream);
  lastExec_ = plain_;
  lastStream_ = driver::streamId(stream);
  lastBuffer_.reset();
}

// Whether what is timed now can be updated from the graph of `registry`.
bool Pair::follows(const Registry *registry) const {
  if (!isTimed() || !registry || !registry->usable())
    return false;
  const auto table = registry->table();
  if (table->boundaries != table_->boundaries || table->clock != table_->clock)
    return false;
  return own() ? registry->inPlace() != nullptr
               : !registry->inPlace() && table->structure == table_->structure;
}

bool Pair::updateSecond(const std::shared_ptr<Registry> &registry) {
  const driver::CurrentContext current(device_->context());
  driver::ExecUpdateResult result{};
  if (!registry->bind(*buffer_) ||
      !ok(cu().graphExecUpdate(second()->exec, registry->profiled(), &result)))
    return false;
  table_ = registry->table();
  return true;
}

bool Pair::update(std::shared_ptr<Registry> registry, std::string &why, bool switched) {
  {
    const MutexLock lock(mutex_);
    if (follows(registry.get())) {
      // Timed in place, the program's update pointed its exec at the other graph's buffer.
      auto *const own = std::get_if<OwnExec>(&timed_);
      if (own || updateSecond(registry)) {
        registry->used();
        return !own || writeTo(*own, std::move(registry), why);
      }
    }
    forgetProfiled();
  }
  if (!registry)
    return true; // nothing to time any more
  if (!registry->usable()) {
    why = "the graph was changed after its capture";
    return false;
  }
  return make(std::move(registry), why, switched);
}

void Pair::upload(driver::Stream stream) {
  const MutexLock lock(mutex_);
  if (const SecondExec *const profiled = second())
    cu().graphUpload(profiled->exec, stream);
}

detail::Twin Pair::twin(driver::Node node) {
  const MutexLock lock(mutex_);
  const SecondExec *const profiled = second();
  if (!profiled)
    return {nullptr, nullptr, false};
  return {profiled->exec, profiled->registry->twin(node), shownAs(node) != nullptr};
}

// Nodes are those of the graph that the exec was made of, also once it was updated from another
// one: what it shows then is the other one's node that ends at the same boundary.
const Region *Pair::shownAs(driver::Node node) const {
  const SecondExec *const profiled = second();
  const Region *const made = profiled ? profiled->made->regionOf(node) : nullptr;
  if (!made || table_ == profiled->made)
    return made;
  const auto found =
      std::find_if(table_->regions.begin(), table_->regions.end(),
                   [made](const Region &other) { return other.node && other.end == made->end; });
  return found == table_->regions.end() ? nullptr : &*found;
}

void Pair::nodeChanged(driver::Node node, const char *kernel) {
  const MutexLock lock(mutex_);
  const Region *const shown = shownAs(node);
  if (!shown)
    return;
  if (auto table = table_->changed(*shown, kernel))
    table_ = std::move(table);
}

void Pair::kernelChanging(driver::Node node, const driver::Grid &grid) {
  const MutexLock lock(mutex_);
  const SecondExec *const profiled = second();
  const auto boundary = profiled ? profiled->made->boundaryAt(node) : std::nullopt;
  const driver::Node twin = boundary ? profiled->registry->twin(node) : nullptr;
  if (!boundary || !twin)
    return;
  const driver::CurrentContext current(device_->context());
  driver::Occupancy occupancy(device_->properties());
  const bool isLate = !occupancy.leavesRoom(twin, grid);
  if (isLate != table_->isLate(*boundary))
    table_ = table_->withLate(*boundary, isLate);
}

bool Pair::isTimedInPlace() {
  const MutexLock lock(mutex_);
  return own() != nullptr;
}

bool Pair::drop() noexcept {
  const MutexLock lock(mutex_);
  const bool had = isTimed();
  forgetProfiled();
  return had;
}

void Pair::distrust() noexcept {
  const MutexLock lock(mutex_);
  if (const OwnExec *const inPlace = own())
    inPlace->writer->spoil(); // the next launch finds out
  else
    forgetProfiled();
}

void Pair::keepUntilRead() noexcept {
  if (!std::exchange(unread_, false))
    return;
  try {
    replays_.pending.push({.recorded = false}, source(), SIZE_MAX);
  } catch (...) { // no memory: it is nobody else's, ever
    if (const OwnExec *const inPlace = own())
      inPlace->writer->spoil();
    else
      std::erase(used_, buffer_);
  }
}

void Pair::forgetProfiled() noexcept {
  keepUntilRead();
  // After a device reset that nobody saw, what has the exec's handle is another's, if anybody's.
  const SecondExec *const profiled = second();
  if (profiled && Device::of(device_->context()) == device_) {
    const driver::RelaxedCapture relaxed; // destroying an exec invalidates a capture otherwise
    if (relaxed)
      cu().graphExecDestroy(profiled->exec); // what is in flight goes on to its end
  }
  if (const OwnExec *const inPlace = own(); inPlace && inPlace->writer)
    inPlace->writer->release();
  timed_ = std::monostate();
  buffer_.reset();
  source_.reset();
  table_.reset();
  leftOver_ = true;
}

void Pair::destroy() noexcept {
  drop();
  const MutexLock lock(mutex_);
  destroyed_ = true;
  leftOver_ = true;
  if (plainMark_)
    device_->returnEvent(plainMark_);
  plainMark_ = nullptr;
  plainMarked_ = false;
}

bool Pair::finished() {
  if (!leftOver_) // mostly: then the lock, which a launch may hold for long, is left alone
    return false;
  const MutexLock lock(mutex_);
  if (replays_.pending.any())
    return false;
  retireUsed();
  leftOver_ = destroyed_;
  return destroyed_;
}

void Pair::retireUsed() {
  std::erase_if(used_, [this](const std::shared_ptr<ReplayBuffer> &buffer) REQUIRES(mutex_) {
    if (buffer == buffer_)
      return false;
    buffer->retire();
    return true;
  });
}

std::optional<std::size_t> Pair::giveUp(Session &session) {
  if (!replays_.mutex().tryLock())
    return std::nullopt;
  const MutexLock harvesting(replays_.mutex(), std::adopt_lock);
  const MutexLock lock(mutex_);
  if (!destroyed_ || !replays_.pending.areFinished())
    return std::nullopt;
  const std::size_t lost = replays_.pending.abandon();
  session.counters.notQueued += lost;
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

// Without the lock a launch may be under way that has its time and is not in out_ yet; the next one
// is later than now. With a newer launch seen, those before it are in.
bool Pair::outBefore(std::int64_t hostNs) {
  if (mutex_.tryLock())
    mutex_.unlock();
  else if (lastLaunchNs_.load(std::memory_order_relaxed) < hostNs)
    return true;
  return replays_.pending.before(hostNs);
}

std::uint64_t Pair::graph() {
  const MutexLock lock(mutex_);
  return table_ ? table_->graphNumber : 0;
}

} // namespace graphprof
