// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/bench.h: how often a candidate runs, which samples count, and when there are
// enough.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "Mutex.h"
#include "bench/Gpu.h"
#include "bench/Records.h"
#include "bench/Statistics.h"
#include "bench/Subject.h"
#include "bench/Throttle.h"
#include "clock/HostClock.h"

namespace graphprof {

namespace bench_detail {
namespace {

constexpr std::int64_t nsPerMs = 1'000'000;

// One run: its times, and the SM clock during it.
struct Sample {
  std::vector<double> ms;
  std::optional<double> mhz;
};

void demand(bool fine, std::string_view text) {
  if (!fine)
    throw bench_error(bench_fault::options, fmt::format("graphprof: bench_options: {}", text));
}

void checkOptions(const bench_options &options) {
  demand(!options.dry_run_iters || *options.dry_run_iters >= 0, "dry_run_iters must be at least 0");
  demand(!options.repeat_iters || *options.repeat_iters >= 1, "repeat_iters must be at least 1");
  demand(options.dry_run_time_ms >= 0, "dry_run_time_ms must be at least 0");
  demand(options.repeat_time_ms >= 0, "repeat_time_ms must be at least 0");
  demand(options.num_iters_within_graph >= 1, "num_iters_within_graph must be at least 1");
  demand(options.relative_precision > 0, "relative_precision must be above 0");
  demand(options.max_time_ms >= 1, "max_time_ms must be at least 1");
  demand(options.min_sm_clock >= 0 && options.min_sm_clock <= 1,
         "min_sm_clock must be from 0 to 1");
}

// Like flashinfer, takes l2_flush as a request for a cold cache, whatever its size and device.
bench_options withoutDeprecated(bench_options options, std::vector<std::string> &warnings) {
  if (options.l2_flush) {
    options.cold_l2_cache = *options.l2_flush;
    warnings.emplace_back("l2_flush is deprecated; use cold_l2_cache");
  }
  if (options.l2_flush_size_mb)
    warnings.emplace_back("l2_flush_size_mb is deprecated and has no effect; remove it");
  if (options.l2_flush_device)
    warnings.emplace_back("l2_flush_device is deprecated and has no effect; remove it");
  return options;
}

// Runs candidates in turn, in batches. The GPU begins a batch when all of it is enqueued.
class Runs {
public:
  /// A round runs each of `order` once.
  Runs(Gpu &gpu, std::vector<Subject *> order)
      : gpu_(gpu), throttle_(gpu.device().ordinal()), order_(std::move(order)) {
    std::size_t nodes = 0;
    for (const Subject *const subject : order_)
      nodes += subject->nodesOfRun();
    constexpr std::size_t mostNodes = 2048;
    atOnce_ = std::clamp<std::size_t>(mostNodes / std::max<std::size_t>(1, nodes), 1,
                                      std::max<std::size_t>(1, mostRuns / order_.size()));
  }

  /// How many rounds to request at once.
  [[nodiscard]] std::size_t atOnce() const { return atOnce_; }

  /// Returns a sample of each run of `rounds` rounds, in the order in which they ran.
  std::vector<Sample> run(std::size_t rounds) {
    std::vector<Sample> samples;
    for (std::size_t done = 0; done < rounds;) {
      const std::size_t count = std::min(atOnce_, rounds - done);
      std::vector<Sample> more = batch(count);
      // If a batch does not fit into the stream's queue, the host waits behind the closed gate
      // until the gate gives up, and the GPU has no work. Then use smaller batches.
      if (gpu_.late() && atOnce_ > 1) {
        atOnce_ = std::max<std::size_t>(1, count / 2);
        continue;
      }
      late_ = late_ || gpu_.late();
      std::move(more.begin(), more.end(), std::back_inserter(samples));
      done += count;
    }
    return samples;
  }

  /// How many runs can be outstanding; a round may not have more.
  static constexpr std::size_t mostRuns = std::min(Subject::slots, Gpu::clockReadings / 2);

