// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Cycles.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include "Thrown.h"
#include "session/cycles/Cycle.h"
#include "session/cycles/Transitions.h"

namespace graphprof {

namespace {

constexpr std::size_t keptSaved = 64; // saved cycles whose late records are recognized

using Metadata = std::vector<std::pair<std::string, std::string>>;

void set(Metadata &metadata, std::string key, std::string json) {
  const auto known = std::find_if(metadata.begin(), metadata.end(),
                                  [&](const auto &entry) { return entry.first == key; });
  if (known != metadata.end())
    known->second = std::move(json);
  else
    metadata.emplace_back(std::move(key), std::move(json));
}

// 128 random bits, as in torch.profiler. Not by std::random_device: it throws, and the one that is
// linked in asks for a newer C library than the rest of libgraphprof.
std::string randomTraceId() {
  std::array<std::uint64_t, 2> bits{};
  if (getrandom(bits.data(), sizeof bits, GRND_NONBLOCK) != sizeof bits) {
    // Early at boot. Another process or moment still has another one.
    bits[0] = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                         std::chrono::nanoseconds(1));
    bits[1] = static_cast<std::uint64_t>(getpid());
  }
  return fmt::format("{:016X}{:016X}", bits[0], bits[1]);
}

// Joins two collections within a bound of `most` records and as many host spans. What does not fit
// is left out and counted in `left`.
std::shared_ptr<const Collection> joined(const Collection &before, const Collection &more,
                                         std::size_t most, std::size_t &left) {
  auto all = std::make_shared<Collection>();
  all->addRecords(before);
  all->addSpans(before);
  if (before.size() + more.size() <= most)
    all->addRecords(more);
  else
    left += more.size();
  if (before.spans().size() + more.spans().size() <= most)
    all->addSpans(more);
  else
    left += more.spans().size();
  all->seal();
  return all;
}

} // namespace

class Cycles::Collector : public Output {
public:
  explicit Collector(std::shared_ptr<Cycles> cycles)
      : Output(cycles->options_.name,
               {.hostSpans = cycles->options_.hostSpans, .memory = cycles->options_.memory}),
        cycles_(std::move(cycles)) {}
  [[nodiscard]] std::string write(const Batch &batch) override {
    view_.take(batch);
    for (const Batch::Launch &launch : batch.launches)
      cycles_->write(view_, launch.replay, batch.timingsOf(launch));
    cycles_->write(view_, batch.spans);
    for (const Batch::Memory &memory : batch.memory) {
      MemoryEvent event = memory.event;
      event.path = memory.path;
      cycles_->write(event);
    }
    return {};
  }
  [[nodiscard]] std::uint64_t dropped() const override { return cycles_->bound_.dropped.load(); }
  [[nodiscard]] std::string close(const Losses & /*losses*/) override { return {}; }

private:
  const std::shared_ptr<Cycles> cycles_;
  BatchView view_;
};

Cycles::Cycles(Session &session, Saver &saver, std::function<std::int64_t()> now, Options options)
    : session_(session), saver_(saver), now_(std::move(now)), options_(std::move(options)),
      bound_{session.config().maxRecords}, maxWaiting_(session.config().maxQueue),
      nextTraceId_(options_.traceId), saved_(SavedCycle::none()) {}

std::unique_ptr<Output> Cycles::collector() {
  return std::make_unique<Collector>(shared_from_this());
}

void Cycles::start() {
  const MutexLock stepping(steppingMutex_);
  if (started())
    return;
  {
    const MutexLock lock(mutex_);
    started_ = true;
  }
  go(actionOf(stepNumber()));
}

void Cycles::step() {
  const MutexLock stepping(steppingMutex_);
  std::int64_t next = 0;
  {
    const MutexLock lock(mutex_);
    next = ++stepNumber_;
    if (!started_)
      return;
  }
  go(actionOf(next));
}

void Cycles::stop() {
  const MutexLock stepping(steppingMutex_);
  if (!started())
    return;
  {
    const MutexLock lock(mutex_);
    started_ = false;
  }
  go(std::nullopt);
}

void Cycles::rest() {
  const MutexLock stepping(steppingMutex_);
  if (action_ == ProfilerAction::RECORD_AND_SAVE)
    go(ProfilerAction::NONE);
}

// The schedule is the program's code.
ProfilerAction Cycles::actionOf(std::int64_t step) {
  if (!options_.schedule)
    return ProfilerAction::RECORD;
  try {
    const ProfilerAction action = options_.schedule(step);
    return action <= ProfilerAction::RECORD_AND_SAVE ? action : ProfilerAction::NONE;
  } catch (...) {
    session_.say(fmt::format(
        "the schedule of {} threw in step {}, which is not recorded; catch it there: {}",
        options_.name, step, whatWasThrown()));
  }
  return ProfilerAction::NONE;
}

