// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Runs.h"

#include <numeric>

namespace graphprof::bench_detail {

Runs::Runs(Gpu &gpu, std::deque<Subject> &subjects)
    : gpu_(gpu), subjects_(subjects), turns_(subjects.size()), throttle_(gpu.device().ordinal()) {
  std::size_t nodes = 0; // of a round
  for (std::size_t i = 0; i < turns_.round(); ++i)
    nodes += subjects_[turns_.candidateOf(i)].nodesOfRun();
  constexpr std::size_t mostNodes = 2048;
  const std::size_t round = std::max<std::size_t>(1, turns_.round());
  roundsAtOnce_ = std::clamp<std::size_t>(mostNodes / std::max<std::size_t>(1, nodes), 1,
                                          std::max<std::size_t>(1, mostRuns / round));
}

void Runs::run(std::size_t first, std::size_t count, const Take &take) {
  for (std::size_t done = 0; done < count;) {
    const std::size_t most = std::min(atOnce(), count - done);
    const std::vector<Sample> samples = batch(first + done, most);
    // If a batch does not fit into the stream's queue, the host waits behind the closed gate until
    // the gate gives up, and the GPU has no work. Then use smaller batches.
    if (gpu_.late() && most > turns_.round()) {
      roundsAtOnce_ = std::max<std::size_t>(1, most / turns_.round() / 2);
      continue;
    }
    late_ = late_ || gpu_.late();
    for (const Sample &sample : samples)
      take(sample);
    done += most;
  }
}

std::vector<Sample> Runs::batch(std::size_t first, std::size_t count) {
  struct Made {
    std::size_t candidate, slot;
  };
  std::vector<Made> made;
  made.reserve(count);
  {
    std::optional<Gpu::Gate> gate;
    if (subjects_.front().timer() != bench_timer::eager) // a callable may wait for its own work
      gate.emplace(gpu_);
    std::vector<std::size_t> slots(subjects_.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t candidate = turns_.candidateOf(first + i);
      gpu_.readClock(2 * i);
      subjects_[candidate].enqueue(slots[candidate]);
      gpu_.readClock(2 * i + 1);
      made.push_back({candidate, slots[candidate]++});
    }
  }
  throttle_.look();
  gpu_.synchronize();
  for (Subject &subject : subjects_)
    subject.settle();
  std::vector<Sample> samples;
  samples.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Subject &subject = subjects_[made[i].candidate];
    Sample sample{made[i].candidate, subject.read(made[i].slot), gpu_.mhzBetween(2 * i, 2 * i + 1),
                  0};
    const std::vector<double> &ms = sample.reading.ms;
    sample.wholeMs = gpu_.msBetween(2 * i, 2 * i + 1)
                         .value_or(ms.empty() ? 0
                                              : std::accumulate(ms.begin(), ms.end(), 0.0) /
                                                    static_cast<double>(ms.size()) *
                                                    subject.described().iterations_within_graph);
    samples.push_back(std::move(sample));
  }
  return samples;
}

} // namespace graphprof::bench_detail
