// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a timed twin of a kernel costs, and whether what it writes is true. For each kernel a graph
// of its launches, and one of its twin's, replayed in turns, with each way of recording: no warp,
// one warp of every 33rd block, one warp of each block, every warp. Prints a table.

#include "../check.h"

#include "twins.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace graphprof::benchmark {
namespace {

using ::benchmark::DeviceArray;

constexpr int launches = 8, repeats = 60;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A graph of so many launches.
class Graph {
public:
  Graph(cudaStream_t stream, const std::function<void()> &launch) : stream_(stream) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < launches; ++i)
      launch();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec_, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
  }
  ~Graph() {
    cudaGraphExecDestroy(exec_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Microseconds of a launch.
  double replay() {
    CHECK(cudaEventRecord(begin_, stream_));
    CHECK(cudaGraphLaunch(exec_, stream_));
    CHECK(cudaEventRecord(end_, stream_));
    CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e3 * milliseconds / launches;
  }

private:
  cudaStream_t stream_;
  cudaGraphExec_t exec_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// A kernel, its twin, and what they work on.
struct Subject {
  const char *name;
  unsigned blocks, warps; // of a block
  unsigned scopes;        // that a warp enters, none in another
  std::function<void()> reset;
  std::function<void(cudaStream_t)> launch;
  std::function<void(cudaStream_t, const Recording &)> launchTwin;
  std::function<std::vector<float>()> result;
};

/// Where its warps write.
class Entries {
public:
  Entries(const Subject &subject, unsigned everyBlock, unsigned warps)
      : perWarp_(2 * subject.scopes),
        warps_(everyBlock ? (subject.blocks + everyBlock - 1) / everyBlock * warps : 0),
        entries_(std::size_t{std::max(warps_, 1U)} * perWarp_), totals_(std::max(warps_, 1U)),
        recording_{entries_.get(), totals_.get(), perWarp_, everyBlock ? everyBlock : 1, warps} {}
  [[nodiscard]] const Recording &recording() const { return recording_; }

  /// What scopes that stand in no other ones take of their warps' time; also whether a warp wrote
  /// more or fewer than it should.
  [[nodiscard]] double share(bool *wrong) const {
    std::vector<Entry> entries(std::size_t{warps_} * perWarp_);
    std::vector<Total> totals(warps_);
    CHECK(cudaMemcpy(entries.data(), entries_.get(), entries.size() * sizeof(Entry),
                     cudaMemcpyDefault));
    CHECK(
        cudaMemcpy(totals.data(), totals_.get(), totals.size() * sizeof(Total), cudaMemcpyDefault));
    double inner = 0, whole = 0;
    for (unsigned warp = 0; warp < warps_; ++warp) {
      *wrong |= totals[warp].entries != perWarp_;
      const Entry *of = &entries[std::size_t{warp} * perWarp_];
      for (unsigned i = 0; i + 1 < perWarp_; i += 2) {
        *wrong |= of[i].scope == scopeEnd || of[i + 1].scope != scopeEnd;
        inner += of[i + 1].time - of[i].time;
      }
      whole += totals[warp].time;
    }
    return inner / whole;
  }

private:
  unsigned perWarp_, warps_;
  DeviceArray<Entry> entries_;
  DeviceArray<Total> totals_;
  Recording recording_;
};

void compare(const Subject &subject, cudaStream_t stream) {
  subject.reset();
  subject.launch(stream);
  CHECK(cudaStreamSynchronize(stream));
  const std::vector<float> expected = subject.result();
  struct Way {
    const char *name;
    unsigned everyBlock, warps;
  };
  const Way ways[] = {{"no warp", 0, 0},
                      {"one warp of every 33rd block", 33, 1},
                      {"one warp of each block", 1, 1},
                      {"every warp", 1, subject.warps}};
  for (const Way &way : ways) {
    const Entries entries(subject, way.everyBlock, way.warps);
    subject.reset();
    subject.launchTwin(stream, entries.recording());
    CHECK(cudaStreamSynchronize(stream));
    const std::vector<float> computed = subject.result();
    const bool equal =
        std::memcmp(expected.data(), computed.data(), expected.size() * sizeof(float)) == 0;
    subject.reset();
    Graph original(stream, [&] { subject.launch(stream); });
    Graph again(stream, [&] { subject.launch(stream); });
    Graph twin(stream, [&] { subject.launchTwin(stream, entries.recording()); });
    std::vector<double> plain, against, times;
    for (int i = 0; i < repeats; ++i) {
      const double first = original.replay(), timed = twin.replay(), second = again.replay();
      if (i < 5)
        continue; // warm-up
      plain.push_back(first);
      against.push_back(second / first);
      times.push_back(2 * timed / (first + second));
    }
    bool wrong = false;
    const double share = way.warps ? entries.share(&wrong) : 0;
    std::printf("| %s | %s | %.2f | %.4f | %.4f | %s | %s | %s |\n", subject.name, way.name,
                median(plain), median(against), median(times),
                way.warps ? (std::to_string(100 * share).substr(0, 5) + " %").c_str() : "--",
                wrong ? "WRONG" : "all", equal ? "equal" : "DIFFERENT");
  }
}

int run() {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  constexpr int n = 1024, rows = 4096, count = 1 << 24, sumBlocks = 528;
  std::vector<float> values(count);
  for (int i = 0; i < count; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<float>((i * 7919L) % 1000) / 997;
  DeviceArray<float> a(count), b(count);
  const auto fill = [&](const DeviceArray<float> &array, std::size_t size) {
    CHECK(cudaMemcpy(array.get(), values.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  };
  const auto read = [](const DeviceArray<float> &array, std::size_t size) {
    std::vector<float> result(size);
    CHECK(cudaMemcpy(result.data(), array.get(), size * sizeof(float), cudaMemcpyDefault));
    return result;
  };
  fill(a, count);
  const dim3 grid(n / tile, n / tile), block(tile, 8);
  std::printf(
      "| kernel | recorded | us | again | twin | inner scopes of the warp's time | entries | "
      "results |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  DeviceArray<float> c(n * n);
  compare({"product", grid.x * grid.y, 8, n / tile * 4 + 1, [&] {},
           [&](cudaStream_t s) { product<<<grid, block, 0, s>>>(a.get(), a.get(), c.get(), n); },
           [&](cudaStream_t s, const Recording &r) {
             productTwin<<<grid, block, 0, s>>>(a.get(), a.get(), c.get(), n, r);
           },
           [&] { return read(c, n * n); }},
          stream);
  const std::size_t elements = std::size_t{rows} * softmaxWidth;
  compare({"softmax", rows, softmaxThreads / 32, 7, [&] { fill(b, elements); },
           [&](cudaStream_t s) { softmax<<<rows, softmaxThreads, 0, s>>>(b.get()); },
           [&](cudaStream_t s, const Recording &r) {
             softmaxTwin<<<rows, softmaxThreads, 0, s>>>(b.get(), r);
           },
           [&] { return read(b, elements); }},
          stream);
  DeviceArray<float> sums(sumBlocks);
  compare(
      {"sum", sumBlocks, sumThreads / 32, 3, [&] {},
       [&](cudaStream_t s) { sum<<<sumBlocks, sumThreads, 0, s>>>(a.get(), sums.get(), count); },
       [&](cudaStream_t s, const Recording &r) {
         sumTwin<<<sumBlocks, sumThreads, 0, s>>>(a.get(), sums.get(), count, r);
       },
       [&] { return read(sums, sumBlocks); }},
      stream);
  CHECK(cudaStreamDestroy(stream));
  return 0;
}

} // namespace
} // namespace graphprof::benchmark

int main() {
  try {
    return graphprof::benchmark::run();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