void Cycles::go(std::optional<ProfilerAction> to) {
  const Transition taken = transition(action_, to);
  if (!taken.warning.empty())
    session_.say(std::string(taken.warning));
  if (taken.has(Move::Stop) && options_.handOn)
    options_.handOn();
  // A cycle starts without preparation after RECORD, WARMUP, RECORD.
  const bool unprepared = taken.has(Move::Start) && !taken.has(Move::Prepare) && !isPrepared();
  const CyclePointer next = taken.has(Move::Prepare) || unprepared ? made() : nullptr;
  CyclePointer ended;
  std::int64_t nowNs = 0;
  {
    const MutexLock lock(mutex_);
    nowNs = now_();
    if (unprepared)
      prepare(next);
    for (const Move move : taken.moves) {
      if (move == Move::Prepare)
        prepare(next);
      else if (move == Move::Start)
        open(nowNs);
      else if (move == Move::Stop)
        ended = closed(nowNs);
    }
  }
  if (ended)
    queue(ended, nowNs, taken.has(Move::Ready));
  action_ = to.value_or(ProfilerAction::NONE);
  actionStep_ = stepNumber();
  requestRecording();
}

void Cycles::requestRecording() {
  Activities wanted;
  const bool memory = options_.memory && action_ != ProfilerAction::NONE;
  if (action_ == ProfilerAction::WARMUP)
    wanted = options_.activities;
  else if (action_ != ProfilerAction::NONE)
    wanted = enabled_;
  const bool cpu = wanted.has(ProfilerActivity::CPU);
  const bool spans = options_.hostSpans && action_ != ProfilerAction::WARMUP;
  session_.recordingSwitch.request(this,
                                   {wanted.has(ProfilerActivity::CUDA), cpu, cpu && spans, memory});
}

bool Cycles::isPrepared() const {
  const MutexLock lock(mutex_);
  return current_ != nullptr;
}

Cycles::CyclePointer Cycles::made() {
  std::function<std::string()> callback;
  {
    const MutexLock lock(mutex_);
    callback = nextTraceId_;
  }
  auto cycle = std::make_shared<Cycle>(bound_);
  if (!survived([&] { cycle->traceId = callback ? callback() : randomTraceId(); }))
    session_.say("a trace has no id: the function that makes it threw; catch it there");
  return cycle;
}

void Cycles::prepare(const CyclePointer &cycle) {
  current_ = cycle;
  current_->metadata = std::exchange(metadata_, {});
}

// Without memory the cycle is left out.
void Cycles::open(std::int64_t nowNs) noexcept try {
  enabled_ = options_.activities;
  if (waiting_ >= maxWaiting_) {
    session_.say(fmt::format("a trace of {} is left out: {} others wait for on_trace_ready, which "
                             "is too slow; record fewer steps, or raise GRAPHPROF_MAX_QUEUE",
                             options_.name, maxWaiting_));
    return;
  }
  for (const auto &[key, json] : preset_)
    set(current_->metadata, key, json);
  current_->number = ++begun_;
  current_->firstStep = stepNumber_;
  for (const ProfilerActivity activity : everyActivity)
    if (enabled_.has(activity))
      current_->of(activity).switchOn(nowNs);
  if (options_.memory)
    current_->data.hold(session_.allocations.held());
  known_.push_back(current_);
} catch (...) {
  current_->number = 0;
  session_.say("a trace is left out: no memory");
}

// Ends the current cycle and returns it. Null if it was left out.
Cycles::CyclePointer Cycles::closed(std::int64_t nowNs) {
  CyclePointer ended = std::exchange(current_, nullptr);
  if (ended->number == 0)
    return nullptr;
  for (Intervals &intervals : ended->intervals)
    intervals.switchOff(nowNs);
  if (action_ != ProfilerAction::WARMUP)
    ended->lastStep = actionStep_;
  ++waiting_;
  return ended;
}

void Cycles::queue(const CyclePointer &cycle, std::int64_t endNs, bool notify) {
  try {
    saver_.add(endNs, [self = shared_from_this(), cycle, notify] { self->save(cycle, notify); });
  } catch (...) {
    {
      const MutexLock lock(mutex_);
      --waiting_;
      std::erase(known_, cycle);
    }
    session_.say("a trace is lost: ", whatWasThrown());
  }
}

