// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Hand-made replays, and a strict JSON reader, for tests of the session and its outputs.

#ifndef GRAPHPROF_TEST_RUNTIME_OUTPUT_SAMPLES_H
#define GRAPHPROF_TEST_RUNTIME_OUTPUT_SAMPLES_H

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "output/BatchWriter.h"
#include "output/Batching.h"
#include "output/data/Batch.h"
#include "support/Files.h"

namespace graphprof::test {

/// A replay of graph 1, exec 1, on stream 7 of device 0, that begins at `originNs` and lasts 100 us
/// unless told otherwise. Regions are added with times relative to its begin.
///
///     const Replay replay = Sample(0).region("layer 0", 0, 0, 50'000).region("add", 1, 0, 20'000);
class Sample {
public:
  static constexpr std::int64_t originNs = 1'700'000'000'000'000'000;

  explicit Sample(std::uint64_t number = 0) {
    replay_.graph = replay_.exec = 1;
    replay_.number = number;
    replay_.device = 0;
    replay_.stream = 7;
    const auto offsetNs = static_cast<std::int64_t>(number) * 1'000'000;
    replay_.beginNs = originNs + offsetNs;
    replay_.launchNs = replay_.beginNs - 5'000;
    replay_.endNs = replay_.beginNs + 100'000;
  }
  /// Regions outside graphs, `afterNs` after the origin.
  static Sample outsideGraphs(std::int64_t afterNs = 0) {
    Sample sample;
    sample.replay_.graph = sample.replay_.exec = 0;
    sample.replay_.beginNs += afterNs;
    sample.replay_.endNs = sample.replay_.beginNs;
    return sample;
  }

  Sample &cold() {
    replay_.cold = true;
    return *this;
  }
  Sample &exec(std::uint64_t graph, std::uint64_t exec) {
    replay_.graph = graph;
    replay_.exec = exec;
    return *this;
  }
  /// As a driver of CUDA 13.1 numbers its graph and its exec.
  Sample &cudaIds(std::uint32_t graph, std::uint32_t exec) {
    replay_.cudaGraph = graph;
    replay_.cudaExec = exec;
    return *this;
  }
  /// What its graph serves.
  Sample &serves(std::string name, std::vector<Value> values = {}) {
    replay_.serves = graphNameOf(std::move(name), std::move(values));
    return *this;
  }
  Sample &step(std::int64_t step) {
    replay_.step = step;
    return *this;
  }
  Sample &stream(std::uint64_t stream) {
    replay_.stream = stream;
    return *this;
  }
  Sample &span(std::int64_t beginNs, std::int64_t endNs) {
    replay_.beginNs = beginNs;
    replay_.endNs = endNs;
    return *this;
  }
  /// A negative duration: not measured.
  Sample &region(std::string name, int depth, std::int64_t afterNs, std::int64_t durationNs,
                 Clock clock = Clock::Stamp, std::vector<Value> context = {}) {
    static const Site site{"a \"format\" {}", "src/model.cu", 12, "forward"};
    Record record{};
    record.site = &site;
    record.name = names_.emplace_back(std::move(name));
    const std::vector<Value> &values = contexts_.emplace_back(std::move(context));
    record.context = values.data();
    record.context_size = values.size();
    record.depth = depth;
    record.begin_ns = replay_.beginNs + afterNs;
    record.duration_ns = durationNs;
    record.clock = clock;
    record.device = clock == Clock::Host ? -1 : replay_.device;
    record.stream = clock == Clock::Host ? 0 : replay_.stream;
    records_.push_back(record);
    return *this;
  }
  /// Marks the last region as part of a conditional node's body.
  Sample &iteration(std::int64_t iteration) {
    records_.back().iteration = iteration;
    return *this;
  }

  /// Marks the last region as one that ends when the next work begins.
  Sample &endsWithNext() {
    records_.back().ends = Ends::NextBegin;
    return *this;
  }

  /// Sets how long the last region was busy, and the gap behind it.
  Sample &busy(std::int64_t ns, std::int64_t gapNs, std::uint32_t replays,
               GapCause cause = GapCause::Unknown) {
    records_.back().busy_ns = ns;
    records_.back().gap_ns = gapNs;
    records_.back().busy_replays = replays;
    records_.back().gap_cause = cause;
    return *this;
  }

  /// Sets which region of its graph the last one is.
  Sample &of(std::uint32_t region) {
    records_.back().region = region;
    return *this;
  }

  /// Sets the kind of the last region.
  Sample &kind(Kind kind) {
    records_.back().kind = kind;
    return *this;
  }

  /// A copy in a step. It has no source location.
  Sample &copy(std::string name, std::int64_t afterNs, std::int64_t durationNs,
               std::uint64_t bytes) {
    static const Site site{"h2d", "", 0, ""};
    region(std::move(name), 0, afterNs, durationNs, Clock::Event, {key("bytes", bytes)});
    records_.back().site = &site;
    return *this;
  }

