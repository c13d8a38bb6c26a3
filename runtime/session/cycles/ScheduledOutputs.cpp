// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/ScheduledOutputs.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "Thrown.h"
#include "output/Failure.h"
#include "output/MakeOutput.h"
#include "session/CycleName.h"
#include "session/GatedOutput.h"
#include "session/cycles/Transitions.h"

namespace graphprof {

namespace {

// What belongs to a cycle.
class OfCycles : public Admission {
public:
  explicit OfCycles(std::shared_ptr<Cycles> cycles) : cycles_(std::move(cycles)) {}

  [[nodiscard]] bool admitsDevice(std::int64_t ns) const override {
    return cycles_->has(ns, ProfilerActivity::CUDA);
  }
  [[nodiscard]] bool admitsHost(std::int64_t ns) const override {
    return cycles_->has(ns, ProfilerActivity::CPU);
  }
  [[nodiscard]] bool admitsSpan(std::int64_t beginNs, std::int64_t endNs) const override {
    return cycles_->hasSpan(beginNs, endNs);
  }

private:
  const std::shared_ptr<Cycles> cycles_;
};

bool anyGetsHostSpans(const Config &config) {
  return std::any_of(config.outputs.begin(), config.outputs.end(), [&](const std::string &item) {
    return getsHostSpans(item, config.hostSpans ? HostSpansFor::All : HostSpansFor::Whole);
  });
}

} // namespace

ScheduledOutputs::ScheduledOutputs(Session &session, Saver &saver, std::function<void()> handOn,
                                   std::function<std::int64_t()> now)
    : session_(session), schedule_(session.config().schedule.value_or(ScheduleArguments())) {
  session.recordingSwitch.onlyRequested();
  if (schedule_.warmup == 0)
    session.say(withoutWarmup);
  Cycles::Options options;
  options.schedule = Schedule(schedule_);
  options.ready = [this](const std::shared_ptr<const SavedCycle> &cycle) { write(*cycle); };
  options.hostSpans = anyGetsHostSpans(session.config());
  options.handOn = std::move(handOn);
  options.memory = session.config().memory;
  options.name = "GRAPHPROF_SCHEDULE";
  cycles_ = std::make_shared<Cycles>(session, saver, std::move(now), std::move(options));
  for (const std::string &item : session.config().outputs) {
    if (isWrittenWhole(item) || namesCycle(item))
      whole_.push_back(item);
    else
      session.outputs.attach(gated(session.outputIfRecorded(item)));
  }
  if (!whole_.empty())
    session.outputs.attach(cycles_->collector());
}

std::unique_ptr<Output> ScheduledOutputs::gated(std::unique_ptr<Output> output) const {
  return std::make_unique<GatedOutput>(std::move(output), std::make_shared<OfCycles>(cycles_));
}

void ScheduledOutputs::begun(std::int64_t step) noexcept {
  if (!survived([&] { step == 0 ? cycles_->start() : cycles_->step(); }))
    session_.say("GRAPHPROF_SCHEDULE: a step is not followed: no memory");
}

void ScheduledOutputs::ended(std::int64_t /*step*/) noexcept {
  if (!survived([&] { cycles_->rest(); }))
    session_.say("GRAPHPROF_SCHEDULE: a step is not followed: no memory");
}

void ScheduledOutputs::leave() {
  const bool anyStep = cycles_->started();
  const std::int64_t steps = anyStep ? cycles_->stepNumber() + 1 : 0;
  cycles_->stop();
  if (!anyStep)
    session_.say(
        "GRAPHPROF_SCHEDULE: the program began no step, so nothing was recorded. Steps are "
        "marked by [[graphprof::step]] or graphprof::step(); GRAPHPROF_STEP=launches takes "
        "each launch of a graph for one");
  else if (cycles_->begun() == 0)
    session_.say(fmt::format("GRAPHPROF_SCHEDULE: the program ended after {} {}, before the first "
                             "recorded step; lower wait or warmup",
                             steps, steps == 1 ? "step" : "steps"));
}

// Runs on the saver's thread.
void ScheduledOutputs::write(const SavedCycle &cycle) {
  for (const std::string &item : whole_) {
    const std::string name =
        schedule_.repeat == 1 ? withCycle(item, 1) : nameOfCycle(item, cycle.number);
    const std::string failure = failureOf([&] {
      const std::unique_ptr<Output> output = session_.outputOf(name);
      std::string failed = write(*output, cycle);
      if (failed.empty())
        session_.wrote(output->written());
      return failed;
    });
    if (!failure.empty())
      session_.say(fmt::format("output {} failed in cycle {}: {}", name, cycle.number, failure));
  }
}

std::string ScheduledOutputs::write(Output &output, const SavedCycle &cycle) const {
  Batching batching;
  if (std::string failure = cycle.writeTo(output, output.wants(), batching); !failure.empty())
    return failure;
  Batch said;
  said.remarks.push_back(
      cycle.firstStep == cycle.lastStep
          ? fmt::format("cycle {}: step {}", cycle.number, cycle.firstStep)
          : fmt::format("cycle {}: steps {} to {}", cycle.number, cycle.firstStep, cycle.lastStep));
  if (const std::string sentence = session_.allocations.sentence(); !sentence.empty())
    said.remarks.push_back("the program until then: " + sentence);
  if (std::string failure = output.write(said); !failure.empty())
    return failure;
  Losses losses = session_.outputs.lossesBefore(output.wants());
  losses.dropped += cycle.dropped;
  return output.close(losses);
}

} // namespace graphprof