  /// Did the GPU wait for the host even with one round at a time?
  [[nodiscard]] bool late() const { return late_; }
  [[nodiscard]] std::string throttle() const { return throttle_.reasons(); }

private:
  std::vector<Sample> batch(std::size_t rounds) {
    const std::size_t runs = order_.size() * rounds;
    std::vector<std::pair<Subject *, std::size_t>> made; // each with its slot
    {
      std::optional<Gpu::Gate> gate;
      if (order_.front()->timer() != bench_timer::eager) // a callable may wait for its own work
        gate.emplace(gpu_);
      for (std::size_t i = 0; i < runs; ++i) {
        Subject *const subject = order_[i % order_.size()];
        const auto slot = static_cast<std::size_t>(std::count_if(
            made.begin(), made.end(), [&](const auto &each) { return each.first == subject; }));
        gpu_.readClock(2 * i);
        subject->enqueue(slot);
        gpu_.readClock(2 * i + 1);
        made.emplace_back(subject, slot);
      }
    }
    throttle_.look();
    gpu_.synchronize();
    for (Subject *const subject : order_)
      subject->settle();
    std::vector<Sample> samples;
    samples.reserve(runs);
    for (std::size_t i = 0; i < runs; ++i)
      samples.push_back({made[i].first->read(made[i].second), gpu_.mhzBetween(2 * i, 2 * i + 1)});
    return samples;
  }

  Gpu &gpu_;
  Throttle throttle_;
  const std::vector<Subject *> order_;
  std::size_t atOnce_ = 1;
  bool late_ = false;
};

double sumOf(const std::vector<double> &values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  return sum;
}

// The samples of one candidate so far.
struct Collected {
  std::vector<double> ms, mhz; // as many as ms, or none
  std::size_t lost = 0;
  Entropy entropy;

