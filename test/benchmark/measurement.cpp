// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Rounds, turns, and the figures computed from them. See measurement.h.

#include "measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "check.h"

namespace benchmark {
namespace {

constexpr int launchesBeforeBlock = 3;
constexpr int singleLaunches = 5;
constexpr double blockUs = 20'000; // the shortest time of a block
constexpr int fewestReplays = 4, mostReplays = 100;

using HostClock = std::chrono::steady_clock;

double usSince(HostClock::time_point begin) {
  return std::chrono::duration<double, std::micro>(HostClock::now() - begin).count();
}

/// One technique and its samples, one for each round. regionsUs has a row for each region, with a
/// sample for each readable replay; so has beginsUs.
struct Contender {
  explicit Contender(std::unique_ptr<Technique> of) : technique(std::move(of)) {}

  std::unique_ptr<Technique> technique;
  std::vector<double> gpuUs, launchIdleUs, launchBusyUs;
  std::vector<std::vector<double>> regionsUs, beginsUs;
  std::vector<char> areOfBegins;
};

/// Appends the last `replays` rows of `readings` to the samples of each region.
void append(std::vector<std::vector<double>> &samples,
            const std::vector<std::vector<double>> &readings, std::size_t replays) {
  for (std::size_t i = readings.size() - std::min(readings.size(), replays); i < readings.size();
       ++i) {
    samples.resize(readings[i].size());
    for (std::size_t region = 0; region < readings[i].size(); ++region)
      samples[region].push_back(readings[i][region]);
  }
}

class Contest {
public:
  Contest(const Workload &workload, std::vector<std::unique_ptr<Technique>> techniques) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (std::unique_ptr<Technique> &technique : techniques)
      contenders_.emplace_back(std::move(technique));
    for (Contender &contender : contenders_)
      contender.technique->prepare(workload, stream_);
    reads_ = !workload.runsTwiceAtOnce();
    CHECK(cudaDeviceSynchronize());
    replays_ = replaysPerBlock();
  }

  ~Contest() {
    contenders_.clear();
    cudaStreamDestroy(stream_);
  }

  /// Runs rounds until the stopping rule or the limits end it. The first round is a warm-up and
  /// dropped.
  void run(const Limits &limits) {
    const HostClock::time_point begin = HostClock::now();
    for (int round = 0; round <= limits.rounds; ++round) {
      for (std::size_t i = 0; i < contenders_.size(); ++i)
        takeTurn(contenders_[(i + round) % contenders_.size()], /*counts=*/round > 0);
      const bool rested = std::all_of(contenders_.begin(), contenders_.end(),
                                      [](const Contender &c) { return settled(c.gpuUs); });
      if (rested || (round > 1 && usSince(begin) > 1e6 * limits.seconds))
        break;
    }
  }

  int replays() const { return replays_; }
  const std::vector<Contender> &contenders() const { return contenders_; }

private:
  /// The number of the first technique's replays that fill a block.
  int replaysPerBlock() {
    Technique &technique = *contenders_.front().technique;
    technique.launch();
    CHECK(cudaEventRecord(blockBegin_.get(), stream_));
    technique.launch();
    CHECK(cudaEventRecord(blockEnd_.get(), stream_));
    CHECK(cudaStreamSynchronize(stream_));
    const double replays = blockUs / elapsedUs(blockBegin_, blockEnd_);
    return std::clamp(static_cast<int>(replays), fewestReplays, mostReplays);
  }

  void takeTurn(Contender &contender, bool counts) {
    Technique &technique = *contender.technique;
    technique.switchOn();
    for (int i = 0; i < launchesBeforeBlock; ++i)
      technique.launch();

    CHECK(cudaEventRecord(blockBegin_.get(), stream_));
    const HostClock::time_point begin = HostClock::now();
    for (int i = 0; i < replays_; ++i)
      technique.launch();
    const double busyUs = usSince(begin) / replays_;
    CHECK(cudaEventRecord(blockEnd_.get(), stream_));
    CHECK(cudaStreamSynchronize(stream_));
    std::vector<std::vector<double>> readings, ofBegins;
    std::vector<char> areOfBegins;
    if (reads_) {
      readings = technique.readings(launchesBeforeBlock + replays_);
      ofBegins = technique.readingsOfBegins();
      areOfBegins = technique.areOfBegins();
    }

    std::vector<double> idleUs;
    for (int i = 0; i < singleLaunches; ++i) {
      const HostClock::time_point launch = HostClock::now();
      technique.launch();
      idleUs.push_back(usSince(launch));
      CHECK(cudaStreamSynchronize(stream_));
    }
    technique.switchOff();
    if (!counts)
      return;

    contender.gpuUs.push_back(elapsedUs(blockBegin_, blockEnd_) / replays_);
    contender.launchBusyUs.push_back(busyUs);
    contender.launchIdleUs.push_back(median(idleUs));
    append(contender.regionsUs, readings, static_cast<std::size_t>(replays_));
    append(contender.beginsUs, ofBegins, static_cast<std::size_t>(replays_));
    contender.areOfBegins = areOfBegins;
  }