  /// Valid while the sample is.
  operator Replay() { // NOLINT(google-explicit-constructor): a sample is a replay
    for (Record &record : records_) {
      record.cold = replay_.cold;
      record.graph = replay_.graph;
      record.exec = replay_.exec;
      record.replay = replay_.number;
      record.step = replay_.step;
    }
    replay_.records = records_;
    return replay_;
  }

private:
  Replay replay_;
  std::deque<std::string> names_;
  std::deque<std::vector<Value>> contexts_;
  std::vector<Record> records_;
};

/// Host spans of thread 7128, "main", with times relative to Sample's origin. Valid while it is.
///
///     HostSample().add(HostKind::Region, "layer", 10, 50).in(3)
class HostSample {
public:
  HostSample &add(HostKind kind, std::string name, std::int64_t afterNs, std::int64_t durationNs,
                  std::vector<Value> context = {}) {
    static const Site site{"a \"format\" {}", "src/model.cu", 12, "forward"};
    HostSpan &span = spans_.emplace_back();
    span.kind = kind;
    span.name = names_.emplace_back(std::move(name));
    if (kind == HostKind::Region || kind == HostKind::Copy)
      span.site = &site;
    const std::vector<Value> &values = contexts_.emplace_back(std::move(context));
    span.context = values.data();
    span.context_size = values.size();
    span.thread = 7128;
    span.thread_name = "main";
    span.begin_ns = Sample::originNs + afterNs;
    span.end_ns = span.begin_ns + durationNs;
    return *this;
  }
  /// Set properties of the last span:
  HostSample &in(std::int64_t step) {
    spans_.back().step = step;
    return *this;
  }
  HostSample &captured() {
    spans_.back().captured = true;
    return *this;
  }
  HostSample &of(std::uint64_t graph, std::uint64_t exec, std::uint64_t replay) {
    spans_.back().graph = graph;
    spans_.back().exec = exec;
    spans_.back().replay = replay;
    return *this;
  }
  HostSample &bytes(std::uint64_t bytes) {
    spans_.back().bytes = bytes;
    return *this;
  }
  HostSample &on(std::uint64_t thread, const char *name) {
    spans_.back().thread = thread;
    spans_.back().thread_name = name;
    return *this;
  }
  /// Spans of each kind, on two threads.
  static HostSample ofEveryKind() {
    HostSample sample;
    sample.add(HostKind::Copy, "h2d", 100, 400, {key("bytes", std::uint64_t{4096})})
        .bytes(4096)
        .in(3)
        .add(HostKind::Region, "layer 0", 600, 900, {Value(0)})
        .captured()
        .in(3)
        .add(HostKind::Launch, "cudaGraphLaunch", 2'000, 1'500)
        .of(1, 1, 2)
        .in(3)
        .add(HostKind::Mark, "epoch", 3'600, 0)
        .in(3)
        .add(HostKind::Step, "ProfilerStep#3", 0, 4'000)
        .in(3)
        .add(HostKind::Range, "load \"next\"", 50, 9'000)
        .on(7130, "a worker")
        .add(HostKind::Launch, "cudaGraphLaunch", 9'100, 700)
        .on(7130, "a worker");
    return sample;
  }

  [[nodiscard]] const std::vector<HostSpan> &spans() const { return spans_; }

private:
  std::vector<HostSpan> spans_;
  std::deque<std::string> names_;
  std::deque<std::vector<Value>> contexts_;
};

/// Passes replays and other records to a writer, each as a batch.
///
///     const auto output = makeOutput("table", 100);
///     Feed(*output).write(sample);
class Feed {
public:
  explicit Feed(BatchWriter &writer) : writer_(writer) {}

  std::string write(const Replay &replay) { return batching_.write(replay, writer_); }
  std::string writeHost(std::span<const HostSpan> spans) { return batching_.write(spans, writer_); }
  std::string memory(const MemoryEvent &event) { return batching_.write(event, writer_); }
  void metadata(std::string key, std::string json) {
    Batch said;
    said.notes.push_back({std::move(key), std::move(json)});
    EXPECT_EQ(writer_.write(said), "");
  }
  void remark(std::string sentence) {
    Batch said;
    said.remarks.push_back(std::move(sentence));
    EXPECT_EQ(writer_.write(said), "");
  }

private:
  BatchWriter &writer_;
  Batching batching_;
};

/// A writer with its feed. The path is its first argument.
///
///     Written<ChromeTrace> output(folder.file("trace.json"), 1'000);
template <class Writer> class Written : private Writer, public Feed {
public:
  template <class... Arguments>
  explicit Written(const std::string &path, const Arguments &...arguments)
      : Writer(path, arguments...), Feed(static_cast<BatchWriter &>(*this)) {}

  using Feed::write;
  using Writer::close, Writer::dropped;
};

/// An object that takes batches, fed with single replays.
///
///     OfReplays<Statistics> statistics(1'000);
///     statistics.add(sample);
template <class Taker> class OfReplays : public Taker {
public:
  using Taker::Taker;
  void add(const Replay &replay) {
    batcher_.add(replay, batch_);
    Taker::add(batch_);
    batcher_.renew(batch_);
  }

private:
  Batcher batcher_;
  Batch batch_;
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_RUNTIME_OUTPUT_SAMPLES_H
