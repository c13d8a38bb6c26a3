// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing with timestamp kernels at each possible place in a graph. These are prototypes: they lack
// what the library adds, such as reading while replays run, counting losses, and removing the nodes
// while idle.

#include "technique.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>

#include <cuda.h>

#include "check.h"

namespace benchmark {
namespace {

// The number of replays in the ring.
constexpr std::uint64_t depth = 128;

/// The memory for stamps: a ring of `depth` replays in pinned host memory, with a time for each
/// boundary, and the current replay's number in device memory.
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

/// The stamp of boundary 0, if it also begins a replay: moves to the next row of the ring.
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

/// Ends a replay, so that the next one writes the next row.
__global__ void advance(Ring ring) { *ring.replay += 1; }

/// The common base of all stamps: the ring, and a node that stamps boundary k.
class Stamps : public Technique {
public:
  using Technique::Technique;

  std::vector<std::vector<double>> readings(int launches) override {
    const auto readable = std::min<std::uint64_t>(launches, replaysInRing());
    std::vector<std::vector<double>> rows;
    for (std::uint64_t replay = launched_ - readable + 1; replay <= launched_; ++replay)
      rows.push_back(readReplay(replay % replaysInRing()));
    return rows;
  }

protected:
  void launchExec(cudaGraphExec_t exec, cudaStream_t stream) override {
    Technique::launchExec(exec, stream);
    ++launched_;
  }

  void makeRoom(int regions) override {
    boundaries_ = static_cast<std::size_t>(regions) + 1;
    times_ = PinnedArray<std::uint64_t>(depth * boundaries_);
    replay_ = DeviceArray<std::uint64_t>(1);
    const std::uint64_t replay = startsAt();
    CHECK(cudaMemcpy(replay_.get(), &replay, sizeof replay, cudaMemcpyDefault));
  }

  /// The replay number before the first replay.
  [[nodiscard]] virtual std::uint64_t startsAt() const { return 0; }

  /// The number of replays in the ring.
  [[nodiscard]] virtual std::uint64_t replaysInRing() const { return depth; }

  [[nodiscard]] Ring ring() const { return {times_.get(), replay_.get(), boundaries_}; }

  [[nodiscard]] int lastBoundary() const { return static_cast<int>(boundaries_) - 1; }

  /// Adds one of the kernels above. All except `stamp` ignore the boundary.
  cudaGraphNode_t addKernel(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after,
                            void *kernel, std::uint64_t boundary) const {
    Ring ring = this->ring();
    void *arguments[] = {&ring, &boundary};
    cudaKernelNodeParams parameters{};
    parameters.func = kernel;
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    CHECK(cudaGraphAddKernelNode(&node, graph, after.data(), after.size(), &parameters));
    return node;
  }

