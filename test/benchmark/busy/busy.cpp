// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Are times true, and what does recording do to what it times? The kernels note their own times
// (graphs.h), so this asks no other profiler. Each graph runs in a process of its own: plain,
// recorded whole, recorded in parts, and under CUPTI. What is said of a kernel is compared with the
// median of what it noted in the same process; what recording does, with the plain process.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <graphprof/graphprof.h>

#include <sys/wait.h>
#include <unistd.h>

#include "../cupti_activity.h"
#include "../statistics.h"
#include "graphs.h"

namespace benchmark {
namespace {

constexpr std::size_t warmUp = 20;

struct Way {
  const char *name;
  std::map<std::string, std::string> variables;
  std::size_t launches; ///< in parts, a part gets a fraction of them
};
const std::array<Way, 4> ways = {
    {{"plain", {{"GRAPHPROF_OUTPUT", ""}, {"GRAPHPROF_ENABLED", "0"}}, 600},
     {"whole", {{"GRAPHPROF_OUTPUT", ""}, {"GRAPHPROF_NODES", "1"}}, 600},
     {"in parts",
      {{"GRAPHPROF_OUTPUT", ""}, {"GRAPHPROF_NODES", "1"}, {"GRAPHPROF_PARTS", "4"}},
      1500},
     {"CUPTI", {{"GRAPHPROF_OUTPUT", ""}, {"GRAPHPROF_ENABLED", "0"}}, 200}}};

double medianOf(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values.empty() ? NAN : median(std::move(values));
}

/// In us, medians; NAN: not known.
struct Kernel {
  double own = NAN, toNextBegin = NAN, sinceLastEnd = NAN; ///< as it noted
  double reported = NAN; ///< as graphprof says, up to the next begin or its own end; or CUPTI
  double busy = NAN, gap = NAN;
  int endsItself = 0; ///< `reported` is up to its own end
};
struct Run {
  std::array<Kernel, kernels> kernel;
  double whole = NAN; ///< of launches with records, or of all
  double ends = NAN;  ///< of those that stamp ends
};

// What graphprof says. Filled on a thread of graphprof's.
class Told {
public:
  void take(const graphprof::Record &record) {
    const std::lock_guard lock(mutex_);
    recorded_.insert(record.replay);
    if (record.kind != graphprof::Kind::Kernel || record.cold)
      return;
    Of &of = regions_[record.region];
    of.endsItself = record.ends == graphprof::Ends::Completion;
    if (record.measured())
      of.us.push_back(1e-3 * static_cast<double>(record.duration_ns));
    if (record.busy_replays > 0) { // the newest figure is of the most replays
      of.busyUs = 1e-3 * static_cast<double>(record.busy_ns);
      of.gapUs = record.gap_ns < 0 ? NAN : 1e-3 * static_cast<double>(record.gap_ns);
    }
  }
  // Regions are in the order of the capture.
  void fill(Run &run) {
    const std::lock_guard lock(mutex_);
    std::size_t number = 0;
    for (auto &[region, of] : regions_) {
      if (number == kernels)
        break;
      Kernel &kernel = run.kernel[number++];
      kernel.reported = medianOf(of.us);
      kernel.busy = of.busyUs;
      kernel.gap = of.gapUs;
      kernel.endsItself = of.endsItself ? 1 : 0;
    }
  }
  [[nodiscard]] bool isRecorded(std::size_t launch) {
    const std::lock_guard lock(mutex_);
    return recorded_.empty() || recorded_.count(launch) > 0;
  }

private:
  struct Of {
    std::vector<double> us;
    double busyUs = NAN, gapUs = NAN;
    bool endsItself = false;
  };
  std::mutex mutex_;
  std::map<std::uint32_t, Of> regions_;
  std::set<std::uint64_t> recorded_; // launches with records
};

// What CUPTI says.
class ByCupti {
public:
  ByCupti() { CuptiActivity::get().switchOn(); }
  void take() {
    auto spans = CuptiActivity::get().takeSpans();
    std::sort(spans.begin(), spans.end(),
              [](const CuptiSpan &a, const CuptiSpan &b) { return a.node < b.node; });
    if (spans.size() != kernels)
      throw std::runtime_error("CUPTI recorded " + std::to_string(spans.size()) + " kernels of " +
                               std::to_string(kernels));
    for (std::size_t i = 0; i < kernels; ++i)
      us_[i].push_back(1e-3 * static_cast<double>(spans[i].endNs - spans[i].beginNs));
  }
  void fill(Run &run) {
    for (std::size_t i = 0; i < kernels; ++i) {
      run.kernel[i].reported = medianOf(us_[i]);
      run.kernel[i].endsItself = 1;
    }
  }

private:
  std::array<std::vector<double>, kernels> us_;
};

void print(const Run &run) {
  for (const Kernel &one : run.kernel)
    std::printf("k %.17g %.17g %.17g %.17g %.17g %.17g %d\n", one.own, one.toNextBegin,
                one.sinceLastEnd, one.reported, one.busy, one.gap, one.endsItself);
  std::printf("whole %.17g %.17g\n", run.whole, run.ends);
}

bool read(std::FILE *from, Run &run) {
  std::array<char, 512> line{};
  std::size_t number = 0;
  while (std::fgets(line.data(), line.size(), from)) {
    Kernel one;
    if (std::sscanf(line.data(), "k %lf %lf %lf %lf %lf %lf %d", &one.own, &one.toNextBegin,
                    &one.sinceLastEnd, &one.reported, &one.busy, &one.gap, &one.endsItself) == 7 &&
        number < kernels)
      run.kernel[number++] = one;
    else if (std::sscanf(line.data(), "whole %lf %lf", &run.whole, &run.ends) == 2)
      return number == kernels;
  }
  return false;
}

// In a process of its own.
int runOne(Form form, const Way &way) {
  Told told;
  const graphprof::Profiler profiler{
      [&told](const graphprof::Record &record) { told.take(record); }};
  const bool withCupti = std::strcmp(way.name, "CUPTI") == 0;
  Run run;
  {
    NotingGraph graph(form);
    std::unique_ptr<ByCupti> cupti = withCupti ? std::make_unique<ByCupti>() : nullptr;
    std::vector<Noted> all;
    for (std::size_t launch = 0; launch < way.launches; ++launch) {
      all.push_back(graph.launch());
      if (cupti)
        cupti->take();
    }
    graphprof::flush();
    const auto over = [&](auto valueOf, auto counts) {
      std::vector<double> values;
      for (std::size_t i = warmUp; i < all.size(); ++i)
        if (counts(i))
          values.push_back(valueOf(all[i]));
      return medianOf(std::move(values));
    };
    const auto any = [](std::size_t) { return true; };
    const auto isRecorded = [&told](std::size_t launch) { return told.isRecorded(launch); };
    for (std::size_t k = 0; k < kernels; ++k) {
      Kernel &kernel = run.kernel[k];
      kernel.own = over([k](const Noted &one) { return one.own[k]; }, any);
      kernel.toNextBegin = over([k](const Noted &one) { return one.toNextBegin[k]; }, isRecorded);
      kernel.sinceLastEnd = over([k](const Noted &one) { return one.sinceLastEnd[k]; }, isRecorded);
    }
    const auto whole = [](const Noted &one) { return one.whole; };
    run.whole = over(whole, isRecorded);
    run.ends = over(whole, [&](std::size_t launch) { return !isRecorded(launch); });
    if (cupti)
      cupti->fill(run);
  }
  told.fill(run);
  print(run);
  return std::fflush(stdout);
}

// Runs this program in such a way. Exits if it fails.
Run runIn(std::size_t form, std::size_t way) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    std::perror("busy: pipe");
    std::exit(1);
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    for (const auto &[name, value] : ways[way].variables)
      setenv(name.c_str(), value.c_str(), 1);
    execl("/proc/self/exe", "busy", std::to_string(form).c_str(), std::to_string(way).c_str(),
          nullptr);
    std::perror("busy: cannot run itself");
    _exit(127);
  }
  close(ends[1]);
  std::FILE *const output = fdopen(ends[0], "r");
  Run run;
  const bool isWhole = output && read(output, run);
  if (output)
    std::fclose(output);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || !isWhole) {
    std::fprintf(stderr, "busy: %s, %s: the measured process failed; what it wrote is above\n",
                 textOf(forms[form]), ways[way].name);
    std::exit(1);
  }
  return run;
}

