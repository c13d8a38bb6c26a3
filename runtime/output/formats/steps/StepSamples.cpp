// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/steps/StepSamples.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "output/data/CopyNames.h"
#include "output/io/JsonWriter.h"

namespace graphprof {

namespace {

constexpr const char *stepEvent = "_traceml_internal:step_time";

// TraceML knows only copies to the device. The others have names that it ignores.
std::string eventOf(const std::string &copy) {
  return (copy == "h2d" ? "_traceml_internal:" : "_graphprof:") + copy + "_time";
}

std::string deviceOf(int ordinal) {
  return ordinal < 0 ? std::string("cpu") : fmt::format("cuda:{}", ordinal);
}

void timing(JsonWriter &json, const StepTiming &timing, int device) {
  const auto milliseconds = [](bool known, std::int64_t ns) {
    return known ? fmt::format("{:.6f}", static_cast<double>(ns) * 1e-6) : std::string("null");
  };
  const bool isGpu = device >= 0 && timing.lost == 0;
  const std::string host = milliseconds(timing.notNoted == 0, timing.hostNs);
  const std::string onDevice = milliseconds(isGpu, timing.deviceNs);
  json.beginObject().key<"cpu_ms">().raw(host);
  json.key<"duration_ms">().raw(device >= 0 ? onDevice : host);
  json.key<"gpu_ms">().raw(onDevice);
  json.member<"is_gpu">(isGpu).member<"n_calls">(timing.calls);
  if (const std::uint64_t lost = std::max(timing.lost, timing.notNoted); lost > 0)
    json.member<"n_lost">(lost);
  json.endObject();
}

} // namespace

std::string jsonOf(const StepSample &sample) {
  std::string text;
  JsonWriter json(text);
  json.beginObject();
  for (const auto &[event, devices] : sample.events) {
    json.key(event).beginObject();
    for (const auto &[device, one] : devices)
      timing(json.key(deviceOf(device)), one, device);
    json.endObject();
  }
  json.endObject();
  return text;
}

std::size_t StepSamples::Step::weight() const {
  std::size_t sums = 0;
  for (const auto &[name, one] : copies)
    sums += one.made.size() + one.called.size();
  return 1 + sums;
}

bool StepSamples::Step::complete() const {
  std::uint64_t calls = 0, records = 0;
  for (const auto &[name, one] : copies) {
    for (const auto &[device, called] : one.called)
      calls += called.calls;
    for (const auto &[device, made] : one.made)
      records += made.records;
  }
  return ended && records >= calls;
}

// Null if the number is not a step's, or the step's sample was given.
StepSamples::Step *StepSamples::at(std::int64_t step) {
  if (step < 0)
    return nullptr;
  if (step > given_)
    return &steps_[step];
  ++late_;
  return nullptr;
}

void StepSamples::add(const Batch &batch) {
  settledBefore_ = std::max(settledBefore_, batch.settledBefore);
  if (!told_)
    for (auto &[number, step] : steps_)
      step.wasComplete = step.complete();
  copyNames_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return isCopyOfStep(region.kind, region.site, region.name) ? region.name : std::string();
  });
  acts_.take(batch.actsFrom, batch.acts,
             [](const Batch::Act &act) { return Act{act.kind, act.name, act.captured}; });
  // Does something with the step and keeps the weight.
  const auto change = [this](std::int64_t number, auto work) {
    const auto known = steps_.find(number);
    const std::size_t before = known == steps_.end() ? 0 : known->second.weight();
    if (Step *const step = at(number)) {
      work(*step);
      weight_ += step->weight() - before;
    }
  };
  for (const Batch::Span &span : batch.spans) {
    const Act &act = acts_.of(span.act);
    if (act.captured)
      continue;
    if (act.kind == HostKind::Step)
      change(span.step, [&](Step &step) {
        step.ended = true;
        step.beginNs = span.beginNs;
        step.endNs = span.endNs;
        lastEnded_ = std::max(lastEnded_, span.step);
      });
    else if (act.kind == HostKind::Copy)
      change(span.step, [&](Step &step) {
        Called &called = step.copies[act.name].called[span.device];
        called.ns += span.endNs - span.beginNs;
        ++called.calls;
      });
  }
  for (const Batch::Launch &launch : batch.launches) {
    if (launch.replay.exec != 0)
      continue;
    for (const Batch::Timing &timing : batch.timingsOf(launch)) {
      const std::string &name = copyNames_.of(timing.region);
      if (name.empty())
        continue;
      change(timing.step, [&](Step &step) {
        Made &made = step.copies[name].made[timing.device];
        ++made.records;
        if (timing.durationNs < 0)
          return;
        ++made.measured;
        made.ns += timing.durationNs;
      });
    }
  }
}

