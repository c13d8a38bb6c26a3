// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages: what PyTorch makes of the same events, byte for byte, and what it has no row for.

#include "output/statistics/Averages.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/Samples.h"
#include "output/data/Nesting.h"
#include "output/formats/key_averages/AveragesWriter.h"
#include "session/Torch.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using graphprof::test::torchExpectations;
using graphprof::test::Written;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

constexpr std::size_t plenty = 1'000'000;

std::int64_t ns(const json &us) { return std::llround(us.get<double>() * 1000); }

std::string shapesOf(const json &shapes) {
  std::string text = "[";
  for (const json &shape : shapes) {
    text += text.size() > 1 ? ", [" : "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
      text += (i > 0 ? ", " : "") + std::to_string(shape[i].get<int>());
    text += ']';
  }
  return text + ']';
}

// PyTorch's events, as tables.json has them, as samples: what an event launched is part of it, and
// a sample of the device's behind it.
void addEvents(Averages &averages, const json &events, const json &flags) {
  if (flags["profile_memory"].get<bool>())
    averages.withMemory();
  std::vector<std::size_t> order(events.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    const auto key = [&](std::size_t i) {
      return std::tuple(events[i]["thread"].get<int>(), ns(events[i]["begin_us"]),
                        -ns(events[i]["end_us"]));
    };
    return key(left) < key(right);
  });
  std::vector<HostSpan> spans(events.size());
  std::vector<Averages::Sample> samples(events.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const json &event = events[order[place]];
    spans[place].thread = event["thread"];
    spans[place].begin_ns = ns(event["begin_us"]);
    spans[place].end_ns = ns(event["end_us"]);
    Averages::Sample &sample = samples[place];
    sample.name = event["name"].get_ref<const std::string &>();
    sample.shapes = shapesOf(event["shapes"]);
    sample.stack = event["stack"].get<std::vector<std::string>>();
    sample.cpuNs = sample.selfCpuNs = spans[place].duration_ns();
    for (const json &kernel : event["kernels_us"])
      sample.deviceNs += ns(kernel);
    sample.selfDeviceNs = sample.deviceNs;
    if (flags["with_flops"].get<bool>())
      sample.flops = event["flops"];
    if (flags["profile_memory"].get<bool>()) {
      sample.memory.cpu = sample.memory.selfCpu = event["cpu_bytes"];
      sample.memory.device = sample.memory.selfDevice = event["device_bytes"];
    }
  }
  const std::vector<std::ptrdiff_t> parents = containers(spans);
  std::vector<std::size_t> placeOf(events.size());
  for (std::size_t place = spans.size(); place-- > 0;) {
    placeOf[order[place]] = place;
    if (parents[place] < 0)
      continue;
    samples[place].inside = true;
    Averages::Sample &parent = samples[static_cast<std::size_t>(parents[place])];
    parent.selfCpuNs -= samples[place].cpuNs;
    parent.memory.selfCpu -= samples[place].memory.cpu;
    parent.memory.selfDevice -= samples[place].memory.device;
    parent.deviceNs += samples[place].deviceNs;
  }
  static std::deque<std::string> names;
  for (std::size_t i = 0; i < events.size(); ++i) {
    averages.add(samples[placeOf[i]]);
    for (const json &kernel : events[i]["kernels_us"]) {
      Averages::Sample sample;
      sample.name = names.emplace_back("kernel of " + events[i]["name"].get<std::string>());
      sample.onDevice = true;
      sample.deviceNs = sample.selfDeviceNs = ns(kernel);
      averages.add(sample);
    }
  }
}

KeyAverages averagesOf(const json &data, const json &one) {
  const json &group = one["group"];
  Averages averages(
      {group.value("group_by_input_shapes", false), group.value("group_by_stack_n", 0)}, plenty,
      true);
  addEvents(averages, data["events"][one["events"].get<std::string>()], one);
  return averages.finish();
}

std::string joined(const json &lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i > 0 ? "\n" : "") + lines[i].get<std::string>();
  return text;
}

table_options optionsOf(const json &call) {
  table_options options;
  options.sort_by = call.value("sort_by", "");
  options.row_limit = call.value("row_limit", 100);
  options.header = call.value("header", "");
  options.top_level_events_only = call.value("top_level_events_only", false);
  options.time_unit = call.value("time_unit", "");
  return options;
}

