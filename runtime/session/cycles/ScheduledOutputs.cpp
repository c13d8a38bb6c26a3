// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/ScheduledOutputs.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/MakeOutput.h"
#include "session/CycleName.h"
#include "session/cycles/Transitions.h"

namespace graphprof {

// Passes on only what belongs to a cycle.
class ScheduledOutputs::Gate : public Output {
public:
  Gate(std::unique_ptr<Output> output, std::shared_ptr<Cycles> cycles)
      : output_(std::move(output)), cycles_(std::move(cycles)) {}

  [[nodiscard]] std::string name() const override { return output_->name(); }
  [[nodiscard]] Interest wants() const override { return output_->wants(); }
  [[nodiscard]] std::string write(const Batch &batch) override {
    if (batch.source.replay)
      return writeReplay(batch, *batch.source.replay);
    if (!batch.source.spans.empty())
      return writeSpans(batch);
    if (!batch.memory.empty() &&
        !cycles_->has(batch.memory.front().event.timeNs, ProfilerActivity::CUDA))
      return {};
    return output_->write(batch);
  }
  [[nodiscard]] std::uint64_t dropped() const override { return output_->dropped(); }
  void stop() override { output_->stop(); }
  [[nodiscard]] bool flush(std::int64_t timeoutMs) override { return output_->flush(timeoutMs); }
  [[nodiscard]] std::string close(const Losses &losses) override { return output_->close(losses); }
  [[nodiscard]] std::string written() const override { return output_->written(); }

private:
  [[nodiscard]] std::string writeReplay(const Batch &batch, const Replay &replay);
  [[nodiscard]] std::string writeSpans(const Batch &batch);

  const std::unique_ptr<Output> output_;
  const std::shared_ptr<Cycles> cycles_;
  std::vector<std::size_t> inside_; // indices into the current batch
  std::vector<Record> records_;
  std::vector<HostSpan> spans_;
};

namespace {

// A batch that refers to the same known regions and threads, without records. Few batches are only
// partly in a cycle: those at its begin and end.
Batch partOf(const Batch &batch) {
  Batch part;
  part.regionsFrom = batch.regionsFrom;
  part.actsFrom = batch.actsFrom;
  part.threadsFrom = batch.threadsFrom;
  part.regions = batch.regions;
  part.acts = batch.acts;
  part.threads = batch.threads;
  return part;
}

// Fills `inside` with the indices of the `things` that are inside.
template <class Thing, class IsInside>
void find(std::span<const Thing> things, std::vector<std::size_t> &inside, IsInside isInside) {
  inside.clear();
  for (std::size_t i = 0; i < things.size(); ++i)
    if (isInside(things[i]))
      inside.push_back(i);
}

} // namespace

// A replay of a graph belongs to a cycle as a whole. Outside graphs each record counts by itself.
std::string ScheduledOutputs::Gate::writeReplay(const Batch &batch, const Replay &replay) {
  if (replay.exec != 0)
    return cycles_->has(replay.launchNs, ProfilerActivity::CUDA) ? output_->write(batch)
                                                                 : std::string();
  find(replay.records, inside_, [this](const Record &record) {
    return cycles_->has(record.launch_ns, record.clock == Clock::Host ? ProfilerActivity::CPU
                                                                      : ProfilerActivity::CUDA);
  });
  if (inside_.empty())
    return {};
  if (inside_.size() == replay.records.size())
    return output_->write(batch);
  Batch part = partOf(batch);
  records_.clear();
  for (const std::size_t i : inside_) {
    records_.push_back(replay.records[i]);
    if (!batch.launches.empty()) // empty if the output wants only the source
      part.timings.push_back(batch.timings[i]);
  }
  if (!batch.launches.empty())
    part.launches.push_back({batch.launches.front().replay, 0, part.timings.size()});
  Replay source = replay;
  source.records = records_;
  part.source.replay = &source;
  return output_->write(part);
}

std::string ScheduledOutputs::Gate::writeSpans(const Batch &batch) {
  find(batch.source.spans, inside_, [this](const HostSpan &span) { return cycles_->has(span); });
  if (inside_.empty())
    return {};
  if (inside_.size() == batch.source.spans.size())
    return output_->write(batch);
  Batch part = partOf(batch);
  spans_.clear();
  for (const std::size_t i : inside_) {
    spans_.push_back(batch.source.spans[i]);
    if (!batch.spans.empty())
      part.spans.push_back(batch.spans[i]);
  }
  part.source.spans = spans_;
  return output_->write(part);
}

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
    if (isWrittenWhole(item))
      whole_.push_back(item);
    else
      session.outputs.attach(gated(session.outputIfRecorded(withCycle(item, 1))));
  }
  if (!whole_.empty())
    session.outputs.attach(cycles_->collector());
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
                             "recorded step; lower wait or warmup",
                             steps, steps == 1 ? "step" : "steps"));
}

// Runs on the saver's thread.
void ScheduledOutputs::write(const SavedCycle &cycle) {
  for (const std::string &item : whole_) {
    const std::string name =
        schedule_.repeat == 1 ? withCycle(item, 1) : nameOfCycle(item, cycle.number);
    std::string failure;
    try {
      const std::unique_ptr<Output> output = session_.outputOf(name);
      failure = write(*output, cycle);
      if (failure.empty())
        session_.wrote(output->written());
    } catch (const std::exception &thrown) {
      failure = thrown.what();
    }
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
