// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program on tick, with regions around the work of a stream, which graphprof times with the
// backend that GRAPHPROF_BACKEND names. Also a graph, whose boundaries the program sets and reads
// itself with the contract's functions.

#include <graphprof/backend.h>
#include <graphprof/graphprof.h>

#include <array>
#include <cstdint>
#include <cstdio>

#include "tick.h"

namespace {

// A device's stream, for graphprof's regions.
graphprof::StreamRef on(tick::Stream *stream) {
  return graphprof::StreamRef(reinterpret_cast<CUstream_st *>(stream));
}

bool replayTimedGraph(const graphprof_backend &backend, tick::Stream *stream) {
  tick::Graph *const graph = tick::createGraph();
  const auto add = [&](graphprof_backend_role role, graphprof_node behind) {
    graphprof_node node = nullptr;
    backend.add(reinterpret_cast<graphprof_graph>(graph), role, &behind, behind ? 1 : 0, &node);
    return node;
  };
  const auto work = [&](graphprof_node behind, int microseconds) {
    return reinterpret_cast<graphprof_node>(
        tick::addWork(graph, {reinterpret_cast<tick::Node *>(behind)}, microseconds));
  };
  const graphprof_node begin = add(graphprof_backend_begin, nullptr);
  const graphprof_node first = add(graphprof_backend_boundary, work(begin, 20));
  const graphprof_node second = add(graphprof_backend_boundary, work(first, 200));
  const graphprof_node end = add(graphprof_backend_end, second);

  const std::array<graphprof_node, 3> nodes = {begin, first, second};
  graphprof_buffer buffer = nullptr;
  if (backend.make_buffer(nodes.size(), &buffer) != graphprof_backend_ok ||
      backend.bind(buffer, nodes.data(), nodes.size(), end) != graphprof_backend_ok)
    return false;
  tick::Exec *const exec = tick::instantiate(graph);
  backend.attach(buffer, reinterpret_cast<graphprof_exec>(exec));

  std::array<std::uint64_t, 2> sequences{};
  for (std::uint64_t &sequence : sequences) {
    backend.arm(buffer, 1);
    tick::launch(exec, stream);
    backend.launched(buffer, &sequence);
  }
  backend.synchronize();
  bool right = true;
  for (const std::uint64_t sequence : sequences) {
    std::array<std::int64_t, 3> times{};
    right = right &&
            backend.read(buffer, sequence, times.data(), times.size()) == graphprof_backend_ok &&
            times[1] - times[0] < times[2] - times[1];
    std::printf("replay %llu: the second part took longer: %s\n",
                static_cast<unsigned long long>(sequence), right ? "yes" : "no");
  }
  tick::destroyExec(exec);
  tick::destroyGraph(graph);
  return backend.free_buffer(buffer) == graphprof_backend_ok && right;
}

} // namespace

int main() {
  const graphprof_backend &backend = *graphprof_backend_chosen();
  std::printf("backend: %s\n", backend.name);

  tick::Stream *const stream = tick::createStream();
  for (int layer = 0; layer < 3; ++layer) {
    GRAPHPROF_SCOPE(1, "layer {}", on(stream), layer);
    tick::work(stream, 50);
    {
      GRAPHPROF_SCOPE(2, "[Layer {}] relu", on(stream), layer);
      tick::work(stream, 20);
    }
  }
  const bool right =
      (backend.can & graphprof_backend_can_graph) == 0 || replayTimedGraph(backend, stream);
  tick::destroyStream(stream);
  return right ? 0 : 1;
}
