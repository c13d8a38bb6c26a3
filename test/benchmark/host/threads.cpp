// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Threads that launch different execs at once, each in its own stream: do they contend for a lock
// of graphprof's?

#include <barrier>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "comparison.h"
#include "driver_meter.h"
#include "program.h"
#include "sections.h"
#include "ticks.h"

namespace benchmark::host {
namespace {

constexpr int regionsPerExec = 16;
constexpr int batch = 16;

struct Launcher {
  Stream stream;
  PlainExec plain{stream, regionsPerExec};
  TimedExec timed{stream, regionsPerExec};
};
using Launchers = std::vector<std::unique_ptr<Launcher>>;
using Launch = std::function<void(const Launcher &)>;

struct Samples {
  std::vector<double> totalNs, ownNs, driverCalls; // for a launch; one value for each batch
};

// Runs every launcher on its own thread, `batches` times.
Samples launchAll(const Launchers &launchers, const Launch &launch, int batches) {
  std::vector<Samples> samples(launchers.size());
  std::barrier together(static_cast<std::ptrdiff_t>(launchers.size()));
  const auto work = [&](std::size_t index) {
    const Launcher &launcher = *launchers[index];
    together.arrive_and_wait();
    for (int i = 0; i < batches; ++i) {
      DriverCalls::reset();
      const std::int64_t begin = ticks();
      for (int k = 0; k < batch; ++k)
        launch(launcher);
      const double totalTicks = static_cast<double>(ticks() - begin);
      const DriverCalls made = DriverCalls::ofThisThread();
      const double own = totalTicks - static_cast<double>(made.ticks) -
                         static_cast<double>(made.count) * DriverCalls::overheadTicks();
      samples[index].totalNs.push_back(totalTicks * nsPerTick() / batch);
      samples[index].ownNs.push_back(own * nsPerTick() / batch);
      samples[index].driverCalls.push_back(static_cast<double>(made.count) / batch);
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(launchers.size());
  for (std::size_t i = 0; i < launchers.size(); ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &launcher : launchers)
    launcher->stream.synchronize();
  graphprof::flush();

  Samples all;
  for (const Samples &one : samples) {
    all.totalNs.insert(all.totalNs.end(), one.totalNs.begin(), one.totalNs.end());
    all.ownNs.insert(all.ownNs.end(), one.ownNs.begin(), one.ownNs.end());
    all.driverCalls.insert(all.driverCalls.end(), one.driverCalls.begin(), one.driverCalls.end());
  }
  return all;
}

void launchPlain(const Launcher &launcher) { launcher.plain.launch(launcher.stream); }
void launchTimed(const Launcher &launcher) { launcher.timed.launch(launcher.stream); }
Figure compareThreads(const Launchers &launchers, const std::string &what, int rounds,
                      int batches) {
  std::vector<double> plain, timed, added, ownNs, calls;
  for (int round = 0; round <= rounds; ++round) {
    const double without = median(launchAll(launchers, launchPlain, batches).totalNs);
    const double with = median(launchAll(launchers, launchTimed, batches).totalNs);
    const DriverMeter meter;
    const Samples metered = launchAll(launchers, launchTimed, batches);
    if (round == 0)
      continue;
    plain.push_back(without);
    timed.push_back(with);
    added.push_back(with - without);
    ownNs.insert(ownNs.end(), metered.ownNs.begin(), metered.ownNs.end());
    calls.insert(calls.end(), metered.driverCalls.begin(), metered.driverCalls.end());
  }
  Figure figure;
  figure.what = what;
  figure.plainNs = summarise(plain);
  figure.timedNs = summarise(timed);
  figure.addedNs = summarise(added);
  figure.driverCalls = median(calls);
  figure.ownNs = summarise(ownNs);
  return figure;
}

} // namespace

void threads(Effort effort) {
  const bool quick = effort == Effort::Quick;
  const int rounds = quick ? 1 : 11, batches = quick ? 4 : 40;
  std::vector<Figure> figures;
  for (const int count : {1, 8}) {
    Launchers launchers;
    for (int i = 0; i < count; ++i)
      launchers.push_back(std::make_unique<Launcher>());
    const std::string who = std::to_string(count) + (count == 1 ? " thread, " : " threads, ");

    graphprof::stop();
    figures.push_back(compareThreads(launchers, who + "not recording", rounds, batches));
    graphprof::start();
    figures.push_back(compareThreads(launchers, who + "recording, no output", rounds, batches));
    Counter counter;
    figures.push_back(compareThreads(launchers, who + "recording, to a callback", rounds, batches));
    counter.check(2ULL * static_cast<unsigned>(count * batch) *
                      static_cast<unsigned>(batches * (rounds + 1)),
                  regionsPerExec, who + "recording");
  }
  print("Threads that launch different execs of 16 regions", "ns", figures);
}

} // namespace benchmark::host
