// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How near a kernel's busy time is to what the kernel saw itself, and what recording does to
// kernels and gaps. 48 kernels of eight shapes in a chain. Each notes, for each of its blocks, when
// it began and ended, by %globaltimer, in words of its own: no atomics, so that it costs a kernel
// nothing but two stores a block. The host takes the first begin and the last end, and how long
// after the first block the last one began.
//
// The graph runs in three processes: plain, recorded whole, and recorded in parts. What graphprof
// says is compared with the medians of what kernels noted in the same process.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <graphprof/cuda.h>
#include <graphprof/graphprof.h>

#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

namespace benchmark {
namespace {

struct Shape {
  unsigned blocks, threads;
  int rounds; // of the loop that is the work
};
// The last but one takes several waves of every device so far; the last one is long enough that its
// end matters little.
constexpr std::array<Shape, 8> shapes = {{{8, 64, 700},
                                          {66, 256, 1000},
                                          {132, 256, 400},
                                          {2, 128, 60},
                                          {264, 512, 500},
                                          {132, 1024, 700},
                                          {4224, 256, 300},
                                          {33, 512, 4000}}};
constexpr std::size_t times = 6, kernels = times * shapes.size();
constexpr int launches = 1500, warmUp = 20;
constexpr const char *parts = "4";

struct Noted {
  unsigned long long begin, end;
};

__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__global__ void work(Noted *noted, float *out, int rounds) {
  const unsigned long long began = now();
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i)
    value = value * 0.999f + 0.5f;
  if (value < 0) // never, which the compiler does not know
    out[blockIdx.x] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    noted[blockIdx.x] = {began, now()};
}

double median(std::vector<double> values) {
  if (values.empty())
    return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::size_t firstBlock(std::size_t kernel) {
  std::size_t blocks = 0;
  for (std::size_t i = 0; i < kernel; ++i)
    blocks += shapes[i % shapes.size()].blocks;
  return blocks;
}

// What graphprof says of each kernel. Filled on a thread of graphprof's.
struct Told {
  std::mutex mutex;
  std::array<std::vector<double>, kernels> us;
  std::array<double, kernels> busyUs, gapUs;
  std::array<unsigned, kernels> replays{};
  std::array<bool, kernels> ownEnd{}; // that is where the durations end, not at the next begin
  std::set<std::uint64_t> recorded;   // launches with records

  Told() {
    busyUs.fill(NAN);
    gapUs.fill(NAN);
  }
  void take(const graphprof::Record &record) {
    const std::lock_guard lock(mutex);
    recorded.insert(record.replay);
    if (record.kind != graphprof::Kind::Kernel || record.region >= kernels || record.cold)
      return;
    if (record.measured())
      us[record.region].push_back(1e-3 * static_cast<double>(record.duration_ns));
    ownEnd[record.region] = record.ends == graphprof::Ends::Completion;
    if (record.busy_replays > 0) { // the newest figure is of the most replays
      busyUs[record.region] = 1e-3 * static_cast<double>(record.busy_ns);
      gapUs[record.region] = record.gap_ns < 0 ? NAN : 1e-3 * static_cast<double>(record.gap_ns);
      replays[record.region] = record.busy_replays;
    }
  }
};

// Runs the graph and prints, for the process that asked: of each kernel "k number own toNextBegin
// spread reported busy gap replays
// whether-that-ends-with-its-own-end", in us, and "whole us" of ordinary replays and "ends us" of
// those without records.
int runOne() {
  Told told;
  const graphprof::Profiler profiler{
      [&told](const graphprof::Record &record) { told.take(record); }};
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::size_t blocks = firstBlock(kernels);
  Noted *noted = nullptr, *seen = nullptr;
  float *out = nullptr;
  CHECK(cudaMalloc(&noted, blocks * sizeof(Noted)));
  CHECK(cudaMalloc(&out, 8192 * sizeof(float)));
  CHECK(cudaMallocHost(&seen, blocks * sizeof(Noted)));

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CHECK(graphprof::cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (std::size_t i = 0; i < kernels; ++i) {
    const Shape &shape = shapes[i % shapes.size()];
    work<<<shape.blocks, shape.threads, 0, stream>>>(noted + firstBlock(i), out, shape.rounds);
  }
  CHECK(graphprof::cuda::cudaStreamEndCapture(stream, &graph));
  CHECK(graphprof::cuda::cudaGraphInstantiate(&exec, graph, 0));

  struct Seen {
    std::array<double, kernels> own, next, spread;
    double whole;
  };
  std::vector<Seen> all;
  for (int launch = 0; launch < launches; ++launch) {
    CHECK(graphprof::cuda::cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(seen, noted, blocks * sizeof(Noted), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    Seen now{};
    std::array<unsigned long long, kernels> begins{}, ends{};
    for (std::size_t i = 0; i < kernels; ++i) {
      const Noted *const own = seen + firstBlock(i);
      begins[i] = own->begin;
      unsigned long long lastBegin = own->begin;
      for (unsigned block = 0; block < shapes[i % shapes.size()].blocks; ++block) {
        begins[i] = std::min(begins[i], own[block].begin);
        lastBegin = std::max(lastBegin, own[block].begin);
        ends[i] = std::max(ends[i], own[block].end);
      }
      now.spread[i] = 1e-3 * static_cast<double>(lastBegin - begins[i]);
    }
    for (std::size_t i = 0; i < kernels; ++i) {
      now.own[i] = 1e-3 * static_cast<double>(ends[i] - begins[i]);
      now.next[i] = i + 1 < kernels ? 1e-3 * static_cast<double>(begins[i + 1] - begins[i]) : NAN;
    }
    now.whole = 1e-3 * static_cast<double>(ends.back() - begins.front());
    all.push_back(now);
  }
  graphprof::flush();
  const std::lock_guard lock(told.mutex);

  const auto over = [&](auto valueOf, auto counts) {
    std::vector<double> values;
    for (std::size_t i = warmUp; i < all.size(); ++i)
      if (counts(i))
        values.push_back(valueOf(all[i]));
    return median(std::move(values));
  };
  const auto isOrdinary = [&](std::size_t launch) {
    return told.recorded.empty() || told.recorded.count(launch) > 0;
  };
  for (std::size_t k = 0; k < kernels; ++k)
    std::printf("k %zu %.17g %.17g %.17g %.17g %.17g %.17g %u %d\n", k,
                over([k](const Seen &one) { return one.own[k]; }, [](std::size_t) { return true; }),
                over([k](const Seen &one) { return one.next[k]; }, isOrdinary),
                over([k](const Seen &one) { return one.spread[k]; }, isOrdinary),
                median(told.us[k]), told.busyUs[k], told.gapUs[k], told.replays[k],
                told.ownEnd[k] ? 1 : 0);
  const auto whole = [](const Seen &one) { return one.whole; };
  std::printf("whole %.17g\n", over(whole, isOrdinary));
  std::printf("ends %.17g\n", over(whole, [&](std::size_t launch) { return !isOrdinary(launch); }));
  CHECK(graphprof::cuda::cudaGraphExecDestroy(exec));
  CHECK(graphprof::cuda::cudaGraphDestroy(graph));
  CHECK(cudaFreeHost(seen));
  CHECK(cudaFree(noted));
  CHECK(cudaFree(out));
  CHECK(cudaStreamDestroy(stream));
  return std::fflush(stdout);
}

struct Kernel {
  double own = NAN, next = NAN, spread = NAN, reported = NAN, busy = NAN, gap = NAN;
  unsigned replays = 0;
  int ownEnd = 0;
};
struct Run {
  std::array<Kernel, kernels> kernel;
  double whole = NAN, ends = NAN;
};

// Runs this program with these variables. Exits if it fails.
Run runWith(const std::map<std::string, std::string> &variables) {
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
    for (const auto &[name, value] : variables)
      setenv(name.c_str(), value.c_str(), 1);
    execl("/proc/self/exe", "busy", "--one", nullptr);
    std::perror("busy: cannot run itself");
    _exit(127);
  }
  close(ends[1]);
  std::FILE *const read = fdopen(ends[0], "r");
  Run run;
  std::array<char, 512> line{};
  while (read && std::fgets(line.data(), line.size(), read)) {
    std::size_t number = 0;
    Kernel one;
    if (std::sscanf(line.data(), "k %zu %lf %lf %lf %lf %lf %lf %u %d", &number, &one.own,
                    &one.next, &one.spread, &one.reported, &one.busy, &one.gap, &one.replays,
                    &one.ownEnd) == 9 &&
        number < kernels)
      run.kernel[number] = one;
    else if (std::sscanf(line.data(), "whole %lf", &run.whole) != 1)
      (void)std::sscanf(line.data(), "ends %lf", &run.ends);
  }
  if (read)
    std::fclose(read);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "busy: the measured process failed; what it wrote is above\n");
    std::exit(1);
  }
  return run;
}

// The median over the kernels of one shape that have the figure; NAN: none has.
template <class Of> double ofShape(const Run &run, std::size_t shape, Of of) {
  std::vector<double> values;
  for (std::size_t i = shape; i < kernels; i += shapes.size())
    if (!std::isnan(of(run.kernel[i])))
      values.push_back(of(run.kernel[i]));
  return median(std::move(values));
}

std::string us(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return std::isnan(value) ? "--" : text.data();
}

// Of the kernels with both figures, how many are near.
template <class One, class Other> std::string near(const Run &run, One one, Other other) {
  unsigned known = 0, close = 0;
  for (const Kernel &kernel : run.kernel) {
    const double is = one(kernel), noted = other(kernel);
    if (std::isnan(is) || std::isnan(noted))
      continue;
    ++known;
    close += std::abs(is - noted) <= std::max(0.15, 0.02 * noted) ? 1 : 0;
  }
  return std::to_string(close) + " of " + std::to_string(known) + " (of " +
         std::to_string(kernels) + " kernels)";
}

int runAll() {
  const std::map<std::string, std::string> off = {{"GRAPHPROF_OUTPUT", ""},
                                                  {"GRAPHPROF_ENABLED", "0"}};
  std::map<std::string, std::string> whole = {{"GRAPHPROF_OUTPUT", ""}, {"GRAPHPROF_NODES", "1"}};
  std::map<std::string, std::string> inParts = whole;
  inParts["GRAPHPROF_PARTS"] = parts;
  const Run plainRun = runWith(off), wholeRun = runWith(whole), partsRun = runWith(inParts);
  const auto own = [](const Kernel &kernel) { return kernel.own; };
  const auto next = [](const Kernel &kernel) { return kernel.next; };
  const auto spread = [](const Kernel &kernel) { return kernel.spread; };
  const auto reported = [](const Kernel &kernel) { return kernel.reported; };
  const auto busy = [](const Kernel &kernel) { return kernel.busy; };
  const auto gap = [](const Kernel &kernel) { return kernel.gap; };
  const auto noted = [](const Kernel &kernel) { return kernel.ownEnd ? kernel.own : kernel.next; };
  const auto between = [](const Kernel &kernel) { return kernel.next - kernel.own; };

  std::printf("us, medians; %zu kernels in a chain, %d launches; parts: %s\n\n", kernels, launches,
              parts);
  std::printf("| shape | last begin: plain | whole | own: plain | whole | parts | begin to begin: "
              "plain | whole | parts | "
              "reported: whole | parts | busy | gap noted: plain | parts | gap reported | replays "
              "|\n|%s\n",
              " --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
              "| --- | --- |");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto cell = [i](const Run &run, auto of) { return us(ofShape(run, i, of)); };
    std::printf(
        "| %u x %u | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %u |\n",
        shapes[i].blocks, shapes[i].threads, cell(plainRun, spread).c_str(),
        cell(wholeRun, spread).c_str(), cell(plainRun, own).c_str(), cell(wholeRun, own).c_str(),
        cell(partsRun, own).c_str(), cell(plainRun, next).c_str(), cell(wholeRun, next).c_str(),
        cell(partsRun, next).c_str(), cell(wholeRun, reported).c_str(),
        cell(partsRun, reported).c_str(), cell(partsRun, busy).c_str(),
        cell(plainRun, between).c_str(), cell(partsRun, between).c_str(),
        cell(partsRun, gap).c_str(), partsRun.kernel[i].replays);
  }
  std::printf("\nwithin 0.15 us or 2 %% of what the kernel noted in the same process:\n");
  std::printf("- busy, in parts: %s\n", near(partsRun, busy, own).c_str());
  std::printf("- reported duration (to the next begin, or to its own end, as the record says), in "
              "parts: %s\n",
              near(partsRun, reported, noted).c_str());
  std::printf("- the same, whole: %s\n", near(wholeRun, reported, noted).c_str());
  std::printf("- gap, in parts: %s\n", near(partsRun, gap, between).c_str());
  std::printf("\nthe whole graph, us (by plain): plain %.2f, recorded whole %.2f (%.4f), in parts "
              "%.2f (%.4f), replays that stamp ends %.2f (%.4f)\n",
              plainRun.whole, wholeRun.whole, wholeRun.whole / plainRun.whole, partsRun.whole,
              partsRun.whole / plainRun.whole, partsRun.ends, partsRun.ends / plainRun.whole);
  return std::fflush(stdout);
}

} // namespace
} // namespace benchmark

int main(int count, char **arguments) {
  return count > 1 && std::strcmp(arguments[1], "--one") == 0 ? benchmark::runOne()
                                                              : benchmark::runAll();
}
