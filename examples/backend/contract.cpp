// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs the contract's tests on tick's backend.

#include <graphprof/testing/backend_contract.h>

#include <memory>
#include <vector>

#include "tick.h"

namespace {

class TickDevice final : public graphprof::testing::BackendDevice {
public:
  ~TickDevice() override { tick::destroyStream(stream_); }
  const graphprof_backend &backend() override { return *graphprof_backend_find("tick"); }
  graphprof_stream stream() override { return reinterpret_cast<graphprof_stream>(stream_); }
  void work(int tens) override { tick::work(stream_, 10 * tens); }
  graphprof_graph makeGraph() override {
    return reinterpret_cast<graphprof_graph>(tick::createGraph());
  }
  graphprof_node addWork(graphprof_graph graph, const Nodes &behind, int tens) override {
    std::vector<tick::Node *> nodes;
    for (const graphprof_node node : behind)
      nodes.push_back(reinterpret_cast<tick::Node *>(node));
    return reinterpret_cast<graphprof_node>(
        tick::addWork(reinterpret_cast<tick::Graph *>(graph), nodes, 10 * tens));
  }
  graphprof_exec instantiate(graphprof_graph graph) override {
    return reinterpret_cast<graphprof_exec>(
        tick::instantiate(reinterpret_cast<tick::Graph *>(graph)));
  }
  bool launch(graphprof_exec exec) override {
    tick::launch(reinterpret_cast<tick::Exec *>(exec), stream_);
    return true;
  }
  void destroyExec(graphprof_exec exec) override {
    tick::destroyExec(reinterpret_cast<tick::Exec *>(exec));
  }
  void destroyGraph(graphprof_graph graph) override {
    tick::destroyGraph(reinterpret_cast<tick::Graph *>(graph));
  }

private:
  tick::Stream *const stream_ = tick::createStream();
};

const graphprof::testing::MakeBackendDevice tickDevice = [] {
  return std::make_unique<TickDevice>();
};

} // namespace

INSTANTIATE_TEST_SUITE_P(Tick, BackendContract, testing::Values(tickDevice));
INSTANTIATE_TEST_SUITE_P(Tick, BackendGraphContract, testing::Values(tickDevice));
