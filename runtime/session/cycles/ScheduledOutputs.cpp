// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/ScheduledOutputs.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "output/MakeOutput.h"
#include "session/CycleName.h"
#include "session/cycles/Transitions.h"

namespace graphprof {

// Hands on what belongs to a cycle.
class ScheduledOutputs::Gate : public Output {
public:
  Gate(std::unique_ptr<Output> output, std::shared_ptr<Cycles> cycles)
      : output_(std::move(output)), cycles_(std::move(cycles)) {}

  [[nodiscard]] std::string name() const override { return output_->name(); }
  [[nodiscard]] std::string write(const Replay &replay) override {
    if (replay.exec != 0)
      return cycles_->has(replay.launchNs, ProfilerActivity::CUDA) ? output_->write(replay)
                                                                   : std::string();
    inside_.clear();
    for (const Record &record : replay.records)
      if (cycles_->has(record.launchNs, record.clock == Clock::Host ? ProfilerActivity::CPU
                                                                    : ProfilerActivity::CUDA))
        inside_.push_back(record);
    if (inside_.empty())
      return {};
    Replay part = replay;
    part.records = inside_;
    return output_->write(part);
  }
  [[nodiscard]] bool wantsHostSpans() const override { return output_->wantsHostSpans(); }
  [[nodiscard]] std::string writeHost(std::span<const HostSpan> spans) override {
    hostInside_.clear();
    std::copy_if(spans.begin(), spans.end(), std::back_inserter(hostInside_),
                 [this](const HostSpan &span) { return cycles_->has(span); });
    return hostInside_.empty() ? std::string() : output_->writeHost(hostInside_);
  }
  [[nodiscard]] std::string memory(const MemoryEvent &event) override {
    return cycles_->has(event.timeNs, ProfilerActivity::CUDA) ? output_->memory(event)
                                                              : std::string();
  }
  [[nodiscard]] std::uint64_t dropped() const override { return output_->dropped(); }
  void stop() override { output_->stop(); }
  [[nodiscard]] bool flush(std::int64_t timeoutMs) override { return output_->flush(timeoutMs); }
  void metadata(const std::string &key, const std::string &json) override {
    output_->metadata(key, json);
  }
  void remark(const std::string &sentence) override { output_->remark(sentence); }
  [[nodiscard]] std::string close(const Losses &losses) override { return output_->close(losses); }

private:
  const std::unique_ptr<Output> output_;
  const std::shared_ptr<Cycles> cycles_;
  std::vector<Record> inside_;
  std::vector<HostSpan> hostInside_;
};

namespace {

bool anyGetsHostSpans(const Config &config) {
  return std::any_of(config.outputs.begin(), config.outputs.end(), [&](const std::string &item) {
    return getsHostSpans(item, config.hostSpans ? HostSpansFor::All : HostSpansFor::Whole);
  });
}

} // namespace

ScheduledOutputs::ScheduledOutputs(Session &session, Saver &saver, std::function<void()> handOn,
                                   std::function<std::int64_t()> now)
    : session_(session), schedule_(session.config().schedule.value_or(ScheduleArguments())) {
  session.recordingSwitch.onlyWanted();
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
    if (isWrittenWhole(item))
      whole_.push_back(item);
    else
      session.attach(gated(session.outputIfRecorded(withCycle(item, 1))));
  }
  if (!whole_.empty())
    session.attach(cycles_->collector());
}

std::unique_ptr<Output> ScheduledOutputs::gated(std::unique_ptr<Output> output) const {
  return std::make_unique<Gate>(std::move(output), cycles_);
}

void ScheduledOutputs::begun(std::int64_t step) noexcept {
  try {
    step == 0 ? cycles_->start() : cycles_->step();
  } catch (...) {
    session_.say("GRAPHPROF_SCHEDULE: a step is not followed: no memory");
  }
}

void ScheduledOutputs::ended(std::int64_t /*step*/) noexcept {
  try {
    cycles_->rest();
  } catch (...) {
    session_.say("GRAPHPROF_SCHEDULE: a step is not followed: no memory");
  }
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
                             "that is recorded",
                             steps, steps == 1 ? "step" : "steps"));
}

// On the saver's thread.
void ScheduledOutputs::write(const SavedCycle &cycle) {
  for (const std::string &item : whole_) {
    const std::string name =
        schedule_.repeat == 1 ? withCycle(item, 1) : nameOfCycle(item, cycle.number);
    std::string failure;
    try {
      const std::unique_ptr<Output> output = session_.outputOf(name);
      failure = write(*output, cycle);
    } catch (const std::exception &thrown) {
      failure = thrown.what();
    }
    if (!failure.empty())
      session_.say(fmt::format("output {} failed in cycle {}: {}", name, cycle.number, failure));
  }
}

std::string ScheduledOutputs::write(Output &output, const SavedCycle &cycle) {
  if (std::string failure = cycle.writeTo(output); !failure.empty())
    return failure;
  output.remark(
      cycle.firstStep == cycle.lastStep
          ? fmt::format("cycle {}: step {}", cycle.number, cycle.firstStep)
          : fmt::format("cycle {}: steps {} to {}", cycle.number, cycle.firstStep, cycle.lastStep));
  if (const std::string sentence = session_.allocations.sentence(); !sentence.empty())
    output.remark("the program until then: " + sentence);
  return output.close(session_.losses());
}

} // namespace graphprof
