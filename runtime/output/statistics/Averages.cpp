// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Averages.h"
#include "output/data/RecordColumns.h"
#include "output/data/Reserved.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "output/data/CopyNames.h"
#include "output/data/LossText.h"
#include "output/statistics/AverageTable.h"

namespace graphprof {

namespace {

constexpr double nsPerUs = 1e3;
constexpr double nsPerS = 1e9;

double us(std::int64_t ns) { return static_cast<double>(ns) / nsPerUs; }

// Bounded, because numbers in files may be anything.
std::int64_t timesOf(std::int64_t ns, std::uint64_t count) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(ns, count, &product) ? std::numeric_limits<std::int64_t>::max()
                                                     : product;
}

std::string textOf(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Real:
    return fmt::format("{}", value.as_real());
  case Value::Kind::Signed:
    return fmt::format("{}", value.as_signed());
  case Value::Kind::Unsigned:
    return fmt::format("{}", value.as_unsigned());
  case Value::Kind::Boolean:
    return value.as_boolean() ? "true" : "false";
  case Value::Kind::Character:
    return std::string(1, static_cast<char>(value.as_signed()));
  case Value::Kind::Address:
    return fmt::format("{}", value.as_address());
  case Value::Kind::Text:
    return std::string(value.as_text());
  }
  return {};
}

std::string shapesOf(const Value *context, std::size_t size) {
  std::string text = "[";
  for (std::size_t i = 0; i < size; ++i)
    if (!isReserved(context[i])) {
      if (text.size() > 1)
        text += ", ";
      if (!context[i].key().empty())
        text += std::string(context[i].key()) + '=';
      text += textOf(context[i]);
    }
  return text + ']';
}

// A node has no source, so it adds no frame.
void addFrame(std::vector<std::string> &stack, const Site *site) {
  if (site && site->line > 0)
    stack.push_back(fmt::format("{}({}): {}", site->file, site->line, site->function));
}

// At most `most` frames.
std::vector<std::string> stackOf(const RecordTree &tree, const RecordTree::Node &node,
                                 std::size_t most) {
  std::vector<std::string> stack;
  if (most > 0)
    addFrame(stack, node.record->site);
  for (std::ptrdiff_t around = node.parent; around >= 0 && stack.size() < most;
       around = tree.nodes[static_cast<std::size_t>(around)].parent)
    addFrame(stack, tree.nodes[static_cast<std::size_t>(around)].record->site);
  return stack;
}

// A copy has no roofline: the clocks of the device's memory do not tell how fast it could be.
bool isCopy(const Record &record) {
  return record.kind == Kind::Memcpy || record.kind == Kind::Memset ||
         isCopyOfStep(record.kind, record.site, record.name);
}

} // namespace

std::size_t Averages::rowOf(const Sample &sample) {
  std::string key(sample.name);
  const auto add = [&key](std::string_view text) {
    key += '\0';
    key += text;
  };
  if (grouping_.byShapes)
    add(sample.shapes);
  const std::size_t shown = std::min(sample.stack.size(), frames());
  for (std::size_t i = 0; i < shown; ++i)
    add(sample.stack[i]);
  const auto [known, isNew] = byKey_.try_emplace(std::move(key), rows_.size());
  if (isNew) {
    FunctionEventAvg &average = rows_.emplace_back().average;
    average.key = sample.name;
    average.top_level = !sample.inside;
    if (grouping_.byShapes)
      average.input_shapes = sample.shapes;
    average.stack.assign(sample.stack.begin(),
                         sample.stack.begin() + static_cast<std::ptrdiff_t>(shown));
  }
  return known->second;
}

void Averages::noteWork(Executions &executions, const Sample &sample) {
  if (!sample.hasRoofline || (sample.flops <= 0 && sample.bytes <= 0))
    return;
  const Work work{sample.device, std::max(sample.flops, 0.0), std::max(sample.bytes, 0.0)};
  auto done = executions.done.find(work);
  if (done == executions.done.end()) {
    if (work_ >= maxSamples_) {
      executions.workIsComplete = false;
      return;
    }
    ++work_;
    done = executions.done.emplace(work, Done{}).first;
  }
  ++done->second.count;
  addTo(done->second.ns, sample.deviceNs);
}

void Averages::noteBusy(Executions &executions, const Record &record) {
  executions.kernelsOnly = executions.kernelsOnly && record.kind == Kind::Kernel;
  if (!executions.kernelsOnly)
    return;
  const BusyFigures::Of of{0, record.exec, 0, record.region};
  executions.busy.add(of, busyOf(record));
  constexpr std::size_t most = 4096;
  if (executions.busy.knows(of))
    executions.notBusy.erase(of);
  else if (executions.notBusy.size() < most)
    executions.notBusy.insert(of);
}