  cudaStream_t stream_ = nullptr; // owned
  const Event blockBegin_, blockEnd_;
  std::vector<Contender> contenders_;
  int replays_ = 0;
  bool reads_ = true;
};

/// Summarises f(sample, base sample of the same round).
template <class Function>
Summary paired(const std::vector<double> &samples, const std::vector<double> &base, Function f) {
  std::vector<double> values;
  for (std::size_t i = 0; i < samples.size(); ++i)
    values.push_back(f(samples[i], base[i]));
  return summarise(values);
}

Result resultOf(const Contender &contender, const Contender &base, int regions) {
  Result result;
  result.technique = contender.technique->name();
  result.nodes = contender.technique->nodes();
  result.lostReplays = contender.technique->lostReplays();
  result.reference = contender.technique->reference();
  result.gpuUs = summarise(contender.gpuUs);
  result.untimedUs = summarise(base.gpuUs);
  result.ratio = paired(contender.gpuUs, base.gpuUs, [](double a, double b) { return a / b; });
  result.addedUs =
      paired(contender.gpuUs, base.gpuUs, [&](double a, double b) { return (a - b) / regions; });
  result.launchIdleUs = summarise(contender.launchIdleUs);
  result.launchBusyUs = summarise(contender.launchBusyUs);
  for (const std::vector<double> &samples : contender.regionsUs)
    result.regionsUs.push_back(summarise(samples));
  for (const std::vector<double> &samples : contender.beginsUs)
    result.beginsUs.push_back(summarise(samples));
  result.areOfBegins = contender.areOfBegins;
  return result;
}

/// The regions' readings, minus what taking them added to `result`.
std::vector<double> lessAdded(const Result &result, const std::vector<Summary> &readings,
                              const std::vector<std::size_t> &regionNodes) {
  const auto regions = static_cast<double>(regionNodes.size());
  const double nodes = std::accumulate(regionNodes.begin(), regionNodes.end(), 0.0);
  const double addedUs = result.addedUs.median * regions;
  std::vector<double> us;
  for (std::size_t i = 0; i < regionNodes.size(); ++i) {
    const double share = result.reference == Technique::Reference::LessShareOfNode
                             ? static_cast<double>(regionNodes[i]) / nodes
                             : 1 / regions;
    us.push_back(readings[i].median - share * addedUs);
  }
  return us;
}

Accuracy accuracyOf(const std::vector<double> &us, const std::vector<double> &truthUs) {
  Accuracy accuracy;
  std::vector<double> errors;
  double near = 0;
  for (std::size_t i = 0; i < us.size(); ++i) {
    errors.push_back(std::abs(us[i] - truthUs[i]));
    accuracy.maximumUs = std::max(accuracy.maximumUs, errors.back());
    accuracy.beyondLimit += errors.back() > accuracyLimitUs;
    near += errors.back() <= std::max(nearUs, nearPart * truthUs[i]);
  }
  if (!errors.empty())
    accuracy.nearShare = near / static_cast<double>(errors.size());
  accuracy.medianUs = median(errors);
  return accuracy;
}

} // namespace

Comparison compare(const Workload &workload, std::unique_ptr<Technique> technique,
                   const Limits &limits) {
  std::vector<std::unique_ptr<Technique>> techniques;
  techniques.push_back(std::make_unique<Technique>("untimed"));
  if (technique)
    techniques.push_back(std::move(technique));
  Contest contest(workload, std::move(techniques));
  contest.run(limits);

  const Contender &untimed = contest.contenders().front();
  Comparison comparison;
  comparison.workload = workload.name();
  comparison.replaysPerBlock = contest.replays();
  comparison.regionNodes = untimed.technique->workNodes();
  for (int i = 0; i < workload.regions(); ++i)
    comparison.regionNames.push_back(workload.regionName(i));
  for (const Contender &contender : contest.contenders())
    comparison.results.push_back(resultOf(contender, untimed, workload.regions()));
  return comparison;
}

void judge(Comparison &comparison) {
  const auto find = [&](Technique::Reference reference) {
    const auto found = std::find_if(
        comparison.results.begin(), comparison.results.end(), [&](const Result &result) {
          return result.reference == reference && !result.regionsUs.empty();
        });
    return found == comparison.results.end() ? nullptr : &*found;
  };
  const Result *best = find(Technique::Reference::LessShareOfNode);
  const Result *second = find(Technique::Reference::LessShareOfRegion);
  if (!best)
    best = std::exchange(second, nullptr);
  if (!best)
    return;
  comparison.truthFrom = best->technique;
  comparison.truthUs = lessAdded(*best, best->regionsUs, comparison.regionNodes);
  comparison.truthOfBeginsUs = best->beginsUs.empty()
                                   ? comparison.truthUs
                                   : lessAdded(*best, best->beginsUs, comparison.regionNodes);
  if (second) {
    comparison.checkedBy = second->technique;
    comparison.check = accuracyOf(lessAdded(*second, second->regionsUs, comparison.regionNodes),
                                  comparison.truthUs);
  }
  for (Result &result : comparison.results) {
    std::vector<double> us;
    for (const Summary &region : result.regionsUs)
      us.push_back(region.median);
    std::vector<double> truthUs = comparison.truthUs;
    for (std::size_t i = 0; i < std::min(truthUs.size(), result.areOfBegins.size()); ++i)
      if (result.areOfBegins[i])
        truthUs[i] = comparison.truthOfBeginsUs[i];
    result.accuracy = accuracyOf(us, truthUs);
  }
}

} // namespace benchmark
