// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/steps/StepSamples.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "output/data/CopyNames.h"

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

std::string milliseconds(std::int64_t ns) {
  return fmt::format("{:.6f}", static_cast<double>(ns) * 1e-6);
}

} // namespace

std::string jsonOf(const StepSample &sample) {
  std::string json = "{";
  for (const auto &[event, devices] : sample.events) {
    json += fmt::format("{}\"{}\":{{", json.size() > 1 ? "," : "", event);
    bool first = true;
    for (const auto &[device, timing] : devices) {
      const std::string host = milliseconds(timing.hostNs);
      const std::string onDevice = timing.onDevice ? milliseconds(timing.deviceNs) : "null";
      json += fmt::format(
          R"({}"{}":{{"cpu_ms":{},"duration_ms":{},"gpu_ms":{},"is_gpu":{},"n_calls":{}}})",
          std::exchange(first, false) ? "" : ",", device, host, timing.onDevice ? onDevice : host,
          onDevice, timing.onDevice, timing.calls);
    }
    json += '}';
  }
  return json + '}';
}

// Null if the number is not a step's, or the step was given up.
StepSamples::Step *StepSamples::at(std::int64_t step) {
  return step > given_ ? &steps_[step] : nullptr;
}

void StepSamples::add(const Batch &batch) {
  for (auto &[number, step] : steps_)
    step.wasComplete = step.complete();
  copyNames_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return isCopyOfStep(region.kind, region.site, region.name) ? region.name : std::string();
  });
  acts_.take(batch.actsFrom, batch.acts,
             [](const Batch::Act &act) { return Act{act.kind, act.name, act.captured}; });
  for (const Batch::Span &span : batch.spans) {
    const Act &act = acts_.of(span.act);
    if ((act.kind != HostKind::Copy && act.kind != HostKind::Step) || act.captured)
      continue;
    Step *const step = at(span.step);
    if (!step)
      continue;
    if (act.kind == HostKind::Step) {
      ended_ += step->ended ? 0 : 1;
      step->ended = true;
      step->beginNs = span.beginNs;
      step->endNs = span.endNs;
    } else {
      StepTiming &timing = step->copies[act.name].threads[span.device];
      timing.hostNs += span.endNs - span.beginNs;
      ++timing.calls;
      ++step->spans;
    }
  }
  for (const Batch::Launch &launch : batch.launches) {
    if (launch.replay.exec != 0)
      continue;
    for (const Batch::Timing &timing : batch.timingsOf(launch)) {
      const std::string &name = copyNames_.of(timing.region);
      Step *const step = name.empty() ? nullptr : at(timing.step);
      if (!step)
        continue;
      ++step->records;
      StepTiming &sum = step->copies[name].devices[timing.device];
      if (timing.durationNs < 0 || timing.device < 0)
        continue;
      sum.deviceNs += timing.durationNs;
      sum.onDevice = true;
    }
  }
}

// If spans have no device, like those from a file, it is the records' device, if they have only
// one.
StepSample StepSamples::sampleOf(std::int64_t number, const Step &step) {
  StepSample sample{number, step.endNs, {}};
  StepTiming &whole = sample.events[stepEvent]["cpu"];
  whole.hostNs = step.endNs - step.beginNs;
  whole.calls = 1;
  for (const auto &[name, copies] : step.copies) {
    const bool one = copies.devices.size() == 1 && copies.threads.size() == 1;
    auto &devices = sample.events[eventOf(name)];
    for (const auto &[device, timing] : copies.devices)
      if (timing.onDevice)
        devices[deviceOf(device)] = timing;
    for (const auto &[device, timing] : copies.threads) {
      StepTiming &sum = devices[deviceOf(one ? copies.devices.begin()->first : device)];
      sum.hostNs += timing.hostNs;
      sum.calls += timing.calls;
    }
  }
  return sample;
}

std::vector<StepSample> StepSamples::take(bool all) {
  std::vector<StepSample> samples;
  while (!steps_.empty()) {
    const auto &[number, step] = *steps_.begin();
    if (!all && !step.wasComplete && ended_ <= patience)
      break;
    if (step.ended) {
      samples.push_back(sampleOf(number, step));
      --ended_;
    }
    given_ = number;
    steps_.erase(steps_.begin());
  }
  return samples;
}

} // namespace graphprof
