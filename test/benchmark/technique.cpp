// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The steps that all techniques share, and the technique that times nothing.

#include "technique.h"

#include <algorithm>

#include "check.h"

namespace benchmark {

static std::size_t nodesIn(cudaGraph_t graph) {
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  return nodes;
}

// Those that work on the device; event nodes do not.
static std::size_t workNodesIn(cudaGraph_t graph) {
  std::vector<cudaGraphNode_t> nodes(nodesIn(graph));
  std::size_t count = nodes.size();
  CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  return static_cast<std::size_t>(std::ranges::count_if(nodes, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    CHECK(cudaGraphNodeGetType(node, &type));
    return type != cudaGraphNodeTypeWaitEvent && type != cudaGraphNodeTypeEventRecord;
  }));
}

Technique::~Technique() {
  for (const cudaGraphExec_t exec : execs_)
    cudaGraphExecDestroy(exec);
  if (graph_)
    cudaGraphDestroy(graph_);
  if (secondStream_)
    cudaStreamDestroy(secondStream_);
  if (fork_)
    cudaEventDestroy(fork_);
  if (join_)
    cudaEventDestroy(join_);
}

void Technique::prepare(const Workload &workload, cudaStream_t stream) {
  stream_ = stream;
  makeRoom(workload.regions());
  beginCapture();
  workload.issue(stream, *this);
  graph_ = endCapture();
  nodes_ = nodesIn(graph_);
  execs_.push_back(instantiate(graph_));
  if (!workload.runsTwiceAtOnce())
    return;
  execs_.push_back(instantiate(graph_));
  CHECK(cudaStreamCreateWithFlags(&secondStream_, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming));
}

void Technique::makeRoom(int) {}

void Technique::beginCapture() {
  CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
}

void Technique::region(int index, const Work &work) {
  time(index, [&] {
    const std::size_t before = workNodesIn(Frontier::of(stream_).graph);
    work();
    workNodes_.push_back(workNodesIn(Frontier::of(stream_).graph) - before);
  });
}

void Technique::time(int, const Work &work) { work(); }

cudaGraph_t Technique::endCapture() {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream_, &graph));
  return graph;
}

cudaGraphExec_t Technique::instantiate(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

void Technique::launchExec(cudaGraphExec_t exec, cudaStream_t stream) {
  CHECK(cudaGraphLaunch(exec, stream));
}

void Technique::launch() {
  const bool isTwice = execs_.size() > 1;
  if (isTwice) {
    CHECK(cudaEventRecord(fork_, stream_));
    CHECK(cudaStreamWaitEvent(secondStream_, fork_, 0));
    launchExec(execs_[1], secondStream_);
    CHECK(cudaEventRecord(join_, secondStream_));
  }
  launchExec(execs_[0], stream_);
  if (isTwice)
    CHECK(cudaStreamWaitEvent(stream_, join_, 0));
}

std::vector<std::vector<double>> Technique::readings(int) { return {}; }

std::vector<std::vector<double>> Technique::readingsOfBegins() { return {}; }

namespace {

class UntimedAmong : public Technique {
public:
  explicit UntimedAmong(std::vector<std::unique_ptr<Technique>> company)
      : Technique("untimed, among " + std::to_string(company.size()) + " x " +
                  company.front()->name()),
        company_(std::move(company)) {}

  void prepare(const Workload &workload, cudaStream_t stream) override {
    for (const std::unique_ptr<Technique> &technique : company_) {
      technique->prepare(workload, stream);
      technique->switchOn();
      technique->launch();
      CHECK(cudaStreamSynchronize(stream));
      technique->switchOff();
    }
    Technique::prepare(workload, stream);
  }

private:
  std::vector<std::unique_ptr<Technique>> company_;
};

} // namespace

std::unique_ptr<Technique> makeUntimedAmong(int count, std::unique_ptr<Technique> (*make)()) {
  std::vector<std::unique_ptr<Technique>> company;
  for (int i = 0; i < count; ++i)
    company.push_back(make());
  return std::make_unique<UntimedAmong>(std::move(company));
}

Frontier Frontier::of(cudaStream_t capturing) {
  Frontier frontier;
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t *nodes = nullptr;
  std::size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(capturing, &status, nullptr, &frontier.graph, &nodes, nullptr,
                                 &count));
  frontier.nodes.assign(nodes, nodes + count);
  return frontier;
}

} // namespace benchmark
