// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Averages.h"
#include "output/data/Reserved.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/data/CopyNames.h"
#include "output/data/LossText.h"
#include "output/data/Nesting.h"
#include "output/statistics/AverageTable.h"

namespace graphprof {

namespace {

constexpr double nsPerUs = 1e3;
constexpr double nsPerS = 1e9;

double us(std::int64_t ns) { return static_cast<double>(ns) / nsPerUs; }

// FP32 units of a multiprocessor, by compute capability (CUDA C++ Programming Guide, "Arithmetic
// Instructions": results per clock and multiprocessor); 0: unknown.
int coresOf(int major, int minor) {
  if (major == 6)
    return minor == 0 ? 64 : 128;
  if (major == 7 || (major == 8 && minor == 0))
    return 64;
  return major >= 8 && major <= 12 ? 128 : 0;
}

std::string textOf(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Real:
    return fmt::format("{}", value.asReal());
  case Value::Kind::Signed:
    return fmt::format("{}", value.asSigned());
  case Value::Kind::Unsigned:
    return fmt::format("{}", value.asUnsigned());
  case Value::Kind::Boolean:
    return value.asBoolean() ? "true" : "false";
  case Value::Kind::Character:
    return std::string(1, static_cast<char>(value.asSigned()));
  case Value::Kind::Address:
    return fmt::format("{}", value.asAddress());
  case Value::Kind::Text:
    return std::string(value.asText());
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

// Reads the numbers of a list of objects. Not as a tree of values: destroying a tree allocates, and
// without memory the process would end.
class DeviceReader : public nlohmann::json::json_sax_t {
public:
  std::map<int, Peak> peaks;

  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool start_object(std::size_t) override {
    if (++depth_ == ofDevice)
      figures_.clear();
    return true;
  }
  bool end_object() override {
    if (depth_-- == ofDevice)
      add();
    return true;
  }
  bool key(string_t &name) override {
    key_ = name;
    return true;
  }
  bool number_integer(number_integer_t number) override {
    return note(static_cast<double>(number));
  }
  bool number_unsigned(number_unsigned_t number) override {
    return note(static_cast<double>(number));
  }
  bool number_float(number_float_t number, const string_t &) override { return note(number); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override {
    return false;
  }

private:
  static constexpr int ofDevice = 2; // in the list
  bool note(double number) {
    if (depth_ == ofDevice)
      figures_[key_] = number;
    return true;
  }
  void add() {
    const auto figure = [this](const char *key) {
      const auto found = figures_.find(key);
      return found == figures_.end() ? 0.0 : found->second;
    };
    const auto small = [&](const char *key) {
      constexpr double most = std::numeric_limits<int>::max();
      return static_cast<int>(std::clamp(figure(key), -1.0, most));
    };
    const double cores = figure("numSms") * coresOf(small("computeMajor"), small("computeMinor"));
    // A multiply-add counts as two operations. Memory moves data on both edges of its clock.
    peaks[small("id")] = {2 * cores * figure("clockRateKhz") * 1e3,
                          2 * figure("memoryClockRateKhz") * 1e3 * figure("memoryBusWidth") / 8};
  }

  int depth_ = 0;
  std::string key_;
  std::map<std::string, double, std::less<>> figures_;
};

} // namespace

std::map<int, Peak> peaksOf(std::string_view deviceProperties) {
  DeviceReader reader;
  static_cast<void>(nlohmann::json::sax_parse(deviceProperties, &reader));
  return std::move(reader.peaks);
}

Averages::Row &Averages::rowOf(const Sample &sample) {
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
  return rows_[known->second];
}

void Averages::noteWork(Row &row, const Sample &sample) {
  if (!sample.hasRoofline || (sample.flops <= 0 && sample.bytes <= 0))
    return;
  const Work work{sample.device, std::max(sample.flops, 0.0), std::max(sample.bytes, 0.0)};
  auto done = row.done.find(work);
  if (done == row.done.end()) {
    if (work_ >= maxSamples_) {
      row.workIsComplete = false;
      return;
    }
    ++work_;
    done = row.done.emplace(work, Done{}).first;
  }
  ++done->second.count;
  addTo(done->second.ns, sample.deviceNs);
}

// Counts only work on devices with known peaks.
double Averages::rooflineOf(const Row &row) const {
  double idealNs = 0, ns = 0;
  for (const auto &[work, done] : row.done) {
    const auto known = peaks_.find(work.device);
    if (known == peaks_.end() || (work.flops > 0 && known->second.flopsPerS <= 0) ||
        (work.bytes > 0 && known->second.bytesPerS <= 0))
      continue;
    const double idealS = std::max(work.flops > 0 ? work.flops / known->second.flopsPerS : 0,
                                   work.bytes > 0 ? work.bytes / known->second.bytesPerS : 0);
    idealNs += idealS * nsPerS * static_cast<double>(done.count);
    ns += static_cast<double>(done.ns);
  }
  return ns > 0 && row.workIsComplete ? 100.0 * idealNs / ns : -1;
}

void Averages::add(const Sample &sample) {
  Row &row = rowOf(sample);
  FunctionEventAvg &average = row.average;
  addTo(row.cpuNs, sample.cpuNs);
  addTo(row.selfCpuNs, sample.selfCpuNs);
  addTo(selfCpuNs_, sample.selfCpuNs);
  addTo(average.cpu_memory_usage, sample.memory.cpu);
  addTo(average.self_cpu_memory_usage, sample.memory.selfCpu);
  addTo(average.device_memory_usage, sample.memory.device);
  addTo(average.self_device_memory_usage, sample.memory.selfDevice);
  average.flops += sample.flops;
  average.bytes += sample.bytes;
  if (!sample.onDevice) {
    ++row.onHost;
    addTo(row.launchedNs, sample.deviceNs);
    addTo(row.selfLaunchedNs, sample.selfDeviceNs);
    samples_.add(row.host, sample.cpuNs);
    return;
  }
  ++row.onDevice;
  addTo(row.deviceNs, sample.deviceNs);
  addTo(row.selfDeviceNs, sample.selfDeviceNs);
  addTo(selfDeviceNs_, sample.selfDeviceNs);
  samples_.add(row.device, sample.deviceNs);
  noteWork(row, sample);
  if (seriesLeft_ > 0) {
    average.series.push_back(sample.time);
    --seriesLeft_;
  }
  const bool sameReplay =
      row.onDevice > 1 && row.lastExec == sample.time.exec && row.lastReplay == sample.time.replay;
  if (!sameReplay)
    addTo(row.replaySpanNs, sample.replaySpanNs);
  row.lastExec = sample.time.exec;
  row.lastReplay = sample.time.replay;
}

void Averages::add(const Replay &replay) {
  if (replay.exec != 0 && replay.cold)
    ++coldReplays_;
  const RecordTree tree(replay.records);
  for (const RecordTree::Node &node : tree.nodes) {
    const Record &record = *node.record;
    if (record.cold || !record.measured() || (hostSpans_ && record.clock == Clock::Host))
      continue;
    Sample sample;
    sample.name = record.name;
    if (grouping_.byShapes)
      sample.shapes = shapesOf(record.context, record.contextSize);
    sample.stack = stackOf(tree, node, frames());
    sample.inside = node.parent >= 0;
    const std::int64_t selfNs = node.selfNs();
    sample.onDevice = record.clock != Clock::Host;
    (sample.onDevice ? sample.deviceNs : sample.cpuNs) = record.durationNs;
    (sample.onDevice ? sample.selfDeviceNs : sample.selfCpuNs) = selfNs;
    sample.flops = reserved(record.context, record.contextSize, "flops");
    sample.bytes = reserved(record.context, record.contextSize, "bytes");
    sample.device = record.device;
    sample.hasRoofline = !isCopy(record);
    sample.replaySpanNs =
        replay.exec != 0 && replay.spanKnown() ? replay.endNs - replay.beginNs : 0;
    sample.time = {record.exec, record.replay, record.step, record.iteration,
                   us(record.durationNs)};
    add(sample);
    if (sample.onDevice && node.parent < 0) {
      if (replay.exec != 0)
        addLed(ofLaunch_, Launch{record.exec, record.replay}, record.durationNs);
      addLed(ofStep_, record.step, record.durationNs);
    }
  }
}

void Averages::addHost(std::span<const HostSpan> spans, std::span<const MemoryEvent> memory) {
  const std::vector<std::ptrdiff_t> parents = containers(spans);
  const MemoryInSpans allocated(spans, parents, memory);
  std::vector<std::int64_t> selfNs(spans.size()), launchedNs(spans.size(), 0);
  for (std::size_t i = spans.size(); i-- > 0;) {
    const HostSpan &span = spans[i];
    addTo(selfNs[i], span.durationNs());
    if (span.kind == HostKind::Launch)
      if (const auto known = ofLaunch_.find({span.exec, span.replay}); known != ofLaunch_.end())
        launchedNs[i] = known->second;
    if (span.kind == HostKind::Step) // includes what other threads launched for it
      if (const auto known = ofStep_.find(span.step); known != ofStep_.end())
        launchedNs[i] = known->second;
    if (parents[i] >= 0) {
      addTo(selfNs[static_cast<std::size_t>(parents[i])], -span.durationNs());
      addTo(launchedNs[static_cast<std::size_t>(parents[i])], launchedNs[i]);
    }
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const HostSpan &span = spans[i];
    if (span.kind == HostKind::Mark)
      continue;
    Sample sample;
    sample.name = span.kind == HostKind::Step ? "ProfilerStep*" : span.name;
    if (grouping_.byShapes)
      sample.shapes = shapesOf(span.context, span.contextSize);
    if (frames() > 0)
      addFrame(sample.stack, span.site);
    for (std::ptrdiff_t around = parents[i]; around >= 0 && sample.stack.size() < frames();
         around = parents[static_cast<std::size_t>(around)])
      addFrame(sample.stack, spans[static_cast<std::size_t>(around)].site);
    sample.inside = parents[i] >= 0;
    sample.cpuNs = span.durationNs();
    sample.selfCpuNs = selfNs[i];
    sample.deviceNs = launchedNs[i];
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

FunctionEventAvg Averages::averageOf(Row row) const {
  FunctionEventAvg average = std::move(row.average);
  const auto mean = [](double total, std::int64_t count, std::int64_t otherwise) {
    const std::int64_t by = count > 0 ? count : otherwise;
    return by > 0 ? total / static_cast<double>(by) : 0.0;
  };
  const bool onDevice = row.onDevice > 0;
  average.count = onDevice ? row.onDevice : row.onHost;
  average.cpu_time_total = us(row.cpuNs);
  average.self_cpu_time_total = us(row.selfCpuNs);
  average.device_time_total = us(onDevice ? row.deviceNs : row.launchedNs);
  average.self_device_time_total = us(onDevice ? row.selfDeviceNs : row.selfLaunchedNs);
  average.cpu_time = mean(average.cpu_time_total, row.onHost, row.onDevice);
  average.device_time = mean(average.device_time_total, row.onDevice, row.onHost);
  const Distribution &times = onDevice ? row.device : row.host;
  average.min = us(times.minNs());
  average.median = times.quantileNs(0.5) / nsPerUs;
  average.p95 = times.quantileNs(0.95) / nsPerUs;
  average.p99 = times.quantileNs(0.99) / nsPerUs;
  average.max = us(times.maxNs());
  if (row.replaySpanNs > 0)
    average.replay_percent =
        100.0 * static_cast<double>(row.deviceNs) / static_cast<double>(row.replaySpanNs);
  if (const double s = static_cast<double>(onDevice ? row.deviceNs : row.cpuNs) / nsPerS; s > 0) {
    average.flops_per_s = average.flops / s;
    average.bytes_per_s = average.bytes / s;
  }
  average.roofline_percent = rooflineOf(row);
  return average;
}

std::string Averages::tableOf(const KeyAverages &averages, const table_options &options) {
  return AverageTable{averages.selfCpuUs_, averages.selfDeviceUs_, averages.withDevice_,
                      averages.withMemory_, averages.remarks_}
      .text(averages.rows_, options);
}

KeyAverages Averages::finish() {
  KeyAverages result;
  result.rows_.reserve(rows_.size());
  for (Row &row : rows_)
    result.rows_.push_back(averageOf(std::move(row)));
  rows_.clear();
  result.selfCpuUs_ = us(selfCpuNs_);
  result.selfDeviceUs_ = us(selfDeviceNs_);
  result.withDevice_ =
      std::any_of(result.rows_.begin(), result.rows_.end(),
                  [](const FunctionEventAvg &row) { return row.self_device_time_total > 0; });
  result.withMemory_ = withMemory_;
  if (coldReplays_ > 0)
    result.remarks_ = fmt::format("{} left out: the first after instantiation runs cold code\n",
                                  counted(coldReplays_, "cold replay", "cold replays"));
  return result;
}

} // namespace graphprof