// If spans have no device, like those from a file, it is the records' device, if they have only
// one. Otherwise it is not known which calls took how long on the host.
std::map<int, StepTiming> StepSamples::timingsOf(const Copies &copies) {
  std::map<int, StepTiming> timings;
  for (const auto &[device, made] : copies.made)
    timings[device].deviceNs = made.ns;
  const bool known = copies.called.empty() || copies.called.begin()->first >= 0;
  const bool one = copies.called.size() == 1 && copies.made.size() <= 1;
  std::uint64_t elsewhere = 0; // of the calls with an unknown device
  for (const auto &[device, called] : copies.called) {
    if (device < 0 && !one) {
      elsewhere = called.calls;
      continue;
    }
    StepTiming &sum =
        timings[one && !known && !copies.made.empty() ? copies.made.begin()->first : device];
    sum.hostNs += called.ns;
    sum.calls += called.calls;
  }
  for (const auto &[device, made] : copies.made) {
    StepTiming &sum = timings[device];
    const std::uint64_t more = made.records > sum.calls ? made.records - sum.calls : 0;
    sum.calls += more;
    sum.notNoted = more;
    elsewhere -= std::min(elsewhere, more);
  }
  if (elsewhere > 0) {
    timings[-1].calls += elsewhere;
    timings[-1].notNoted += elsewhere;
  }
  for (auto &[device, timing] : timings) {
    const auto made = copies.made.find(device);
    const std::uint64_t measured = made == copies.made.end() ? 0 : made->second.measured;
    timing.lost = timing.calls - std::min(timing.calls, measured);
  }
  return timings;
}

StepSample StepSamples::sampleOf(std::int64_t number, const Step &step) {
  StepSample sample{number, step.endNs, {}};
  StepTiming &whole = sample.events[stepEvent][-1];
  whole.hostNs = step.endNs - step.beginNs;
  whole.calls = 1;
  for (const auto &[name, copies] : step.copies)
    sample.events[eventOf(name)] = timingsOf(copies);
  return sample;
}

void StepSamples::takeFirst(std::vector<StepSample> &samples) {
  const auto &[number, step] = *steps_.begin();
  if (step.ended)
    samples.push_back(sampleOf(number, step));
  given_ = number;
  weight_ -= step.weight();
  steps_.erase(steps_.begin());
}

// Beyond the bound, the step that is open now is kept, however many sums it has. If a later one has
// ended, the end of the first was lost.
bool StepSamples::firstIsReady() const {
  const auto &[number, step] = *steps_.begin();
  return (told_ ? number < settledBefore_ : step.wasComplete) ||
         (weight_ > most_ && number <= lastEnded_);
}

std::vector<StepSample> StepSamples::ready() {
  std::vector<StepSample> samples;
  while (!steps_.empty() && firstIsReady())
    takeFirst(samples);
  given_ = std::max(given_, settledBefore_ - 1);
  return samples;
}

std::vector<StepSample> StepSamples::rest() {
  std::vector<StepSample> samples;
  while (!steps_.empty())
    takeFirst(samples);
  return samples;
}

} // namespace graphprof