  void add(const Sample &sample) {
    if (sample.ms.empty())
      ++lost;
    for (const double each : sample.ms) {
      ms.push_back(each);
      entropy.add(each);
      mhz.push_back(sample.mhz.value_or(0));
    }
  }
};

// Discards samples at a low clock, unless that would be all.
void discard(bench_result &result, const Collected &collected, const bench_options &options) {
  const double least = options.min_sm_clock * result.peak_sm_clock_mhz;
  const bool known =
      std::none_of(collected.mhz.begin(), collected.mhz.end(), [](double mhz) { return mhz == 0; });
  for (std::size_t i = 0; i < collected.ms.size(); ++i) {
    if (known && collected.mhz[i] < least)
      continue;
    result.times_ms.push_back(collected.ms[i]);
    if (known)
      result.sm_clock_mhz.push_back(collected.mhz[i]);
  }
  result.discarded = collected.ms.size() - result.times_ms.size();
  if (!result.times_ms.empty() || collected.ms.empty())
    return;
  result.times_ms = collected.ms;
  result.sm_clock_mhz = collected.mhz;
  result.discarded = 0;
  result.warnings.push_back(
      fmt::format("every sample ran below {:.0f} MHz, {:.0f} % of the highest SM clock: none is "
                  "discarded; let the GPU cool down, or lower min_sm_clock",
                  least, options.min_sm_clock * 100));
}

bench_result finish(const Subject &subject, const Collected &collected, const Runs &runs,
                    const bench_options &options, const std::vector<std::string> &warnings) {
  bench_result result = subject.described();
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  if (collected.ms.empty())
    throw bench_error(
        bench_fault::device,
        fmt::format(
            "graphprof: no time of {} could be read: graphprof stopped "
            "recording, or its records were lost; keep it recording, or raise GRAPHPROF_MAX_QUEUE",
            subject.name()));
  discard(result, collected, options);
  if (collected.lost > 0)
    result.warnings.push_back(fmt::format(
        "the times of {} runs were lost; raise GRAPHPROF_RING_DEPTH or GRAPHPROF_MAX_QUEUE",
        collected.lost));
  if (runs.late())
    result.warnings.emplace_back("the host was slower than the GPU, so that times may hold gaps; "
                                 "use more iterations a graph");
  result.throttle = runs.throttle();
  summarize(result);
  const double seconds = result.median_ms * 1e-3;
  if (seconds > 0) {
    result.bytes_per_s = static_cast<double>(options.bytes) / seconds;
    result.flops_per_s = options.flops / seconds;
  }
  return result;
}

// Allows one measurement at a time: two on one GPU would disturb each other's times. A callable
// that measures is refused, because the outer measurement would wait for the inner one.
class OneAtATime {
public:
  OneAtATime() : lock_(mutex()) { measuring = true; }
  ~OneAtATime() { measuring = false; }
  OneAtATime(const OneAtATime &) = delete;
  OneAtATime &operator=(const OneAtATime &) = delete;

private:
  static Mutex &mutex() {
    if (measuring)
      throw bench_error(
          bench_fault::options,
          "graphprof: a measured callable calls bench() itself; call bench() outside it");
    static auto *const all = new Mutex; // leaked: static destructors may measure
    return *all;
  }
  static thread_local bool measuring;
  MutexLock<std::mutex> lock_;
};
thread_local bool OneAtATime::measuring = false;

void needStream(const detail::BenchWork &work, const bench_options &options) {
  if (!work.takesStream && !options.stream)
    throw bench_error(
        bench_fault::callable,
        fmt::format("graphprof: {} takes no stream: let it take a cudaStream_t as its "
                    "first argument, or set bench_options::stream to the one that its "
                    "work goes to",
                    work.name));
}

// The duration of a round: the mean of five, by the device's clock. This is flashinfer's estimate.
double estimateMs(Runs &runs, const std::vector<Subject *> &order) {
  constexpr std::size_t estimated = 5;
  double ms = 0;
  const std::vector<Sample> samples = runs.run(estimated);
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (const std::vector<double> &each = samples[i].ms; !each.empty())
      ms += sumOf(each) / static_cast<double>(each.size()) *
            order[i % order.size()]->described().iterations_within_graph;
  return ms / estimated;
}

std::size_t countFor(double timeMs, double estimateMs) {
  constexpr double most = 1e7;
  return static_cast<std::size_t>(estimateMs > 0 ? std::clamp(timeMs / estimateMs, 1.0, most)
                                                 : 1.0);
}

bool settled(const Collected &collected, const bench_options &options) {
  constexpr std::size_t fewest = 30;
  if (collected.ms.size() < fewest)
    return false;
  if (options.stop == bench_stop::entropy)
    return collected.entropy.settled();
  std::vector<double> sorted = collected.ms;
  std::sort(sorted.begin(), sorted.end());
  const Interval interval = medianInterval(sorted, deviationsOf95);
  return interval.high - interval.low <= 2 * options.relative_precision * quantile(sorted, 0.5);
}

void rest(double estimateMs) {
  // As in flashinfer: five times the measured time, at most a second.
  constexpr double times = 5, mostMs = 1000;
  std::this_thread::sleep_for(
      std::chrono::duration<double, std::milli>(std::min(times * estimateMs, mostMs)));
}

} // namespace
} // namespace bench_detail

using namespace bench_detail;

bench_result detail::measure(const BenchWork &work, const bench_options &given, bench_timer timer) {
  std::vector<std::string> warnings;
  const bench_options options = withoutDeprecated(given, warnings);
  checkOptions(options);
  needStream(work, options);
  const OneAtATime guard;
  Gpu gpu(options.stream);
  Subject subject(gpu, work, options, timer);
  const std::vector<Subject *> order = {&subject};
  Runs runs(gpu, order);
  const double estimate = estimateMs(runs, order);
  const std::size_t dry =
      std::max<std::size_t>(options.dry_run_iters ? static_cast<std::size_t>(*options.dry_run_iters)
                                                  : countFor(options.dry_run_time_ms, estimate),
                            static_cast<std::size_t>(std::max(1, subject.described().graphs)));
  runs.run(dry);

  const std::int64_t beganNs = hostNowNs();
  const std::size_t repeat = options.repeat_iters ? static_cast<std::size_t>(*options.repeat_iters)
                                                  : countFor(options.repeat_time_ms, estimate);
  Collected collected;
  bool converged = true;
  for (std::size_t done = 0;;) {
    const bool byTime = options.stop == bench_stop::time;
    std::size_t count = options.sleep_after_run ? 1 : runs.atOnce();
    if (byTime)
      count = std::min(count, repeat - done);
    for (const Sample &sample : runs.run(count))
      collected.add(sample);
    done += count;
    if (byTime ? done >= repeat : settled(collected, options))
      break;
    // The number of replays does not account for the time of flushes.
    const bool bounded =
        !byTime || (subject.described().cold_method == cold_l2::flush && !options.repeat_iters);
    if (bounded && (hostNowNs() - beganNs) / nsPerMs >= options.max_time_ms) {
      converged = byTime;
      if (byTime)
        warnings.push_back(
            fmt::format("flushing took its time: max_time_ms came after {} of {} replays; raise it",
                        done, repeat));
      break;
    }
    if (options.sleep_after_run)
      rest(estimate);
  }
  bench_result result = finish(subject, collected, runs, options, warnings);
  result.dry_runs = static_cast<int>(dry);
  result.converged = converged;
  if (!converged)
    result.warnings.push_back(
        fmt::format("it did not converge within {} ms; raise max_time_ms", options.max_time_ms));
  record(result, gpu.device().ordinal(), beganNs);
  return result;
}

bench_comparison bench_compare(const std::vector<detail::BenchWork> &candidates,
                               const bench_options &given) {
  std::vector<std::string> warnings;
  const bench_options options = withoutDeprecated(given, warnings);
  checkOptions(options);
  if (candidates.empty())
    throw bench_error(bench_fault::options,
                      "graphprof: bench_compare: there is no candidate; pass at least one");
  if (2 * candidates.size() > Runs::mostRuns)
    throw bench_error(
        bench_fault::options,
        fmt::format("graphprof: bench_compare: {} candidates; at most {} run in turns",
                    candidates.size(), Runs::mostRuns / 2));
  for (const detail::BenchWork &work : candidates)
    needStream(work, options);
  const OneAtATime guard;
  Gpu gpu(options.stream);
  std::deque<Subject> subjects;
  for (const detail::BenchWork &work : candidates)
    subjects.emplace_back(gpu, work, options, bench_timer::graph);
  // Times of different kinds cannot be compared.
  const bool stamps = std::any_of(subjects.begin(), subjects.end(), [](const Subject &subject) {
    return subject.timer() == bench_timer::stamps;
  });
  if (stamps) {
    subjects.clear();
    for (const detail::BenchWork &work : candidates)
      subjects.emplace_back(gpu, work, options, bench_timer::stamps);
  }

  // Forwards and then backwards: drift during a block affects all candidates alike.
  std::vector<Subject *> order;
  order.reserve(2 * subjects.size());
  for (Subject &subject : subjects)
    order.push_back(&subject);
  for (std::size_t i = subjects.size(); i-- > 0;)
    order.push_back(&subjects[i]);
  Runs runs(gpu, order);
  const double estimate = estimateMs(runs, order);
  const std::size_t dry =
      countFor(options.dry_run_time_ms * static_cast<double>(subjects.size()), estimate);
  runs.run(dry);

  const std::int64_t beganNs = hostNowNs();
  const std::size_t repeat =
      options.repeat_iters
          ? static_cast<std::size_t>(*options.repeat_iters)
          : countFor(options.repeat_time_ms * static_cast<double>(subjects.size()), estimate);
  std::vector<Collected> collected(subjects.size());
  std::vector<std::vector<double>> blocks(subjects.size());
  bool converged = true;
  const auto take = [&](const std::vector<Sample> &samples) {
    for (std::size_t first = 0; first < samples.size(); first += order.size()) {
      std::vector<double> sums(subjects.size());
      bool whole = true;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const Sample &sample = samples[first + i];
        const std::size_t which = i < subjects.size() ? i : order.size() - 1 - i;
        collected[which].add(sample);
        whole = whole && !sample.ms.empty();
        if (!sample.ms.empty())
          sums[which] += sumOf(sample.ms) / static_cast<double>(sample.ms.size());
      }
      for (std::size_t i = 0; whole && i < sums.size(); ++i)
        blocks[i].push_back(sums[i]);
    }
  };
  const auto precise = [&] {
    return std::all_of(blocks.begin() + 1, blocks.end(), [&](const std::vector<double> &each) {
      const bench_ratio ratio = ratioOf(blocks.front(), each);
      constexpr std::size_t fewest = 60;
      return each.size() >= fewest && ratio.high - ratio.low <= 2 * options.relative_precision;
    });
  };
  for (std::size_t done = 0;;) {
    const bool byTime = options.stop == bench_stop::time;
    const std::size_t count = byTime ? std::min(runs.atOnce(), repeat - done) : runs.atOnce();
    take(runs.run(count));
    done += count;
    if (byTime ? done >= repeat : precise())
      break;
    if (!byTime && (hostNowNs() - beganNs) / nsPerMs >= options.max_time_ms) {
      converged = false;
      break;
    }
  }

  bench_comparison result;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    result.results.push_back(finish(subjects[i], collected[i], runs, options, warnings));
    result.results.back().converged = converged;
    result.results.back().dry_runs = static_cast<int>(2 * dry);
    result.ratios.push_back(i == 0 ? bench_ratio() : ratioOf(blocks.front(), blocks[i]));
    record(result.results.back(), gpu.device().ordinal(), beganNs);
  }
  return result;
}

} // namespace graphprof
