// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The steps that all techniques share, and the technique that times nothing.

#include "technique.h"

#include "check.h"

namespace benchmark {

static std::size_t nodesIn(cudaGraph_t graph) {
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  return nodes;
}

Technique::~Technique() {
  if (exec_)
    cudaGraphExecDestroy(exec_);
  if (graph_)
    cudaGraphDestroy(graph_);
}

void Technique::prepare(const Workload &workload, cudaStream_t stream) {
  stream_ = stream;
  makeRoom(workload.regions());
  beginCapture();
  workload.issue(stream, *this);
  graph_ = endCapture();
  nodes_ = nodesIn(graph_);
  exec_ = instantiate(graph_);
}

void Technique::makeRoom(int) {}

void Technique::beginCapture() {
  CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
}

void Technique::region(int index, const Work &work) {
  time(index, [&] {
    const std::size_t before = nodesIn(Frontier::of(stream_).graph);
    work();
    workNodes_.push_back(nodesIn(Frontier::of(stream_).graph) - before);
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

void Technique::launch() { CHECK(cudaGraphLaunch(exec_, stream_)); }

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