TEST(Averages, TableIsPyTorchs) {
  const json data = torchExpectations("tables");
  std::size_t compared = 0;
  for (const json &one : data["cases"]) {
    // There PyTorch sets operations under "Source Location", and places under "Total GFLOPs".
    if (one["with_flops"].get<bool>() && one["group"].contains("group_by_stack_n"))
      continue;
    ++compared;
    EXPECT_EQ(averagesOf(data, one).table(optionsOf(one["call"])), joined(one["table"]))
        << one["events"] << one["group"] << one["call"];
  }
  EXPECT_GE(compared, 37U);
}

TEST(Averages, OperationsAndPlacesHaveHeadings) {
  const json data = torchExpectations("tables");
  for (const json &one : data["cases"]) {
    if (!one["with_flops"].get<bool>() || !one["group"].contains("group_by_stack_n"))
      continue;
    const std::string table = averagesOf(data, one).table(optionsOf(one["call"]));
    EXPECT_THAT(table, HasSubstr("Source Location           Total GFLOPs"));
    EXPECT_THAT(table, HasSubstr("model.cu(10): layer              9.000"));
  }
}

TEST(Averages, RegionIsOneRow) {
  // It is one row for its replays and its thread.
  Averages averages({}, plenty, true, plenty);
  Sample cold(0), first(1), second(2);
  for (const Replay &replay :
       {Replay(cold.cold().region("layer", 0, 0, 90'000)),
        Replay(first.region("layer", 0, 0, 50'000).region("add", 1, 0, 20'000)),
        Replay(second.region("layer", 0, 0, 60'000).region("add", 1, 10'000, 30'000))})
    averages.add(replay);
  HostSpan launch, step, capture;
  step.kind = HostKind::Step;
  step.begin_ns = 0, step.end_ns = 100'000, step.step = 1;
  capture.name = "layer", capture.captured = true;
  capture.begin_ns = 1'000, capture.end_ns = 3'000;
  launch.kind = HostKind::Launch, launch.name = "cudaGraphLaunch";
  launch.begin_ns = 10'000, launch.end_ns = 14'000, launch.exec = 1, launch.replay = 2;
  const std::vector<HostSpan> spans = {step, capture, launch};
  averages.addHost(spans);
  const KeyAverages rows = averages.finish();

  ASSERT_EQ(rows.size(), 4);
  const FunctionEventAvg &layer = rows[0];
  EXPECT_EQ(layer.key, "layer");
  EXPECT_EQ(layer.count, 2);
  EXPECT_EQ(layer.device_time_total, 110);
  EXPECT_EQ(layer.self_device_time_total, 60);
  EXPECT_EQ(layer.device_time, 55);
  EXPECT_EQ(layer.cpu_time_total, 2) << "of its capture";
  EXPECT_EQ(layer.cpu_time, 2);
  EXPECT_EQ(layer.min, 50);
  EXPECT_EQ(layer.median, 55);
  EXPECT_EQ(layer.max, 60);
  EXPECT_EQ(layer.replay_percent, 55);
  ASSERT_EQ(layer.series.size(), 2);
  EXPECT_EQ(layer.series[1].replay, 2);
  EXPECT_EQ(layer.series[1].us, 60);
  EXPECT_EQ(rows[1].key, "add");
  EXPECT_EQ(rows[2].key, "ProfilerStep*");
  EXPECT_EQ(rows[2].self_cpu_time_total, 94);
  EXPECT_EQ(rows[3].key, "cudaGraphLaunch");
  EXPECT_EQ(rows[3].device_time_total, 60) << "what it launched";
  EXPECT_EQ(rows[3].self_device_time_total, 0);
  EXPECT_EQ(rows.self_device_time_total(), 110);
  EXPECT_THAT(rows.table(), HasSubstr("3 replays of 1 exec of 1 graph, 100.000us each in the "
                                      "median\n1 cold replay left out"));
}

// A region that fewer replays recorded (GRAPHPROF_PARTS) has the share that all would give it.
TEST(Averages, SelfSharesAreOfAllReplays) {
  Averages averages({}, plenty, false);
  for (std::uint64_t replay = 1; replay <= 4; ++replay) {
    Sample sample(replay);
    sample.region("often", 0, 0, 30'000);
    if (replay == 1)
      sample.region("once", 0, 30'000, 10'000);
    averages.add(sample);
  }
  const KeyAverages rows = averages.finish();
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].self_device_time_total, 120);
  EXPECT_DOUBLE_EQ(rows[0].self_device_percent, 75);
  EXPECT_EQ(rows[1].self_device_time_total, 10);
  EXPECT_DOUBLE_EQ(rows[1].self_device_percent, 25);
  EXPECT_THAT(rows.table(), AllOf(HasSubstr(" 75.00% "), HasSubstr(" 25.00% ")));
}

// A kernel's time is how long it was busy, once that is known of all of its executions, in whatever
// replays they were.
TEST(Averages, KernelsTimeIsItsBusyTime) {
  Averages averages({}, plenty, true);
  for (std::uint64_t replay = 1; replay <= 4; ++replay) {
    Sample sample(replay);
    sample.region("layer", 0, 0, 10'000).endsWithNext();
    sample.region("gemm", 1, 0, 3'000).kind(Kind::Kernel).endsWithNext();
    if (replay > 2)
      sample.busy(2'000, 950, 5, GapCause::Launch);
    sample.region("relu", 1, 3'000, 1'000).kind(Kind::Kernel).endsWithNext();
    averages.add(sample);
  }
  const KeyAverages rows = averages.finish();
  ASSERT_EQ(rows.size(), 3);
  EXPECT_FALSE(rows[0].device_time_is_busy);
  EXPECT_EQ(rows[0].device_time_total, 40);
  const FunctionEventAvg &gemm = rows[1];
  EXPECT_TRUE(gemm.device_time_is_busy);
  EXPECT_EQ(gemm.device_time, 2);
  EXPECT_EQ(gemm.device_time_total, 8);
  EXPECT_EQ(gemm.self_device_time_total, 8);
  EXPECT_EQ(gemm.busy_time, 2);
  EXPECT_EQ(gemm.gap_time, 0.95);
  EXPECT_EQ(gemm.busy_replays, 5);
  EXPECT_EQ(gemm.median, 3) << "up to the next begin";
  EXPECT_FALSE(rows[2].device_time_is_busy);
  EXPECT_EQ(rows[2].device_time, 1);
  EXPECT_EQ(rows[2].busy_time, -1);
  EXPECT_EQ(rows.self_device_time_total(), 24 + 8 + 4) << "without the gaps behind gemm";
  EXPECT_THAT(rows.table(),
              AllOf(Not(HasSubstr("Busy")),
                    HasSubstr("\nCUDA times of 1 kernel are how long they were busy")));
  table_options options;
  options.statistics = true;
  EXPECT_THAT(rows.table(options), HasSubstr("Busy           Gap           Min"));
}

// Of another place of the same kernel nothing is known, so all of its times stay durations.
TEST(Averages, KernelsTimeIsNotPartlyBusy) {
  Averages averages({}, plenty, true);
  Sample first(1), second(2);
  averages.add(first.exec(1, 1).region("gemm", 0, 0, 3'000).kind(Kind::Kernel).busy(2'000, 950, 5));
  averages.add(second.exec(1, 2).region("gemm", 0, 0, 5'000).kind(Kind::Kernel));
  const KeyAverages rows = averages.finish();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_FALSE(rows[0].device_time_is_busy);
  EXPECT_EQ(rows[0].device_time, 4);
  EXPECT_EQ(rows[0].busy_time, 2);
}

HostSpan spanOf(std::string_view name, std::uint64_t thread, std::int64_t beginNs,
                std::int64_t endNs) {
  HostSpan span;
  span.name = name;
  span.thread = thread;
  span.begin_ns = beginNs;
  span.end_ns = endNs;
  return span;
}

MemoryEvent memoryAt(std::int64_t timeNs, std::int64_t bytes, std::uint64_t thread = 1,
                     int device = 0) {
  MemoryEvent event;
  event.timeNs = timeNs;
  event.bytes = bytes;
  event.thread = thread;
  event.device = device;
  return event;
}

using Bytes = std::vector<std::int64_t>;

// The CPU's and the device's, each in all and without what is inside.
Bytes memoryOf(const FunctionEventAvg &row) {
  return {row.cpu_memory_usage, row.self_cpu_memory_usage, row.device_memory_usage,
          row.self_device_memory_usage};
}

TEST(Averages, MemoryBelongsToInnermostSpan) {
  // The innermost of its thread.
  const std::vector<HostSpan> spans = {spanOf("outer", 1, 100, 200), spanOf("inner", 1, 110, 120),
                                       spanOf("inner", 1, 130, 140),
                                       spanOf("other thread", 2, 100, 200)};
  const std::vector<MemoryEvent> events = {
      memoryAt(150, 1000),    memoryAt(110, 200),         memoryAt(140, -50),
      memoryAt(125, 7, 1, 1), memoryAt(115, 4096, 1, -1), memoryAt(160, -96, 1, -1),
      memoryAt(150, 30, 2),   memoryAt(150, 1 << 20, 3),  memoryAt(201, -1000),
      memoryAt(99, 5, 2),     memoryAt(300, 2048, 2, -1)};
  Averages averages({}, plenty, true);
  averages.withMemory();
  averages.addHost(spans, events);
  const KeyAverages rows = averages.finish();
  ASSERT_EQ(rows.size(), 4);
  EXPECT_EQ(rows[0].key, "outer");
  EXPECT_EQ(memoryOf(rows[0]), (Bytes{4000, -96, 1157, 1007}));
  EXPECT_EQ(rows[1].key, "inner");
  EXPECT_EQ(memoryOf(rows[1]), (Bytes{4096, 4096, 150, 150}));
  EXPECT_EQ(memoryOf(rows[2]), (Bytes{0, 0, 30, 30})) << "what its own thread did";
  EXPECT_EQ(rows[3].key, "[memory]");
  EXPECT_EQ(rows[3].count, 4) << "of a thread without spans, behind, before, behind";
  EXPECT_EQ(rows[3].cpu_time_total, 0);
  EXPECT_TRUE(rows[3].top_level);
  constexpr std::int64_t outside = (1 << 20) - 1000 + 5;
  EXPECT_EQ(memoryOf(rows[3]), (Bytes{2048, 2048, outside, outside}));

  table_options options;
  options.sort_by = "self_cuda_memory_usage";
  const std::string table = rows.table(options);
  EXPECT_THAT(table, HasSubstr("CPU Mem  Self CPU Mem      CUDA Mem  Self CUDA Mem    # of Calls"));
  EXPECT_THAT(table, HasSubstr("2.00 KB       2.00 KB    1023.03 KB    1023.03 KB             4"));
  EXPECT_LT(table.find("[memory]"), table.find("outer"));
  EXPECT_LT(table.find("outer"), table.find("inner"));
  options.sort_by = "cpu_memory_usage";
  EXPECT_LT(rows.table(options).find("inner"), rows.table(options).find("outer"));
}

TEST(Averages, MarkHoldsNoMemory) {
  HostSpan mark = spanOf("mark", 1, 150, 150);
  mark.kind = HostKind::Mark;
  const std::vector<HostSpan> spans = {spanOf("region", 1, 100, 200), mark};
  const std::vector<MemoryEvent> events = {memoryAt(150, 64)};
  Averages averages({}, plenty, true);
  averages.addHost(spans, events);
  const KeyAverages rows = averages.finish();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(memoryOf(rows[0]), (Bytes{0, 0, 64, 64}));
}

// As PyTorch: the CPU's columns wherever memory is profiled, the device's where a row allocated.
TEST(Averages, MemoryColumnsOnlyIfProfiled) {
  // Those of the device only if something was allocated there.
  const std::vector<HostSpan> spans = {spanOf("region", 1, 100, 200)};
  const auto tableOf = [&](bool profiled, const std::vector<MemoryEvent> &events) {
    Averages averages({}, plenty, true);
    if (profiled)
      averages.withMemory();
    averages.addHost(spans, events);
    return averages.finish().table();
  };
  EXPECT_THAT(tableOf(false, {}), Not(HasSubstr("Mem")));
  EXPECT_THAT(tableOf(true, {}), AllOf(HasSubstr("Self CPU Mem"), Not(HasSubstr("CUDA Mem"))));
  EXPECT_THAT(tableOf(true, {memoryAt(150, -8)}), Not(HasSubstr("CUDA Mem")));
  EXPECT_THAT(tableOf(true, {memoryAt(150, 8)}), HasSubstr("Self CUDA Mem"));
}

TEST(Averages, SeriesIsBounded) {
  // It is bounded how many executions are in a series.
  Averages averages({}, plenty, true, 3);
  for (std::uint64_t replay = 1; replay <= 5; ++replay) {
    Sample sample(replay);
    averages.add(sample.region("a", 0, 0, 1'000));
  }
  const KeyAverages rows = averages.finish();
  EXPECT_EQ(rows[0].series.size(), 3);
  EXPECT_EQ(rows[0].count, 5);
}

// The host's spans are bounded alike, and the first ones are kept there too.
TEST(Averages, KnownLaunchesAreBounded) {
  // It is bounded of how many launches it is known what they led to.
  constexpr std::size_t most = 2;
  Averages averages({}, most, true);
  std::vector<HostSpan> launches(3);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    Sample sample(i + 1);
    averages.add(sample.region("a", 0, 0, 1'000));
    HostSpan &launch = launches[i];
    launch.kind = HostKind::Launch, launch.name = "cudaGraphLaunch";
    launch.begin_ns = static_cast<std::int64_t>(i) * 10, launch.end_ns = launch.begin_ns + 5;
    launch.exec = 1, launch.replay = i + 1;
  }
  averages.addHost(launches);
  const KeyAverages rows = averages.finish();
  ASSERT_EQ(rows[1].key, "cudaGraphLaunch");
  EXPECT_EQ(rows[1].count, 3);
  EXPECT_EQ(rows[1].device_time_total, 2);
}

HostSpan launchOf(std::uint64_t exec, std::uint64_t replay, std::int64_t atNs) {
  HostSpan launch;
  launch.kind = HostKind::Launch, launch.name = "cudaGraphLaunch";
  launch.begin_ns = atNs, launch.end_ns = atNs + 5;
  launch.exec = exec, launch.replay = replay;
  return launch;
}

HostSpan stepOf(std::int64_t step, std::int64_t atNs) {
  HostSpan span;
  span.kind = HostKind::Step;
  span.begin_ns = atNs, span.end_ns = atNs + 10, span.step = step;
  return span;
}

const FunctionEventAvg &rowOf(const KeyAverages &rows, const std::string &key) {
  for (const FunctionEventAvg &row : rows)
    if (row.key == key)
      return row;
  throw std::out_of_range(key);
}

// A replay in each step; the first one is cold.
TEST(Averages, ColdLeavesMeansAlone) {
  // The mean of a launch and that of a step are of the warm ones.
  Averages averages({}, plenty, true);
  std::vector<HostSpan> spans;
  for (std::uint64_t replay = 0; replay < 3; ++replay) {
    Sample sample(replay);
    const auto step = static_cast<std::int64_t>(replay);
    sample.step(step).region("r", 0, 0, replay == 0 ? 70'000 : 10'000);
    averages.add(replay == 0 ? sample.cold() : sample);
    spans.push_back(stepOf(step, 100 * step));
    spans.push_back(launchOf(1, replay, 100 * step + 1));
  }
  averages.addHost(spans);
  const KeyAverages rows = averages.finish();
  for (const char *const key : {"cudaGraphLaunch", "ProfilerStep*"}) {
    EXPECT_EQ(rowOf(rows, key).count, 3);
    EXPECT_EQ(rowOf(rows, key).device_time_total, 20);
    EXPECT_EQ(rowOf(rows, key).device_time, 10);
    EXPECT_FALSE(rowOf(rows, key).cold);
  }
}

// A launch that was not timed took some time; a step without timed work has none to show.
TEST(Averages, UntimedLaunchIsInNoMean) {
  // A step without timed work is in the mean of steps.
  Averages averages({}, plenty, true);
  Sample sample(1);
  averages.add(sample.step(0).region("r", 0, 0, 10'000));
  averages.addHost(std::vector<HostSpan>{stepOf(0, 0), launchOf(1, 1, 1), stepOf(1, 100),
                                         stepOf(2, 200), launchOf(0, 0, 201)});
  const KeyAverages rows = averages.finish();
  EXPECT_EQ(rowOf(rows, "cudaGraphLaunch").count, 2);
  EXPECT_EQ(rowOf(rows, "cudaGraphLaunch").device_time, 10);
  EXPECT_EQ(rowOf(rows, "ProfilerStep*").device_time, 10.0 / 3);
}

// One graph is launched once, the other one again and again.
TEST(Averages, ColdRowsAreMarked) {
  // What ran in cold replays only is marked, and in no other figure.
  Averages averages({}, plenty, true, plenty);
  Sample once(0), cold(0), warm(1);
  averages.add(once.exec(1, 1).cold().step(0).region("prefill", 0, 0, 50'000));
  averages.add(cold.exec(2, 2).cold().step(0).region("decode", 0, 0, 90'000));
  averages.add(warm.exec(2, 2).step(1).region("decode", 0, 0, 10'000));
  averages.addHost(
      std::vector<HostSpan>{stepOf(0, 0), launchOf(1, 0, 1), stepOf(1, 100), launchOf(2, 1, 101)});
  const KeyAverages rows = averages.finish();
  const FunctionEventAvg &prefill = rowOf(rows, "prefill"), &decode = rowOf(rows, "decode");
  EXPECT_TRUE(prefill.cold);
  EXPECT_EQ(prefill.count, 1);
  EXPECT_EQ(prefill.device_time_total, 50);
  EXPECT_EQ(prefill.replay_percent, 50);
  EXPECT_EQ(prefill.series.size(), 1);
  EXPECT_FALSE(decode.cold);
  EXPECT_EQ(decode.device_time_total, 10);
  EXPECT_EQ(decode.series.size(), 1);
  EXPECT_EQ(rowOf(rows, "cudaGraphLaunch").device_time_total, 10);
  EXPECT_EQ(rowOf(rows, "cudaGraphLaunch").device_time, 10);
  EXPECT_EQ(rows.self_device_time_total(), 10);
  EXPECT_THAT(rows.table(),
              AllOf(HasSubstr(" prefill (cold) "), Not(HasSubstr("decode (cold)")),
                    HasSubstr("\nSelf CUDA time total: 10.000us\n"
                              "Self CUDA time total: 50.000us (cold)\n"
                              "3 replays of 2 execs of 2 graphs, 100.000us each in the median\n"
                              "2 cold replays left out, except for what ran in no warm one: "),
                    HasSubstr("50.000us       100.00%      50.000us")));
}

TEST(Averages, AllColdMakesStepsCold) {
  // Where all is cold, launches and steps are cold, too.
  Averages averages({}, plenty, true);
  Sample cold(0);
  averages.add(cold.cold().step(0).region("r", 0, 0, 50'000));
  averages.addHost(std::vector<HostSpan>{stepOf(0, 0), launchOf(1, 0, 1)});
  const KeyAverages rows = averages.finish();
  for (const char *const key : {"r", "cudaGraphLaunch", "ProfilerStep*"}) {
    EXPECT_TRUE(rowOf(rows, key).cold) << key;
    EXPECT_EQ(rowOf(rows, key).device_time_total, 50) << key;
    EXPECT_EQ(rowOf(rows, key).device_time, 50) << key;
  }
  EXPECT_EQ(rows.self_device_time_total(), 50);
}

TEST(Averages, ColdMarkIsNotCut) {
  // Though the name is.
  Averages averages({}, plenty, true);
  Sample cold(0);
  averages.add(cold.cold().region(std::string(70, 'n'), 0, 0, 1'000));
  EXPECT_THAT(averages.finish().table(), HasSubstr("\n" + std::string(45, 'n') + "... (cold)  "));
}

// Each of two steps also launches a graph that is launched once.
TEST(Averages, MeanNeedsWarmStep) {
  // Without a step that is all warm there is no mean of steps.
  Averages averages({}, plenty, true);
  std::vector<HostSpan> spans;
  for (std::uint64_t step = 0; step < 2; ++step) {
    Sample cold(0), warm(step + 1);
    const auto number = static_cast<std::int64_t>(step);
    averages.add(cold.exec(2 + step, 2 + step).cold().step(number).region("once", 0, 0, 50'000));
    averages.add(warm.step(number).region("again", 0, 0, 10'000));
    spans.push_back(stepOf(number, 100 * number));
  }
  averages.addHost(spans);
  const KeyAverages rows = averages.finish();
  EXPECT_EQ(rowOf(rows, "ProfilerStep*").device_time_total, 20);
  EXPECT_TRUE(std::isnan(rowOf(rows, "ProfilerStep*").device_time));
  EXPECT_THAT(rows.table(), HasSubstr("20.000us            --             2"));
}

TEST(Averages, ShareIsOfReplaysOnly) {
  // What ran outside graphs is not in the share of the replay.
  Averages averages({}, plenty, true);
  Sample graph(1);
  averages.add(graph.region("work", 0, 0, 50'000, Clock::Event));
  for (std::int64_t i = 0; i < 10; ++i) {
    Sample outside = Sample::outsideGraphs(i * 1'000'000);
    averages.add(outside.region("work", 0, 0, 50'000, Clock::Event));
  }
  const KeyAverages rows = averages.finish();
  EXPECT_EQ(rows[0].count, 11);
  EXPECT_EQ(rows[0].replay_percent, 50);
}

TEST(Averages, RoundedQuantilesHaveFewerDigits) {
  // A line below says so.
  Averages averages({}, plenty, true);
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    Sample sample(i);
    averages.add(sample.region("add", 0, 0, 33'000 + static_cast<std::int64_t>(i % 2'000)));
  }
  const KeyAverages rows = averages.finish();
  EXPECT_TRUE(rows[0].rounded);
  table_options options;
  options.statistics = true;
  EXPECT_THAT(rows.table(options), AllOf(HasSubstr("      33.000us        33.9us        34.9us"),
                                         HasSubstr("\nMedian, P95 and P99 of many executions")));
  EXPECT_THAT(rows.table(), Not(HasSubstr("Median"))) << "none is shown";
}

TEST(Averages, OverlapIsSubtractedOnce) {
  // Regions that run side by side are taken from the one around them once.
  Averages averages({}, plenty, true);
  Sample sample(1);
  sample.region("both", 0, 0, 50'000)
      .region("left", 1, 0, 30'000)
      .region("right", 1, 10'000, 30'000);
  averages.add(sample);
  const KeyAverages rows = averages.finish();
  EXPECT_EQ(rows[0].self_device_time_total, 10);
}

TEST(Averages, NamesArePrintable) {
  // They are cut between characters, not within one.
  Averages averages({}, plenty, true);
  Sample sample(1);
  averages.add(
      sample.region("clear\x1b[2J\nscreen \xff", 0, 0, 1'000).region("∑∑∑∑∑∑∑∑∑∑", 0, 0, 1'000));
  table_options options;
  options.max_name_column_width = 10;
  const KeyAverages rows = averages.finish();
  EXPECT_THAT(rows.table(), HasSubstr("clear?[2J?screen \xef\xbf\xbd"));
  EXPECT_THAT(rows.table(options), AllOf(HasSubstr("∑∑∑∑∑∑∑..."), HasSubstr("clear?[...")));
}

TEST(Averages, ValuesAreTheShapes) {
  const auto of = [](bool byShapes) {
    Averages averages({byShapes, 0}, plenty, true);
    Sample sample(1);
    sample.region("mlp", 0, 0, 1'000, Clock::Stamp, {3, key("batch", 8), key("flops", 2.0e6)})
        .region("mlp", 0, 1'000, 3'000, Clock::Stamp, {4, key("batch", 8), key("flops", 4.0e6)});
    averages.add(sample);
    return averages.finish();
  };
  const KeyAverages together = of(false), apart = of(true);
  ASSERT_EQ(together.size(), 1);
  EXPECT_EQ(together[0].flops, 6e6);
  EXPECT_EQ(together[0].flops_per_s, 6e6 / 4e-6);
  ASSERT_EQ(apart.size(), 2);
  EXPECT_EQ(apart[0].input_shapes, "[3, batch=8]");
  EXPECT_THAT(apart.table(), AllOf(HasSubstr("Input Shapes"), HasSubstr("Total MFLOPs")));
}

// 132 multiprocessors of 128 cores at 1.98 GHz: 66.9 TFLOP/s; 6144 bits at 3.2 GHz: 4.9 TB/s.
TEST(Averages, RooflineIsLeastOverTaken) {
  // A roofline is the least time possible over the time taken.
  Averages averages({}, plenty, true);
  averages.peaks(peaksOf(R"([{"id":0,"numSms":132,"computeMajor":9,"computeMinor":0,)"
                         R"("clockRateKhz":1980000,"memoryClockRateKhz":3201000,)"
                         R"("memoryBusWidth":6144}])"));
  Sample sample(1);
  sample.region("compute", 0, 0, 10'000, Clock::Stamp, {key("flops", 3.345408e8)})
      .region("memory", 0, 0, 10'000, Clock::Stamp, {key("flops", 1.0), key("bytes", 1.229184e7)})
      .region("neither", 0, 0, 10'000)
      .region("Memcpy HtoD (Pinned -> Device)", 0, 0, 10'000, Clock::Stamp, {key("bytes", 4096)})
      .kind(Kind::Memcpy);
  averages.add(sample);
  const KeyAverages rows = averages.finish();
  EXPECT_NEAR(rows[0].roofline_percent, 50, 1e-6);
  EXPECT_NEAR(rows[1].roofline_percent, 25, 1e-6);
  EXPECT_LT(rows[2].roofline_percent, 0);
  EXPECT_LT(rows[3].roofline_percent, 0) << "a copy: the bus is what it waits for";
  table_options options;
  options.statistics = true;
  const std::string table = rows.table(options);
  EXPECT_THAT(table, AllOf(HasSubstr("% of replay"), HasSubstr("33.45 TFLOP/s"),
                           HasSubstr("1.229 TB/s"), HasSubstr("50.00%")));
}

// As where the environment asks for them: what the devices are is said when the program ends.
TEST(Averages, LatePeaksGiveRoofline) {
  // A device's peaks may be known in the end only.
  const Folder folder;
  table_options options = AveragesWriter::defaults();
  options.statistics = true;
  Written<AveragesWriter> output(folder.file("averages"), options, 100, true);
  Sample sample(1);
  EXPECT_EQ(
      output.write(
          sample.region("compute", 0, 0, 10'000, Clock::Stamp, {key("flops", 3.345408e8)})
              .region("compute", 0, 10'000, 10'000, Clock::Stamp, {key("flops", 2 * 3.345408e8)})),
      "");
  output.metadata("deviceProperties", R"([{"id":0,"numSms":132,"computeMajor":9,"computeMinor":0,)"
                                      R"("clockRateKhz":1980000}])");
  EXPECT_EQ(output.close({}), "");
  EXPECT_THAT(contents(folder.file("averages")), HasSubstr("75.00%"));
}

TEST(Averages, ManyKindsGiveNoRoofline) {
  // With more kinds of work than it keeps there is no roofline.
  constexpr std::size_t most = 3;
  for (const std::size_t kinds : {most, most + 1}) {
    Averages averages({}, most, true);
    averages.peaks({{0, {1e12, 1e12}}});
    Sample sample(1);
    for (std::size_t i = 0; i < 2 * kinds; ++i)
      sample.region("r", 0, 0, 1'000, Clock::Stamp, {key("flops", 1e6 + double(i % kinds))});
    averages.add(sample);
    const double percent = averages.finish()[0].roofline_percent;
    if (kinds <= most)
      EXPECT_NEAR(percent, 100, 1);
    else
      EXPECT_LT(percent, 0);
  }
}

TEST(Averages, UnknownPeaksGiveNoRoofline) {
  EXPECT_TRUE(peaksOf("nonsense").empty());
  EXPECT_EQ(peaksOf(R"([{"id":2,"numSms":1,"computeMajor":99}])").at(2).flopsPerS, 0);
}

TEST(Averages, UnknownColumnKeepsOrder) {
  // Rows cannot be sorted by what is no column.
  Averages averages({}, plenty, true);
  Sample sample(1);
  averages.add(sample.region("a", 0, 0, 1'000).region("b", 0, 0, 2'000));
  const KeyAverages rows = averages.finish();
  table_options options;
  options.sort_by = "beauty";
  EXPECT_EQ(rows.table(options), rows.table());
  options.sort_by = "median";
  EXPECT_LT(rows.table(options).find(" b "), rows.table(options).find(" a "));
  EXPECT_EQ(KeyAverages().table(), "");
}

TEST(Averages, OutputShowsReplaysAndSpans) {
  // Those of the host.
  const Folder folder;
  Written<AveragesWriter> output(folder.file("averages"), AveragesWriter::defaults(), 2, true);
  Sample sample(1);
  EXPECT_EQ(output.write(sample.region("layer", 0, 0, 50'000)), "");
  HostSpan inner, outer, third;
  inner.name = "inner", inner.begin_ns = 2'000, inner.end_ns = 3'000;
  outer.name = "outer", outer.begin_ns = 1'000, outer.end_ns = 5'000;
  const std::vector<HostSpan> spans = {inner, outer, third}; // as they ended
  EXPECT_EQ(output.writeHost(spans), "");
  EXPECT_EQ(output.dropped(), 1);
  EXPECT_EQ(output.close({}), "");
  const std::string table = contents(folder.file("averages"));
  EXPECT_THAT(table, AllOf(HasSubstr("layer"), HasSubstr("outer"), HasSubstr("3.000us"),
                           HasSubstr("Self CPU time total: 4.000us")));
}

TEST(Averages, OutputShowsMemoryIfAny) {
  // As much as its bound allows; the rest is counted.
  const Folder folder;
  const auto written = [&](std::size_t most, const std::vector<MemoryEvent> &events) {
    Written<AveragesWriter> output(folder.file("memory"), AveragesWriter::defaults(), most, true);
    const std::vector<HostSpan> spans = {spanOf("load", 1, 100, 200)};
    EXPECT_EQ(output.writeHost(spans), "");
    for (const MemoryEvent &event : events)
      EXPECT_EQ(output.memory(event), "");
    EXPECT_EQ(output.dropped(), events.size() > most ? events.size() - most : 0);
    EXPECT_EQ(output.close({}), "");
    return contents(folder.file("memory"));
  };
  EXPECT_THAT(written(2, {}), Not(HasSubstr("Mem")));
  EXPECT_THAT(written(2, {memoryAt(150, 3072), memoryAt(160, 1024), memoryAt(170, 1 << 30)}),
              AllOf(HasSubstr("4.00 KB       4.00 KB             1"), Not(HasSubstr("GB"))));
}

} // namespace