void Cycles::toggle(bool enable, Activities activities) {
  const MutexLock stepping(steppingMutex_);
  {
    const MutexLock lock(mutex_);
    if (!current_ || current_->number == 0)
      return; // nothing is recorded
    const std::int64_t nowNs = now_();
    for (const ProfilerActivity activity : everyActivity) {
      Intervals &intervals = current_->of(activity);
      if (!activities.has(activity) || intervals.size() > bound_.most)
        continue;
      enable ? intervals.switchOn(nowNs) : intervals.switchOff(nowNs);
    }
    enabled_ = enable ? enabled_.with(activities) : enabled_.without(activities);
  }
  requestRecording();
}

void Cycles::numberSteps(Steps::Seen seen) {
  const MutexLock lock(mutex_);
  if (!steps_)
    steps_ = seen;
}

Steps::Seen Cycles::steps() const {
  const MutexLock lock(mutex_);
  return steps_.value_or(Steps::Seen{0, 0});
}

std::int64_t Cycles::stepNumber() const {
  const MutexLock lock(mutex_);
  return stepNumber_;
}

bool Cycles::started() const {
  const MutexLock lock(mutex_);
  return started_;
}

std::uint64_t Cycles::begun() const {
  const MutexLock lock(mutex_);
  return begun_;
}

void Cycles::metadata(std::string key, std::string json) {
  const MutexLock lock(mutex_);
  set(current_ ? current_->metadata : metadata_, std::move(key), std::move(json));
}

void Cycles::presetMetadata(std::string key, std::string json) {
  const MutexLock lock(mutex_);
  set(preset_, std::move(key), std::move(json));
}

void Cycles::traceIdFrom(std::function<std::string()> callback) {
  const MutexLock lock(mutex_);
  nextTraceId_ = std::move(callback);
}

std::string Cycles::traceId() const {
  const MutexLock lock(mutex_);
  if (current_)
    return current_->traceId;
  return known_.empty() ? saved_->traceId : known_.back()->traceId;
}

std::shared_ptr<const SavedCycle> Cycles::saved() const {
  const MutexLock lock(mutex_);
  return saved_;
}

bool Cycles::flush(std::int64_t timeoutMs) {
  if (saver_.isThisThread())
    return false;
  MutexLock lock(mutex_);
  return changed_.waitFor(lock, std::chrono::milliseconds(timeoutMs),
                          [this]() REQUIRES(mutex_) { return waiting_ == 0; });
}

void Cycles::close() {
  session_.recordingSwitch.withdraw(this);
  MutexLock lock(mutex_);
  closed_ = true;
  if (!saver_.isThisThread())
    changed_.wait(lock, [this]() REQUIRES(mutex_) { return !calling_; });
}

// Runs on the saver's thread, when everything that was launched in the cycle has been written.
void Cycles::save(const CyclePointer &cycle, bool notify) noexcept {
  if (!survived([&] { finish(cycle, notify); }))
    session_.say("a trace is lost: no memory");
  const MutexLock lock(mutex_);
  calling_ = false;
  --waiting_;
  changed_.notifyAll();
}

void Cycles::finish(const CyclePointer &cycle, bool notify) {
  session_.outputs.handMemoryOn();
  CycleData::Taken taken = cycle->data.take();
  auto result = std::make_shared<SavedCycle>();
  result->dropped = taken.dropped;
  result->memory = options_.memory;
  result->own = result->all = std::move(taken.collection);
  const auto before = saved();
  if (options_.accumulate && before->number != 0) {
    std::size_t left = 0; // beyond the bound
    result->all = joined(*before->all, *result->own, bound_.most, left);
    result->dropped += left;
    session_.outputs.leftOut(left);
  }
  const Session::Facts facts = session_.facts();
  std::shared_ptr<const SavedCycle> shown;
  {
    const MutexLock lock(mutex_);
    result->number = cycle->number;
    result->traceId = cycle->traceId;
    result->metadata = cycle->metadata;
    for (const auto &[key, json] : facts)
      set(result->metadata, key, json);
    result->firstStep = cycle->lastStep < 0 ? -1 : cycle->firstStep;
    result->lastStep = cycle->lastStep;
    shown = saved_ = std::move(result);
    const auto isSaved = [&](const CyclePointer &one) { return one->number <= cycle->number; };
    while (std::count_if(known_.begin(), known_.end(), isSaved) >
           static_cast<std::ptrdiff_t>(keptSaved))
      known_.pop_front();
    if (!notify || closed_ || !options_.ready)
      return;
    calling_ = true;
  }
  try {
    options_.ready(shown);
  } catch (...) {
    session_.say(fmt::format("on_trace_ready of {} threw: {}", options_.name, whatWasThrown()));
  }
}

} // namespace graphprof