// Counts only work on devices with known peaks.
double Averages::rooflineOf(const Executions &executions) const {
  double idealNs = 0, ns = 0;
  for (const auto &[work, done] : executions.done) {
    const auto known = peaks_.find(work.device);
    if (known == peaks_.end() || (work.flops > 0 && known->second.flopsPerS <= 0) ||
        (work.bytes > 0 && known->second.bytesPerS <= 0))
      continue;
    const double idealS = std::max(work.flops > 0 ? work.flops / known->second.flopsPerS : 0,
                                   work.bytes > 0 ? work.bytes / known->second.bytesPerS : 0);
    idealNs += idealS * nsPerS * static_cast<double>(done.count);
    ns += static_cast<double>(done.ns);
  }
  return ns > 0 && executions.workIsComplete ? 100.0 * idealNs / ns : -1;
}

void Averages::add(const Sample &sample) { add(rows_[rowOf(sample)], sample); }

void Averages::add(Row &row, const Sample &sample) {
  FunctionEventAvg &average = row.average;
  addTo(row.cpuNs, sample.cpuNs);
  addTo(row.selfCpuNs, sample.selfCpuNs);
  addTo(selfCpuNs_, sample.selfCpuNs);
  addTo(average.cpu_memory_usage, sample.memory.cpu);
  addTo(average.self_cpu_memory_usage, sample.memory.selfCpu);
  addTo(average.device_memory_usage, sample.memory.device);
  addTo(average.self_device_memory_usage, sample.memory.selfDevice);
  if (!sample.onDevice) {
    row.flops += sample.flops;
    row.bytes += sample.bytes;
    samples_.add(row.host, sample.cpuNs);
    LaunchedWork &launched =
        sample.launched == Launched::Cold ? row.launched.cold : row.launched.warm;
    addTo(launched.ns, sample.deviceNs);
    addTo(launched.selfNs, sample.selfDeviceNs);
    row.launchedNothing += sample.launched == Launched::Nothing ? 1 : 0;
    if (sample.launched == Launched::Warm || sample.launched == Launched::Cold) {
      ++launched.whole.count;
      addTo(launched.whole.ns, sample.deviceNs);
    }
    return;
  }
  Executions &executions = sample.cold ? row.device.cold : row.device.warm;
  executions.flops += sample.flops;
  executions.bytes += sample.bytes;
  addTo(executions.selfNs, sample.selfDeviceNs);
  samples_.add(executions.times, sample.deviceNs);
  noteWork(executions, sample);
  if (seriesLeft_ > 0) {
    executions.series.push_back(sample.time);
    --seriesLeft_;
  }
}

// What one record adds: how long it took only if that was measured.
Averages::Sample Averages::sampleOf(const RecordTree &tree, const RecordTree::Node &node,
                                    bool cold) const {
  const Record &record = *node.record;
  Sample sample;
  sample.name = record.name;
  if (grouping_.byShapes)
    sample.shapes = shapesOf(record.context, record.context_size);
  sample.stack = stackOf(tree, node, frames());
  sample.inside = node.parent >= 0;
  sample.onDevice = record.clock != Clock::Host;
  sample.cold = cold;
  if (!record.measured())
    return sample;
  (sample.onDevice ? sample.deviceNs : sample.cpuNs) = record.duration_ns;
  (sample.onDevice ? sample.selfDeviceNs : sample.selfCpuNs) = node.selfNs();
  sample.flops = reserved(record.context, record.context_size, "flops");
  sample.bytes = reserved(record.context, record.context_size, "bytes");
  sample.device = record.device;
  sample.hasRoofline = !isCopy(record);
  sample.time = {record.exec, record.replay, record.step, record.iteration, us(record.duration_ns)};
  return sample;
}

// An outermost record on the device is part of what launched its replay. Outside graphs each record
// may have a step of its own.
void Averages::addOutermost(const Record &record, bool isOfGraph, bool cold, Led &replays) {
  if (isOfGraph) {
    addTo(cold ? replays.coldNs : replays.warmNs, record.duration_ns);
    return;
  }
  Led outside;
  outside.warmNs = record.duration_ns;
  outside.warm = true;
  addLed(ofStep_, record.step, outside);
}

