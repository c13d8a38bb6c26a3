// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/profile.h.

#include "graphprof/profile.h"

#include <exception>
#include <new>
#include <utility>

#include "Edge.h"
#include "Thrown.h"
#include "clock/HostClock.h"
#include "graphprof/control.h"
#include "output/io/Json.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"
#include "services/Steps.h"
#include "session/Session.h"
#include "session/cycles/Cycles.h"

namespace graphprof {

namespace {

// Runs `work` and lets no exception into the program.
template <class Work> void withCycles(const std::shared_ptr<Cycles> &cycles, Work work) noexcept {
  if (!cycles || inForkedChild())
    return;
  const Edge edge;
  try {
    work(*cycles);
  } catch (...) {
    process().session.say("a call of a profile was lost: ", whatWasThrown());
  }
}

// The activities that PyTorch would record. Reports those that graphprof does not have.
Activities activitiesOf(const profile_options &options) {
  Activities activities = options.activities;
  if (options.use_cuda) {
    const Activities cuda = {ProfilerActivity::CUDA};
    activities = *options.use_cuda ? activities.with(cuda) : activities.without(cuda);
    process().session.say("`use_cuda` is deprecated, use `activities` argument instead");
  }
  for (const auto &[activity, name] : {std::pair(ProfilerActivity::XPU, "XPU"),
                                       std::pair(ProfilerActivity::PrivateUse1, "PrivateUse1")})
    if (activities.has(activity)) {
      activities = activities.without({activity});
      process().session.say(
          "a profile records CPU and CUDA; leave others out: nothing is recorded for "
          "ProfilerActivity::",
          name);
    }
  return activities;
}

void sayWhatDoesNothing(const profile_options &options) {
  if (options.experimental_config)
    process().session.say("`experimental_config` does nothing: it sets up Kineto and CUPTI, which "
                          "graphprof does not use; leave it out");
}

// The metadata with which PyTorch's traces describe how they were made.
void presetOptions(Cycles &cycles, const profile_options &options) {
  for (const auto &[isOn, key] :
       {std::pair(options.record_shapes, "record_shapes"),
        std::pair(options.profile_memory, "profile_memory"),
        std::pair(options.with_stack, "with_stack"), std::pair(options.with_flops, "with_flops"),
        std::pair(options.with_modules, "with_modules")})
    if (isOn)
      cycles.presetMetadata(key, "1");
}

bool takesMetadata(const std::string &key, const std::string &value) {
  if (isJson(value))
    return true;
  process().session.say("metadata " + key +
                        " is left out: its value is not JSON; quote a text, or use add_metadata");
  return false;
}

} // namespace

std::shared_ptr<Cycles> profile::cyclesOf(profile_options &options) noexcept try {
  if (!active())
    return nullptr;
  Cycles::Options wanted;
  wanted.schedule = std::move(options.schedule);
  wanted.activities = activitiesOf(options);
  sayWhatDoesNothing(options);
  wanted.accumulate = options.acc_events;
  wanted.memory = options.profile_memory;
  wanted.traceId = std::move(options.custom_trace_id_callback);
  if (options.on_trace_ready || options.execution_trace_observer)
    wanted.ready = [ready = std::move(options.on_trace_ready),
                    observer = options.execution_trace_observer](
                       const std::shared_ptr<const SavedCycle> &saved) {
      if (observer)
        observer->add(*saved);
      if (ready)
        ready(Trace(saved));
    };
  wanted.handOn = OpenRegions::handOnEnded;
  wanted.name = "a profile";
  return std::make_shared<Cycles>(process().session, saver(), hostNowNs, std::move(wanted));
} catch (...) {
  process().session.say("a profile records nothing: no memory");
  return nullptr;
}

profile::profile(profile_options options, defer_start_t)
    : scheduled_(options.schedule != nullptr), cycles_(cyclesOf(options)) {
  if (!cycles_)
    return;
  used();
  Session &session = process().session;
  observer_ = options.execution_trace_observer;
  drawing_ = options.execution_trace || observer_;
  if (drawing_)
    ++session.drawings;
  session.outputs.withoutDefaultTable();
  session.recordingSwitch.onlyRequested();
  withCycles(cycles_, [&](Cycles &cycles) {
    presetOptions(cycles, options);
    output_ = session.outputs.attach(cycles.collector());
  });
}

profile::profile(profile_options options) : profile(std::move(options), defer_start) { start(); }

profile::~profile() {
  if (inForkedChild()) { // a thread of the parent may have held its locks
    static_cast<void>(new (std::nothrow) std::shared_ptr<Cycles>(std::move(cycles_)));
    return;
  }
  if (!cycles_)
    return;
  const Edge edge;
  Session &session = process().session;
  stop();
  cycles_->close();
  if (observer_)
    observer_->unregister_callback(); // as PyTorch's profile does at the end of `with`
  if (drawing_)
    --session.drawings;
  if (output_)
    session.outputs.detach(output_);
}

void profile::start() noexcept {
  withCycles(cycles_, [this](Cycles &cycles) {
    if (!active())
      return;
    Steps &steps = process().steps;
    cycles.numberSteps(steps.seenFromNow(scheduled_));
    cycles.start();
    if (scheduled_)
      steps.next();
  });
}

// Like torch.profiler: steps are shown only if there is a schedule.
void profile::step() noexcept {
  withCycles(cycles_, [this](Cycles &cycles) {
    Steps &steps = process().steps;
    const bool shown = scheduled_ && active();
    if (shown)
      steps.ending();
    cycles.step();
    if (shown)
      steps.next();
  });
}

bool profile::stop(std::int64_t timeoutMs) noexcept {
  withCycles(cycles_, [this](Cycles &cycles) {
    if (!cycles.started())
      return;
    Steps &steps = process().steps;
    const bool last = scheduled_ || steps.current() >= cycles.steps().begun;
    if (last)
      steps.ending();
    cycles.stop();
    if (last)
      steps.finish();
  });
  return flush(timeoutMs);
}

bool profile::flush(std::int64_t timeoutMs) noexcept {
  bool done = !cycles_ || inForkedChild();
  withCycles(cycles_, [&](Cycles &cycles) { done = cycles.flush(timeoutMs); });
  return done;
}

void profile::toggle_collection_dynamic(bool enable, Activities activities) noexcept {
  withCycles(cycles_, [&](Cycles &cycles) { cycles.toggle(enable, activities); });
}

void profile::add_metadata(const std::string &key, const std::string &value) noexcept {
  withCycles(cycles_, [&](Cycles &cycles) { cycles.metadata(key, jsonString(value)); });
}

void profile::add_metadata_json(const std::string &key, const std::string &value) noexcept {
  withCycles(cycles_, [&](Cycles &cycles) {
    if (takesMetadata(key, value))
      cycles.metadata(key, value);
  });
}

void profile::preset_metadata_json(const std::string &key, const std::string &value) noexcept {
  withCycles(cycles_, [&](Cycles &cycles) {
    if (takesMetadata(key, value))
      cycles.presetMetadata(key, value);
  });
}

std::int64_t profile::step_num() const noexcept {
  std::int64_t number = 0;
  withCycles(cycles_, [&](Cycles &cycles) { number = cycles.stepNumber(); });
  return number;
}

std::string profile::get_trace_id() const {
  std::string id;
  withCycles(cycles_, [&](Cycles &cycles) { id = cycles.traceId(); });
  return id;
}

void profile::set_custom_trace_id_callback(std::function<std::string()> callback) noexcept {
  withCycles(cycles_, [&](Cycles &cycles) { cycles.traceIdFrom(std::move(callback)); });
}

Trace profile::trace() const {
  std::shared_ptr<const SavedCycle> saved;
  withCycles(cycles_, [&](Cycles &cycles) { saved = cycles.saved(); });
  return Trace(saved ? std::move(saved) : SavedCycle::none());
}

namespace {

// Calls `write` with the trace. Returns false without memory for the trace.
template <class Write> bool written(const profile &of, Write write) noexcept try {
  return write(of.trace());
} catch (...) {
  process().session.say("nothing was exported: no memory");
  return false;
}

} // namespace

bool profile::export_chrome_trace(const std::string &path) const noexcept {
  return written(*this, [&](const Trace &trace) { return trace.export_chrome_trace(path); });
}

bool profile::export_memory_timeline(const std::string &path,
                                     std::string_view device) const noexcept {
  return written(*this,
                 [&](const Trace &trace) { return trace.export_memory_timeline(path, device); });
}

bool profile::export_stacks(const std::string &path, std::string_view metric) const noexcept {
  return written(*this, [&](const Trace &trace) { return trace.export_stacks(path, metric); });
}

bool profile::export_execution_trace(const std::string &path) const noexcept {
  return written(*this, [&](const Trace &trace) { return trace.export_execution_trace(path); });
}

} // namespace graphprof
