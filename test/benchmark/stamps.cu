// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing with timestamp kernels, in the four places where a graph can have them. These are
// prototypes, without what the library adds: the reading while replays run, losses, the removal of
// the nodes while idle.

#include "technique.h"

#include <algorithm>
#include <cstdint>

#include "check.h"

namespace benchmark {
namespace {

// Replays whose times are in the ring at once.
constexpr std::uint64_t depth = 128;

/// Where stamps are written: a ring of `depth` replays with a time for each boundary, in pinned
/// host memory, and the running number of the replay, in device memory.
struct Ring {
  std::uint64_t *times;
  std::uint64_t *replay;
  std::uint64_t boundaries;
};

__device__ std::uint64_t nowNs() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// The first boundary: also begins a new replay in the ring.
__global__ void stampFirst(Ring ring) {
  const std::uint64_t now = nowNs();
  const std::uint64_t replay = *ring.replay + 1;
  *ring.replay = replay;
  ring.times[replay % depth * ring.boundaries] = now;
}

__global__ void stamp(Ring ring, std::uint64_t boundary) {
  const std::uint64_t now = nowNs();
  ring.times[*ring.replay % depth * ring.boundaries + boundary] = now;
}

/// What all stamps share: the ring, and a node that stamps boundary k.
class Stamps : public Technique {
public:
  using Technique::Technique;

  void launch() override {
    Technique::launch();
    ++launched_;
  }

  std::vector<std::vector<double>> readings(int launches) override {
    const auto readable = std::min<std::uint64_t>(launches, replaysInRing());
    std::vector<std::vector<double>> rows;
    for (std::uint64_t replay = launched_ - readable + 1; replay <= launched_; ++replay)
      rows.push_back(readReplay(replay % replaysInRing()));
    return rows;
  }

protected:
  void makeRoom(int regions) override {
    boundaries_ = static_cast<std::size_t>(regions) + 1;
    times_ = PinnedArray<std::uint64_t>(depth * boundaries_);
    replay_ = DeviceArray<std::uint64_t>(1);
    CHECK(cudaMemset(replay_.get(), 0, sizeof(std::uint64_t)));
  }

  /// How many replays' times are in the ring at once.
  [[nodiscard]] virtual std::uint64_t replaysInRing() const { return depth; }

  [[nodiscard]] Ring ring() const { return {times_.get(), replay_.get(), boundaries_}; }

  cudaGraphNode_t addStamp(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after,
                           std::uint64_t boundary, bool first) const {
    Ring ring = this->ring();
    void *arguments[] = {&ring, &boundary};
    cudaKernelNodeParams parameters{};
    parameters.func =
        first ? reinterpret_cast<void *>(stampFirst) : reinterpret_cast<void *>(stamp);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters));
    return node;
  }

private:
  std::vector<double> readReplay(std::uint64_t row) const {
    std::vector<double> us;
    for (std::size_t i = row * boundaries_; i + 1 < (row + 1) * boundaries_; ++i) {
      // Subtracted as integers: a double has no room for nanoseconds since 1970.
      const std::uint64_t begin = times_[i], end = times_[i + 1];
      us.push_back(1e-3 * static_cast<double>(static_cast<std::int64_t>(end - begin)));
    }
    return us;
  }

  std::size_t boundaries_ = 0;
  std::uint64_t launched_ = 0;
  PinnedArray<std::uint64_t> times_;
  DeviceArray<std::uint64_t> replay_;
};

class InChain : public Stamps {
public:
  InChain() : Stamps("stamps inside the chain") {}

  // Each stamp takes the same time, and the work behind begins when it is over.
  Reference reference() const override { return Reference::LessShareOfRegion; }

protected:
  void beginCapture() override {
    Stamps::beginCapture();
    stampFirst<<<1, 1, 0, stream()>>>(ring());
    CHECK(cudaGetLastError());
  }

  void time(int index, const Work &work) override {
    work();
    stamp<<<1, 1, 0, stream()>>>(ring(), index + 1);
    CHECK(cudaGetLastError());
  }
};

/// Stamp k follows boundary k's work and stamp k - 1.
class SideChain : public Stamps {
public:
  SideChain() : Stamps("side chain") {}

protected:
  explicit SideChain(std::string name) : Stamps(std::move(name)) {}

  void beginCapture() override {
    Stamps::beginCapture();
    addLink(Frontier::of(stream()), 0);
  }

  void time(int index, const Work &work) override {
    work();
    addLink(Frontier::of(stream()), index + 1);
  }

  void addLink(Frontier frontier, int boundary) {
    if (last_)
      frontier.nodes.push_back(last_);
    const bool first = frontier.nodes.empty();
    last_ = addStamp(frontier.graph, frontier.nodes, boundary, first);
  }

private:
  cudaGraphNode_t last_ = nullptr;
};

/// What begins a replay in the ring is a node of its own, which the work and the first stamp wait
/// for: the first stamp is read when the work begins, and whatever is slow at a replay's beginning
/// is over.
class SideChainRooted : public SideChain {
public:
  SideChainRooted() : SideChain("side chain, work waits for its root") {}

protected:
  void beginCapture() override {
    Stamps::beginCapture();
    stampFirst<<<1, 1, 0, stream()>>>(ring());
    CHECK(cudaGetLastError());
    addLink(Frontier::of(stream()), 0); // writes over what the root wrote
  }
};

/// Remembers the boundaries and adds their stamps to the finished graph.
class SideChainAppended : public SideChain {
public:
  SideChainAppended() : SideChain("side chain, appended at the end") {}

protected:
  void beginCapture() override {
    Stamps::beginCapture();
    boundaries_ = {Frontier::of(stream())};
  }

  void time(int, const Work &work) override {
    work();
    boundaries_.push_back(Frontier::of(stream()));
  }

  cudaGraph_t endCapture() override {
    cudaGraph_t graph = Stamps::endCapture();
    for (std::size_t i = 0; i < boundaries_.size(); ++i)
      addLink({graph, boundaries_[i].nodes}, static_cast<int>(i));
    return graph;
  }

private:
  std::vector<Frontier> boundaries_;
};

/// Leaves follow nothing but their boundary's work, so none can count replays for the others: every
/// replay writes the same place.
class Leaves : public Stamps {
public:
  Leaves() : Stamps("stamps as leaves") {}

protected:
  void beginCapture() override {
    Stamps::beginCapture();
    boundaries_ = {Frontier::of(stream())};
  }

  void time(int, const Work &work) override {
    work();
    boundaries_.push_back(Frontier::of(stream()));
  }

  cudaGraph_t endCapture() override {
    cudaGraph_t graph = Stamps::endCapture();
    for (std::size_t i = 0; i < boundaries_.size(); ++i)
      addStamp(graph, boundaries_[i].nodes, i, false);
    return graph;
  }

  std::uint64_t replaysInRing() const override { return 1; }

private:
  std::vector<Frontier> boundaries_;
};

} // namespace

std::unique_ptr<Technique> makeStampsInChain() { return std::make_unique<InChain>(); }
std::unique_ptr<Technique> makeSideChain() { return std::make_unique<SideChain>(); }
std::unique_ptr<Technique> makeSideChainRooted() { return std::make_unique<SideChainRooted>(); }
std::unique_ptr<Technique> makeSideChainAppended() { return std::make_unique<SideChainAppended>(); }
std::unique_ptr<Technique> makeStampsAsLeaves() { return std::make_unique<Leaves>(); }

} // namespace benchmark