void Averages::add(const Replay &replay) {
  const bool cold = ranCold(replay);
  replays_.add(replay);
  ReplayShares &shares = shares_.of(replay);
  shares.begin(replay);
  Led led; // the replay as a whole
  led.warm = !cold;
  led.cold = cold;
  constexpr std::size_t none = SIZE_MAX;
  const RecordTree tree(replay.records);
  std::vector<std::size_t> outermost(tree.nodes.size(), none), // by record: a row
      onDevice(tree.nodes.size(), SelfTimes::none);            // likewise, if it is there
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const RecordTree::Node &node = tree.nodes[i];
    const Record &record = *node.record;
    if (node.parent >= 0)
      outermost[i] = outermost[static_cast<std::size_t>(node.parent)];
    if (hostSpans_ && record.clock == Clock::Host)
      continue;
    Sample sample = sampleOf(tree, node, cold);
    if (sample.onDevice)
      sample.selfDeviceNs = 0; // self_ knows
    const std::size_t row = rowOf(sample);
    if (outermost[i] == none)
      outermost[i] = row;
    if (sample.onDevice) {
      onDevice[i] = row;
      shares.add(row, outermost[i],
                 {record.region, record.iteration >= 0, record.begin_ns,
                  record.measured() ? record.duration_ns : -1});
      led.missing |= !sample.inside && !record.measured();
    }
    if (!record.measured()) {
      if (sample.onDevice)
        ++rows_[row].device.of(replay).notMeasured;
      continue;
    }
    add(rows_[row], sample);
    if (!sample.onDevice)
      continue;
    noteBusy(rows_[row].device.of(replay), record);
    if (!sample.inside)
      addOutermost(record, replay.exec != 0, cold, led);
  }
  shares.end();
  self_.of(replay).add(replay, tree, onDevice);
  if (replay.exec == 0)
    return;
  addLed(ofLaunch_, Launch{replay.exec, replay.number}, led);
  addLed(ofStep_, replay.step, led);
}

// What each span and those inside it launched.
std::vector<Averages::Led> Averages::ledTo(std::span<const HostSpan> spans,
                                           std::span<const std::ptrdiff_t> parents) const {
  std::vector<Led> led(spans.size());
  for (std::size_t i = spans.size(); i-- > 0;) {
    const HostSpan &span = spans[i];
    if (span.kind == HostKind::Launch && span.exec != 0) {
      if (const auto known = ofLaunch_.find({span.exec, span.replay}); known != ofLaunch_.end())
        led[i] = known->second;
      else
        led[i].missing = true;
    }
    if (span.kind == HostKind::Step) // includes what other threads launched for it
      if (const auto known = ofStep_.find(span.step); known != ofStep_.end()) {
        const bool missing = led[i].missing;
        led[i] = known->second;
        led[i].missing |= missing;
      }
    if (parents[i] >= 0)
      led[static_cast<std::size_t>(parents[i])].add(led[i]);
  }
  return led;
}

void Averages::addHost(std::span<const HostSpan> spans, std::span<const MemoryEvent> memory) {
  const std::vector<std::ptrdiff_t> parents = containers(spans);
  const MemoryInSpans allocated(spans, parents, memory);
  const std::vector<Led> led = ledTo(spans, parents);
  std::vector<std::int64_t> selfNs(spans.size());
  for (std::size_t i = spans.size(); i-- > 0;) {
    addTo(selfNs[i], spans[i].duration_ns());
    if (parents[i] >= 0)
      addTo(selfNs[static_cast<std::size_t>(parents[i])], -spans[i].duration_ns());
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const HostSpan &span = spans[i];
    if (span.kind == HostKind::Mark)
      continue;
    Sample sample;
    sample.name = span.kind == HostKind::Step ? "ProfilerStep*" : span.name;
    if (grouping_.byShapes)
      sample.shapes = shapesOf(span.context, span.context_size);
    if (frames() > 0)
      addFrame(sample.stack, span.site);
    for (std::ptrdiff_t around = parents[i]; around >= 0 && sample.stack.size() < frames();
         around = parents[static_cast<std::size_t>(around)])
      addFrame(sample.stack, spans[static_cast<std::size_t>(around)].site);
    sample.inside = parents[i] >= 0;
    sample.cpuNs = span.duration_ns();
    sample.selfCpuNs = selfNs[i];
    sample.launched =
        span.kind == HostKind::Launch && span.exec == 0 ? Launched::Unknown : led[i].how();
    sample.deviceNs = sample.launched == Launched::Cold ? led[i].coldNs : led[i].warmNs;
    if (!memory.empty())
      sample.memory = allocated.bySpan[i];
    add(sample);
  }
  for (const SpanMemory &outside : allocated.outside) {
    Sample sample;
    sample.name = "[memory]"; // PyTorch's
    sample.memory = outside;
    add(sample);
  }
}

