// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/bench.h: how often candidates run, and when there are enough samples. One
// piece of code measures a callable by itself and several in turns.

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "Mutex.h"
#include "bench/Coldness.h"
#include "bench/Gpu.h"
#include "bench/Measured.h"
#include "bench/Options.h"
#include "bench/Records.h"
#include "bench/Runs.h"
#include "bench/Samples.h"
#include "bench/Statistics.h"
#include "bench/Subject.h"
#include "bench/Work.h"
#include "clock/HostClock.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

namespace bench_detail {
namespace {

constexpr std::int64_t nsPerMs = 1'000'000;

std::size_t countFor(double timeMs, double estimateMs) {
  constexpr double most = 1e7;
  return static_cast<std::size_t>(estimateMs > 0 ? std::clamp(timeMs / estimateMs, 1.0, most)
                                                 : 1.0);
}

void rest(double estimateMs) {
  // As in flashinfer: five times the measured time, at most a second.
  constexpr double times = 5, mostMs = 1000;
  std::this_thread::sleep_for(
      std::chrono::duration<double, std::milli>(std::min(times * estimateMs, mostMs)));
}

double meanOf(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Candidates that are measured together, and what was found. The options hold for each of them:
// each gets as many dry runs and samples as if it were alone.
class Measurement {
public:
  // The references must outlive it. Makes the candidates ready.
  Measurement(const Works &works, const bench_options &options, bench_timer timer,
              SampleOf sampleOf)
      : options_(options), sampleOf_(sampleOf), gpu_(options.stream),
        subjects_(ready(gpu_, works, options, timer)), runs_(gpu_, subjects_),
        timedMs_(subjects_.size()), samples_(subjects_.size(), Samples(leastMhz())),
        rounds_(subjects_.size(), bench_resolution_ms) {}

  void run() {
    estimate();
    const std::size_t size = subjects_.size();
    const double all = static_cast<double>(size);
    dryRuns_ = options_.dry_run_iters ? static_cast<std::size_t>(*options_.dry_run_iters)
                                      : countFor(options_.dry_run_time_ms * all, turnMs_);
    runs_.run(0, dryRuns_ * size, [](const Sample &) {});
    repeat_ = options_.repeat_iters
                  ? static_cast<std::size_t>(*options_.repeat_iters)
                  : countFor(options_.repeat_time_ms * all,
                             std::accumulate(timedMs_.begin(), timedMs_.end(), 0.0));
    sample();
    rounds_.end();
  }

  // Makes the records of a candidate's samples, too. Those of a second candidate follow those of
  // the first.
  [[nodiscard]] bench_result result(std::size_t candidate,
                                    const std::vector<std::string> &warnings);
  // Call this once, behind all results.
  void recordStamps() {
    std::vector<HeldReplay> replays;
    for (const Samples &samples : samples_)
      replays.insert(replays.end(), samples.replays().begin(), samples.replays().end());
    record(std::move(replays));
  }
  [[nodiscard]] const Rounds &rounds() const { return rounds_; }

private:
  static std::deque<Subject> ready(Gpu &gpu, const Works &works, const bench_options &options,
                                   bench_timer timer) {
    const std::vector<Coldness> coldness = coldnessOf(
        gpu, works, options, timer == bench_timer::eager ? 1 : options.num_iters_within_graph);
    std::deque<Subject> subjects;
    for (std::size_t i = 0; i < works.size(); ++i)
      subjects.emplace_back(gpu, *works[i], options, timer, coldness[i]);
    return subjects;
  }
  [[nodiscard]] double leastMhz() const { return options_.min_sm_clock * gpu_.peakMhz(); }

  void estimate();
  void sample();
  [[nodiscard]] bool enough() const;
  void take(const Sample &sample);
  [[nodiscard]] std::vector<double> timesOf(const Sample &sample) const;

  const bench_options &options_;
  const SampleOf sampleOf_;
  Gpu gpu_;
  std::deque<Subject> subjects_;
  Runs runs_;
  std::vector<double> timedMs_;          // of a run of each candidate, without flushes: estimated
  double turnMs_ = 0;                    // of a run of all, with flushes: estimated
  std::size_t dryRuns_ = 0, repeat_ = 0; // of each candidate
  std::vector<Samples> samples_;
  Rounds rounds_;
  std::int64_t beganNs_ = 0, recordedNs_ = 0;
  bool converged_ = true;
  std::vector<std::string> warnings_;
};

// The means of five runs of each candidate, by the device's clock: flashinfer's estimate. Of more
// where that leaves graphs that never ran, because the first launch of a graph takes longer.
void Measurement::estimate() {
  constexpr std::size_t fewest = 5;
  std::size_t turns = fewest;
  for (const Subject &subject : subjects_)
    turns = std::max(turns, subject.runsToUseAll());
  runs_.run(0, turns * subjects_.size(), [&](const Sample &sample) {
    turnMs_ += sample.wholeMs / static_cast<double>(turns);
    const std::vector<double> &ms = sample.reading.ms;
    if (!ms.empty())
      timedMs_[sample.candidate] +=
          meanOf(ms) * subjects_[sample.candidate].described().iterations_within_graph /
          static_cast<double>(turns);
  });
}

bool Measurement::enough() const {
  if (options_.stop == bench_stop::median && subjects_.size() > 1)
    return rounds_.precise(options_.relative_precision);
  return std::all_of(samples_.begin(), samples_.end(),
                     [&](const Samples &samples) { return samples.settled(options_); });
}

void Measurement::sample() {
  beganNs_ = recordedNs_ = hostNowNs();
  const std::size_t size = subjects_.size(), round = runs_.turns().round();
  const bool byTime = options_.stop == bench_stop::time;
  // The number of runs does not account for the time of flushes.
  const bool bounded = !byTime || (subjects_.front().described().cold_method == cold_l2::flush &&
                                   !options_.repeat_iters);
  for (std::size_t done = 0;;) {
    std::size_t count = options_.sleep_after_run ? 1 : runs_.atOnce();
    const std::int64_t tookMs = (hostNowNs() - beganNs_) / nsPerMs;
    if (bounded && !options_.sleep_after_run && turnMs_ > 0) // not far beyond the bound
      count = std::min(count, countFor(static_cast<double>(options_.max_time_ms - tookMs),
                                       turnMs_ * (size == 1 ? 1 : 2)) *
                                  round);
    if (byTime)
      count = std::min(count, repeat_ * size - done);
    runs_.run(done, count, [this](const Sample &sample) { take(sample); });
    done += count;
    if (byTime && done >= repeat_ * size)
      return;
    if (done % size == 0) {
      if (!byTime && enough())
        return;
      if (bounded && (hostNowNs() - beganNs_) / nsPerMs >= options_.max_time_ms)
        break;
    }
    if (options_.sleep_after_run)
      rest(timedMs_[runs_.turns().candidateOf(done - 1)]);
  }
  converged_ = byTime;
  warnings_.push_back(
      byTime ? fmt::format("flushing took its time: max_time_ms came before {} replays; raise it",
                           repeat_)
             : fmt::format("it did not converge within {} ms; raise max_time_ms",
                           options_.max_time_ms));
}

std::vector<double> Measurement::timesOf(const Sample &sample) const {
  const std::vector<double> &ms = sample.reading.ms;
  if (sampleOf_ == SampleOf::Call || ms.size() < 2)
    return ms;
  const auto calls =
      static_cast<std::size_t>(subjects_[sample.candidate].described().iterations_within_graph);
  return ms.size() == calls ? std::vector<double>{meanOf(ms)} : std::vector<double>();
}

void Measurement::take(const Sample &sample) {
  Samples &samples = samples_[sample.candidate];
  const std::vector<double> ms = timesOf(sample);
  samples.add(ms, sample.mhz, sample.reading.replay);
  if (subjects_.size() > 1)
    rounds_.add(sample.candidate, ms, samples.isLow(sample.mhz));
}

bench_result Measurement::result(std::size_t candidate, const std::vector<std::string> &warnings) {
  const Subject &subject = subjects_[candidate];
  const Samples &samples = samples_[candidate];
  bench_result result = subject.described();
  result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  if (samples.none())
    throw bench_error(
        bench_fault::device,
        fmt::format(
            "graphprof: no time of {} could be read: graphprof stopped "
            "recording, or its records were lost; keep it recording, or raise GRAPHPROF_MAX_QUEUE",
            subject.name()));
  samples.fill(result);
  if (samples.allAreLow())
    result.warnings.push_back(
        fmt::format("every sample ran below {:.0f} MHz, {:.0f} % of the highest SM clock: none is "
                    "discarded; let the GPU cool down, or lower min_sm_clock",
                    leastMhz(), options_.min_sm_clock * 100));
  else if (samples.lowThatCount() > 0)
    result.warnings.push_back(fmt::format(
        "{} of {} samples ran below {:.0f} MHz, {:.0f} % of the highest SM clock, and few are left "
        "without them: none is discarded; let the GPU cool down, or lower min_sm_clock",
        samples.lowThatCount(), result.times_ms.size(), leastMhz(), options_.min_sm_clock * 100));
  if (samples.lost() > 0)
    result.warnings.push_back(fmt::format(
        "the times of {} runs were lost; raise GRAPHPROF_RING_DEPTH or GRAPHPROF_MAX_QUEUE",
        samples.lost()));
  if (runs_.late())
    result.warnings.emplace_back("the host was slower than the GPU, so that times may hold gaps; "
                                 "use more iterations a graph");
  result.warnings.insert(result.warnings.end(), warnings_.begin(), warnings_.end());
  result.throttle = runs_.throttle();
  result.dry_runs = static_cast<int>(dryRuns_);
  result.converged = converged_;
  summarize(result);
  const double seconds = result.median_ms * 1e-3;
  if (seconds > 0) {
    result.bytes_per_s = static_cast<double>(options_.bytes) / seconds;
    result.flops_per_s = options_.flops / seconds;
  }
  if (result.timer != bench_timer::stamps)
    recordedNs_ = record(result, gpu_.device().ordinal(), recordedNs_);
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

} // namespace

bench_comparison measured(const Works &works, const bench_options &given, bench_timer timer,
                          SampleOf sampleOf) {
  if (works.empty())
    throw bench_error(bench_fault::options,
                      "graphprof: bench_compare: there is no candidate; pass at least one");
  if (works.size() > 1 && 2 * works.size() > Runs::mostRuns)
    throw bench_error(
        bench_fault::options,
        fmt::format("graphprof: bench_compare: {} candidates; at most {} run in turns",
                    works.size(), Runs::mostRuns / 2));
  std::vector<std::string> warnings;
  const bench_options options = checked(given, warnings);
  for (const Work *const work : works)
    if (!work->takesStream && !options.stream)
      throw bench_error(
          bench_fault::callable,
          fmt::format("graphprof: {} takes no stream: let it take a cudaStream_t as its "
                      "first argument, or set bench_options::stream to the one that its "
                      "work goes to",
                      work->name));
  const OneAtATime guard;
  Measurement measurement(works, options, timer, sampleOf);
  measurement.run();
  if (works.size() > 1 && measurement.rounds().size() == 0)
    warnings.emplace_back("no turn gave the times of all candidates, so there are no ratios; raise "
                          "GRAPHPROF_RING_DEPTH or GRAPHPROF_MAX_QUEUE");
  bench_comparison all;
  for (std::size_t i = 0; i < works.size(); ++i) {
    all.results.push_back(measurement.result(i, warnings));
    all.ratios.push_back(measurement.rounds().ratio(i));
  }
  measurement.recordStamps();
  return all;
}

} // namespace bench_detail

using namespace bench_detail;

bench_result detail::measure(const BenchWork &work, const bench_options &options,
                             bench_timer timer) {
  const Work one(work);
  return std::move(measured({&one}, options, timer, SampleOf::Call).results.front());
}

std::vector<double> detail::measureRuns(const BenchWork &work, const bench_options &options,
                                        bench_timer timer) {
  const Work one(work);
  bench_result result = std::move(measured({&one}, options, timer, SampleOf::Run).results.front());
  if (result.discarded > 0)
    result.warnings.push_back(fmt::format(
        "{} of {} samples ran at a low SM clock and were discarded; let the GPU cool down, or "
        "lower min_sm_clock",
        result.discarded, result.discarded + result.times_ms.size()));
  for (const std::string &warning : result.warnings)
    process().session.say(work.name + ": ", warning);
  return std::move(result.times_ms);
}

bench_comparison v1::bench_compare(const std::vector<detail::BenchWork> &candidates,
                                   const bench_options &options) {
  const std::deque<Work> all(candidates.begin(), candidates.end());
  Works works;
  std::transform(all.begin(), all.end(), std::back_inserter(works),
                 [](const Work &work) { return &work; });
  return measured(works, options, bench_timer::graph, SampleOf::Call);
}

} // namespace graphprof