std::string us(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return std::isnan(value) ? "--" : text.data();
}

// Over the kernels for which both are known: how many are within 0.15 us or 2 %.
template <class One, class Other> std::string near(const Run &run, One one, Other other) {
  unsigned known = 0, close = 0;
  for (const Kernel &kernel : run.kernel) {
    const double is = one(kernel), noted = other(kernel);
    if (std::isnan(is) || std::isnan(noted))
      continue;
    ++known;
    close += std::abs(is - noted) <= std::max(0.15, 0.02 * noted) ? 1 : 0;
  }
  return known == 0 ? "--" : std::to_string(close) + " of " + std::to_string(known);
}

// By how much a figure of the kernels differs from that in the plain process: the median, and the
// largest amount.
template <class Of> std::string change(const Run &run, const Run &plain, Of of) {
  std::vector<double> changes;
  for (std::size_t i = 0; i < kernels; ++i)
    if (const double by = of(run.kernel[i]) - of(plain.kernel[i]); !std::isnan(by))
      changes.push_back(by);
  double most = 0;
  for (const double by : changes)
    most = std::abs(by) > std::abs(most) ? by : most;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%+.2f, %+.2f", medianOf(changes), most);
  return text.data();
}

// What a duration is held against. Behind a programmatic edge a kernel's time begins when the one
// before it has ended.
auto notedFor(Form form) {
  return [form](const Kernel &kernel) {
    return form == Form::Programmatic ? kernel.sinceLastEnd
           : kernel.endsItself        ? kernel.own
                                      : kernel.toNextBegin;
  };
}