FunctionEventAvg Averages::averageOf(std::size_t number) {
  Row &row = rows_[number];
  FunctionEventAvg average = std::move(row.average);
  const bool onDevice = row.onDevice();
  Executions &executions = row.device.shown();
  const LaunchedWork &launched = row.launched.shown();
  const Distribution &times = onDevice ? executions.times : row.host;
  average.cold = onDevice ? row.device.isCold() : row.launched.isCold();
  average.count = static_cast<std::int64_t>(times.count());
  average.cpu_time_total = us(row.cpuNs);
  average.self_cpu_time_total = us(row.selfCpuNs);
  if (row.host.count() > 0)
    average.cpu_time = average.cpu_time_total / static_cast<double>(row.host.count());
  average.device_time_is_busy = onDevice && executions.isBusyKnown();
  const Batch::Busy busy = executions.busy.shown();
  if (executions.kernelsOnly && busy.isKnown()) {
    average.busy_time = us(busy.ns);
    average.gap_time = busy.gapNs < 0 ? -1 : us(busy.gapNs);
    average.busy_replays = busy.replays;
  }
  const SelfTimes::Self self = (average.cold ? self_.cold : self_.warm).ofRow(number);
  const std::int64_t busyNs = timesOf(busy.ns, times.count()),
                     deviceNs = average.device_time_is_busy ? busyNs : executions.times.sumNs(),
                     selfNs = average.device_time_is_busy
                                  ? busyNs
                                  : executions.selfNs + std::llround(self.ns);
  average.device_time_total = us(onDevice ? deviceNs : launched.ns);
  average.self_device_time_total = us(onDevice ? selfNs : launched.selfNs);
  // In nanoseconds until the sum over all rows is known.
  average.self_device_percent = static_cast<double>(onDevice ? selfNs : launched.selfNs) *
                                (self.ns > 0 ? self.allNs / self.ns : 1);
  if (onDevice) {
    addTo(average.cold ? selfColdNs_ : selfDeviceNs_, selfNs);
    (average.cold ? allSelfColdNs_ : allSelfNs_) += average.self_device_percent;
  }
  if (average.device_time_is_busy)
    average.device_time = us(busy.ns);
  else if (onDevice)
    average.device_time = executions.times.meanNs() / nsPerUs;
  else if (launched.whole.count > 0)
    average.device_time =
        us(launched.whole.ns) / static_cast<double>(launched.whole.count + row.launchedNothing);
  else if (launched.ns > 0)
    average.device_time = std::nan("");
  average.min = us(times.minNs());
  average.median = times.quantileNs(0.5) / nsPerUs;
  average.p95 = times.quantileNs(0.95) / nsPerUs;
  average.p99 = times.quantileNs(0.99) / nsPerUs;
  average.max = us(times.maxNs());
  average.rounded = !times.exact();
  if (onDevice)
    average.replay_percent = (average.cold ? shares_.cold : shares_.warm).percentOf(number);
  average.flops = row.flops + executions.flops;
  average.bytes = row.bytes + executions.bytes;
  const std::int64_t ns = onDevice ? deviceNs : row.cpuNs;
  if (const double s = static_cast<double>(ns) / nsPerS; s > 0) {
    average.flops_per_s = average.flops / s;
    average.bytes_per_s = average.bytes / s;
  }
  average.roofline_percent = rooflineOf(executions);
  average.series = std::move(executions.series);
  return average;
}

std::string Averages::tableOf(const KeyAverages &averages, const table_options &options) {
  return AverageTable{averages.selfCpuUs_,  averages.selfDeviceUs_, averages.selfColdUs_,
                      averages.withDevice_, averages.withMemory_,   averages.roundedLength_,
                      averages.remarks_}
      .text(averages.rows_, options);
}

KeyAverages Averages::finish() {
  KeyAverages result;
  result.rows_.reserve(rows_.size());
  bool cold = false;
  std::uint64_t busy = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].onDevice() && rows_[i].host.empty()) // never measured
      continue;
    const FunctionEventAvg &row = result.rows_.emplace_back(averageOf(i));
    cold |= row.cold;
    busy += row.device_time_is_busy ? 1 : 0;
    result.withDevice_ |= row.self_device_time_total > 0;
  }
  rows_.clear();
  for (FunctionEventAvg &row : result.rows_)
    if (const double allNs = row.cold ? allSelfColdNs_ : allSelfNs_; allNs > 0)
      row.self_device_percent *= 100 / allNs;
  result.selfCpuUs_ = us(selfCpuNs_);
  result.selfDeviceUs_ = us(selfDeviceNs_);
  result.selfColdUs_ = us(selfColdNs_);
  result.withMemory_ = withMemory_;
  result.remarks_ = replays_.lines(cold);
  result.roundedLength_ = !replays_.lengths().shown().exact();
  if (busy > 0)
    result.remarks_ += fmt::format("CUDA times of {} are how long they were busy; the gaps behind "
                                   "them are in no row\n",
                                   counted(busy, "kernel", "kernels"));
  return result;
}

} // namespace graphprof