  cudaGraphNode_t addStamp(cudaGraph_t graph, const std::vector<cudaGraphNode_t> &after,
                           std::uint64_t boundary) const {
    return addKernel(graph, after, reinterpret_cast<void *>(stamp), boundary);
  }

private:
  std::vector<double> readReplay(std::uint64_t row) const {
    std::vector<double> us;
    for (std::size_t i = row * boundaries_; i + 1 < (row + 1) * boundaries_; ++i) {
      // Subtracts integers, because a double cannot represent nanoseconds since 1970.
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

  // All stamps take the same time, and the next work begins after it.
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

/// Stamp k follows boundary k's work and stamp k - 1. Stamp 0 also begins the replay in the ring.
class SideChain : public Stamps {
public:
  explicit SideChain(std::string name = "side chain") : Stamps(std::move(name)) {}

protected:
  void beginCapture() override {
    Stamps::beginCapture();
    last_ = addKernel(Frontier::of(stream()).graph, {}, reinterpret_cast<void *>(stampFirst), 0);
  }

  void time(int index, const Work &work) override {
    work();
    addLink(Frontier::of(stream()), index + 1);
  }

  void addLink(Frontier frontier, int boundary) {
    if (last_)
      frontier.nodes.push_back(last_);
    last_ = addStamp(frontier.graph, frontier.nodes, boundary);
  }

  cudaGraphNode_t last_ = nullptr; // of the chain
};

/// A separate node begins the replay, and the work and stamp 0 wait for it. So stamp 0 is taken
/// when the work begins, after anything that is slow at a replay's beginning.
class SideChainRooted : public SideChain {
public:
  explicit SideChainRooted(std::string name = "side chain, work waits for its root")
      : SideChain(std::move(name)) {}

protected:
  void beginCapture() override {
    Stamps::beginCapture();
    stampFirst<<<1, 1, 0, stream()>>>(ring());
    CHECK(cudaGetLastError());
    addLink(Frontier::of(stream()), 0); // overwrites what the root wrote
  }
};

/// The same with several chains. Each begins behind the first stamp.
class SideChains : public SideChainRooted {
public:
  explicit SideChains(int length)
      : SideChainRooted("side chains of " + std::to_string(length) + ", work waits for their root"),
        length_(length) {}

protected:
  void beginCapture() override {
    SideChainRooted::beginCapture();
    first_ = last_;
  }

  void time(int index, const Work &work) override {
    if (index % length_ == 0)
      last_ = first_;
    SideChain::time(index, work);
  }

private:
  int length_;
  cudaGraphNode_t first_ = nullptr;
};

/// Each replay prepares the ring for the next, so that stamp 0 is an ordinary stamp.
class SideChainReady : public SideChain {
public:
  SideChainReady() : SideChain("side chain, left ready by the last") {}

protected:
  std::uint64_t startsAt() const override { return 1; }

  void beginCapture() override {
    Stamps::beginCapture();
    addLink(Frontier::of(stream()), 0);
  }

  void time(int index, const Work &work) override {
    SideChain::time(index, work);
    if (index + 1 == lastBoundary())
      addKernel(Frontier::of(stream()).graph, {last_}, reinterpret_cast<void *>(advance), 0);
  }
};

/// Remembers the boundaries, and adds their stamps to the finished graph.
class SideChainAppended : public SideChain {
public:
  SideChainAppended() : SideChain("side chain, appended at the end") {}

protected:
  void time(int, const Work &work) override {
    work();
    boundaries_.push_back(Frontier::of(stream()));
  }

  void beginCapture() override { Stamps::beginCapture(); }

  cudaGraph_t endCapture() override {
    cudaGraph_t graph = Stamps::endCapture();
    last_ = addKernel(graph, {}, reinterpret_cast<void *>(stampFirst), 0);
    for (std::size_t i = 0; i < boundaries_.size(); ++i)
      addLink({graph, boundaries_[i].nodes}, static_cast<int>(i) + 1);
    return graph;
  }

private:
  std::vector<Frontier> boundaries_; // from boundary 1 on
};

/// Finds driver functions through the runtime. The driver also knows the parameters of a library's
/// kernels.
template <class Function> Function driverFunction(const char *name) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  CHECK(cudaGetDriverEntryPointByVersion(name, &found, CUDA_VERSION, cudaEnableDefault, &status));
  return reinterpret_cast<Function>(found);
}

/// Remembers the boundaries, and rebuilds the finished graph node by node in creation order, with
/// each stamp right after the last node that it follows.
class SideChainRebuilt : public SideChainRooted {
public:
  SideChainRebuilt() : SideChainRooted("side chain, graph built anew") {}

protected:
  void beginCapture() override { Technique::beginCapture(); }

  void time(int, const Work &work) override {
    work();
    boundaries_.push_back(Frontier::of(stream()));
  }

  cudaGraph_t endCapture() override {
    cudaGraph_t captured = Technique::endCapture();
    std::size_t count = 0, edges = 0;
    CHECK(cudaGraphGetNodes(captured, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    CHECK(cudaGraphGetNodes(captured, nodes.data(), &count));
    CHECK(cudaGraphGetEdges(captured, nullptr, nullptr, nullptr, &edges));
    std::vector<cudaGraphNode_t> from(edges), to(edges);
    std::vector<cudaGraphEdgeData> data(edges);
    CHECK(cudaGraphGetEdges(captured, from.data(), to.data(), data.data(), &edges));
    std::unordered_map<cudaGraphNode_t, std::vector<std::size_t>> into;
    for (std::size_t i = 0; i < edges; ++i)
      into[to[i]].push_back(i);

    cudaGraph_t graph = nullptr;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t root = addKernel(graph, {}, reinterpret_cast<void *>(stampFirst), 0);
    addLink({graph, {root}}, 0);
    std::unordered_map<cudaGraphNode_t, cudaGraphNode_t> twins;
    std::size_t boundary = 0;
    for (cudaGraphNode_t node : nodes) {
      cudaGraphNode_t &twin = twins[node] = copyOf(node, graph);
      for (std::size_t edge : into[node])
        CHECK(cudaGraphAddDependencies(graph, &twins.at(from[edge]), &twin, &data[edge], 1));
      if (into[node].empty())
        CHECK(cudaGraphAddDependencies(graph, &root, &twin, nullptr, 1));
      for (; boundary < boundaries_.size() && allIn(twins, boundaries_[boundary].nodes);
           ++boundary) {
        Frontier frontier{graph, {}};
        for (cudaGraphNode_t behind : boundaries_[boundary].nodes)
          frontier.nodes.push_back(twins.at(behind));
        addLink(frontier, static_cast<int>(boundary) + 1);
      }
    }
    return graph; // the captured graph is not destroyed, and its nodes are not used any more
  }

private:
  using Twins = std::unordered_map<cudaGraphNode_t, cudaGraphNode_t>;
  static bool allIn(const Twins &twins, const std::vector<cudaGraphNode_t> &nodes) {
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](cudaGraphNode_t node) { return twins.count(node) != 0; });
  }

  static void check(CUresult result) {
    if (result != CUDA_SUCCESS)
      throw std::runtime_error("a node could not be copied: CUDA error " + std::to_string(result));
  }

  static cudaGraphNode_t copyOf(cudaGraphNode_t node, cudaGraph_t graph) {
    cudaGraphNodeType type{};
    CHECK(cudaGraphNodeGetType(node, &type));
    cudaGraphNode_t copy = nullptr;
    if (type == cudaGraphNodeTypeMemset) {
      cudaMemsetParams params{};
      CHECK(cudaGraphMemsetNodeGetParams(node, &params));
      CHECK(cudaGraphAddMemsetNode(&copy, graph, nullptr, 0, &params));
      return copy;
    }
    static const auto get =
        driverFunction<decltype(&cuGraphKernelNodeGetParams)>("cuGraphKernelNodeGetParams");
    static const auto add = driverFunction<decltype(&cuGraphAddKernelNode)>("cuGraphAddKernelNode");
    static const auto copyAttributes = driverFunction<decltype(&cuGraphKernelNodeCopyAttributes)>(
        "cuGraphKernelNodeCopyAttributes");
    CUDA_KERNEL_NODE_PARAMS params{};
    check(get(node, &params));
    check(add(&copy, graph, nullptr, 0, &params));
    check(copyAttributes(copy, node));
    return copy;
  }

  std::vector<Frontier> boundaries_; // from boundary 1 on
};

/// Leaves only depend on their boundary's work, so none can count replays for the others, and every
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
      addStamp(graph, boundaries_[i].nodes, i);
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
std::unique_ptr<Technique> makeSideChainReady() { return std::make_unique<SideChainReady>(); }
std::unique_ptr<Technique> makeSideChainAppended() { return std::make_unique<SideChainAppended>(); }
std::unique_ptr<Technique> makeSideChainsOf8() { return std::make_unique<SideChains>(8); }
std::unique_ptr<Technique> makeSideChainsOf32() { return std::make_unique<SideChains>(32); }
std::unique_ptr<Technique> makeSideChainRebuilt() { return std::make_unique<SideChainRebuilt>(); }
std::unique_ptr<Technique> makeStampsAsLeaves() { return std::make_unique<Leaves>(); }

} // namespace benchmark