const auto own = [](const Kernel &kernel) { return kernel.own; };
const auto reported = [](const Kernel &kernel) { return kernel.reported; };
const auto busy = [](const Kernel &kernel) { return kernel.busy; };
const auto gap = [](const Kernel &kernel) { return kernel.gap; };
const auto gapNoted = [](const Kernel &kernel) { return kernel.toNextBegin - kernel.own; };

void printRow(Form form, std::size_t way, const Run &run, const Run &plain) {
  const bool isCupti = std::strcmp(ways[way].name, "CUPTI") == 0;
  const std::string durations =
      isCupti ? near(run, reported, own) : near(run, reported, notedFor(form));
  std::printf("| %s | %s | %.4f | %s | %s | %s | %s | %s |\n", textOf(form), ways[way].name,
              run.whole / plain.whole, change(run, plain, own).c_str(),
              change(run, plain, gapNoted).c_str(), durations.c_str(), near(run, busy, own).c_str(),
              near(run, gap, gapNoted).c_str());
}

// The median over the kernels of one shape.
template <class Of> std::string ofShape(const Run &run, std::size_t shape, Of of) {
  std::vector<double> values;
  for (std::size_t i = shape; i < kernels; i += shapes.size())
    values.push_back(of(run.kernel[i]));
  return us(medianOf(std::move(values)));
}

void printShapes(const std::vector<Run> &runs) {
  const Run &whole = runs[1], &inParts = runs[2], &cupti = runs[3];
  std::printf("\nThe chain by shape, us:\n\n| blocks x threads | own | busy | CUPTI | to the next "
              "begin | duration, whole | gap | gap, in parts |\n|%s\n",
              " --- | --- | --- | --- | --- | --- | --- | --- |");
  const auto toNext = [](const Kernel &kernel) { return kernel.toNextBegin; };
  for (std::size_t i = 0; i < shapes.size(); ++i)
    std::printf("| %u x %u | %s | %s | %s | %s | %s%s | %s | %s |\n", shapes[i].blocks,
                shapes[i].threads, ofShape(inParts, i, own).c_str(),
                ofShape(inParts, i, busy).c_str(), ofShape(cupti, i, reported).c_str(),
                ofShape(whole, i, toNext).c_str(), ofShape(whole, i, reported).c_str(),
                whole.kernel[i].endsItself ? " (its own end)" : "",
                ofShape(inParts, i, gapNoted).c_str(), ofShape(inParts, i, gap).c_str());
}

int runAll() {
  std::printf(
      "%zu kernels of %zu shapes, each a node with a time; us, medians. Near: within 0.15 us "
      "or 2 %% of what the kernel noted.\n\n",
      kernels, shapes.size());
  std::printf(
      "| graph | recorded | the whole, to plain | own times: median change, largest | gaps: "
      "median change, largest | durations near | busy times near | gaps near |\n|%s\n",
      " --- | --- | --- | --- | --- | --- | --- | --- |");
  std::vector<Run> chain;
  for (std::size_t form = 0; form < forms.size(); ++form) {
    std::vector<Run> runs;
    for (std::size_t way = 0; way < ways.size(); ++way) {
      runs.push_back(runIn(form, way));
      if (way > 0)
        printRow(forms[form], way, runs[way], runs[0]);
    }
    if (forms[form] == Form::Chain)
      chain = runs;
    std::printf("| %s | replays that stamp ends | %.4f | | | | | |\n", textOf(forms[form]),
                runs[2].ends / runs[0].whole);
    std::fflush(stdout);
  }
  printShapes(chain);
  return std::fflush(stdout);
}

int runGiven(int count, char **arguments) {
  if (count == 3)
    return runOne(forms.at(std::stoul(arguments[1])), ways.at(std::stoul(arguments[2])));
  if (count == 1)
    return runAll();
  std::fprintf(stderr, "usage: busy\n");
  return 2;
}

} // namespace
} // namespace benchmark

int main(int count, char **arguments) {
  try {
    return benchmark::runGiven(count, arguments);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "busy: %s\n", error.what());
    return 1;
  }
}
