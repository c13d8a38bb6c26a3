// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The functions for graphs of the backend "cuda": the clocks' timing nodes and buffers
// (clock/Clock.h) behind opaque handles. GRAPHPROF_CLOCK decides between stamps and events here,
// too.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/Cuda.h"
#include "clock/Clock.h"
#include "clock/Clocks.h"
#include "session/Session.h"

namespace graphprof::cudabackend {

using driver::cu;
using driver::ok;

namespace {

// The clock that times graphs on `device`, or null if none works. Always the same one.
GraphClock *clockOf(Device &device) {
  const Config &config = Session::instance().config();
  static Clocks *const clocks = new Clocks({.stamps = config.clock != ClockChoice::Event,
                                            .coarseStamps = config.clock == ClockChoice::Stamp},
                                           config.ringDepth); // leaked, together with their buffers
  return clocks->choose(device);
}

struct Buffer {
  Device &device;
  std::shared_ptr<ReplayBuffer> replays;
  std::size_t boundaries;
  std::vector<driver::Node> nodes; ///< the begin first
  driver::Node end = nullptr;
  driver::Exec exec = nullptr;

  [[nodiscard]] ClockNodes clockNodes() const { return {nodes.front(), nodes, end}; }
};

Buffer *of(graphprof_buffer buffer) { return reinterpret_cast<Buffer *>(buffer); }

// Runs `work` and lets no exception into the program.
template <class Work> graphprof_backend_status contained(Work work) noexcept {
  if (!driver::functions())
    return noDriver();
  try {
    return work();
  } catch (...) {
    return backendFailed("no memory");
  }
}

graphprof_backend_status addNode(driver::Graph graph, graphprof_backend_role role,
                                 std::span<const driver::Node> behind, driver::Node &made,
                                 bool &holdsUp) {
  Device *const device = Device::current();
  GraphClock *const clock = device ? clockOf(*device) : nullptr;
  if (!clock)
    return backendFailed("no CUDA context is current on this thread, or no clock works there; call "
                         "cudaSetDevice first");
  made = nullptr;
  holdsUp = role == graphprof_backend_begin || clock->holdsUp();
  if (role == graphprof_backend_begin)
    made = clock->addRoot(*device, graph, 1);
  else if (role == graphprof_backend_boundary)
    made = clock->addBoundary(*device, graph, behind, 1);
  else if (!clock->finish(*device, graph, {}, behind, made))
    made = nullptr;
  return made ? graphprof_backend_ok : backendFailed("CUDA refuses the timing node");
}

graphprof_backend_status add(graphprof_graph graph, graphprof_backend_role role,
                             const graphprof_node *behind, std::size_t count,
                             graphprof_node *node) noexcept {
  return contained([&] {
    std::vector<driver::Node> nodes(count);
    for (std::size_t i = 0; i < count; ++i)
      nodes[i] = reinterpret_cast<driver::Node>(behind[i]);
    driver::Node made = nullptr;
    bool holdsUp = false;
    const auto status = addNode(reinterpret_cast<driver::Graph>(graph), role, nodes, made, holdsUp);
    *node = reinterpret_cast<graphprof_node>(made);
    return status;
  });
}

// The nodes without a successor. Stamps are among them, although the stream does not wait for
// stamps.
bool sinksOf(driver::Graph graph, std::vector<driver::Node> &sinks) {
  std::size_t count = 0;
  if (!ok(cu().graphGetNodes(graph, nullptr, &count)))
    return false;
  std::vector<driver::Node> nodes(count);
  if (count > 0 && !ok(cu().graphGetNodes(graph, nodes.data(), &count)))
    return false;
  for (const driver::Node node : nodes) {
    std::size_t dependents = 0;
    if (!ok(cu().graphNodeGetDependentNodes(node, nullptr, nullptr, &dependents)))
      return false;
    if (dependents == 0)
      sinks.push_back(node);
  }
  return true;
}

graphprof_backend_status addToCapture(graphprof_stream handle, graphprof_backend_role role,
                                      graphprof_node *node) noexcept {
  return contained([&] {
    const driver::Stream stream = streamOf(handle);
    const driver::ContextOf current(stream);
    driver::CaptureStatus status{};
    std::uint64_t captureId = 0;
    driver::Graph graph = nullptr;
    const driver::Node *nodes = nullptr;
    const driver::EdgeData *edges = nullptr;
    std::size_t count = 0;
    if (!ok(cu().streamGetCaptureInfo(stream, &status, &captureId, &graph, &nodes, &edges,
                                      &count)) ||
        status != driver::CaptureStatus::Active)
      return backendInvalid("the stream is not being captured");
    std::vector<driver::Node> behind(nodes, nodes + count);
    if (role == graphprof_backend_begin && count > 0)
      return backendInvalid("the stream has captured something already: the begin comes first");
    if (role == graphprof_backend_end) {
      behind.clear();
      if (!sinksOf(graph, behind))
        return backendFailed("CUDA does not say what the graph holds");
    }
    driver::Node made = nullptr;
    bool holdsUp = false;
    const auto added = addNode(graph, role, behind, made, holdsUp);
    *node = reinterpret_cast<graphprof_node>(made);
    const driver::EdgeData whole{};
    if (added == graphprof_backend_ok && holdsUp &&
        !ok(cu().streamUpdateCaptureDependencies(stream, &made, &whole, 1,
                                                 driver::setDependencies)))
      return backendFailed("CUDA refuses to let the stream wait for the timing node");
    return added;
  });
}

graphprof_backend_status makeBuffer(std::size_t boundaries, graphprof_buffer *buffer) noexcept {
  return contained([&] {
    Device *const device = Device::current();
    GraphClock *const clock = device ? clockOf(*device) : nullptr;
    if (!clock)
      return backendFailed("no CUDA context is current on this thread, or no clock works there; "
                           "call cudaSetDevice first");
    if (boundaries == 0)
      return backendInvalid("a buffer has one boundary at least, the begin");
    auto made = std::make_unique<Buffer>(Buffer{*device, nullptr, boundaries, {}});
    made->replays = clock->makeBuffer({.boundaries = boundaries});
    if (!made->replays)
      return backendFailed("no memory for a buffer");
    *buffer = reinterpret_cast<graphprof_buffer>(made.release());
    return graphprof_backend_ok;
  });
}

graphprof_backend_status bind(graphprof_buffer buffer, const graphprof_node *nodes,
                              std::size_t count, graphprof_node end) noexcept {
  return contained([&] {
    Buffer &mine = *of(buffer);
    if (count != mine.boundaries)
      return backendInvalid("the buffer was made for another number of boundaries");
    mine.nodes.clear();
    for (std::size_t i = 0; i < count; ++i)
      mine.nodes.push_back(reinterpret_cast<driver::Node>(nodes[i]));
    mine.end = reinterpret_cast<driver::Node>(end);
    return mine.replays->bind(mine.clockNodes())
               ? graphprof_backend_ok
               : backendFailed("CUDA refuses to change the timing nodes");
  });
}

graphprof_backend_status attach(graphprof_buffer buffer, graphprof_exec exec) noexcept {
  return contained([&] {
    Buffer &mine = *of(buffer);
    if (mine.nodes.empty())
      return backendInvalid("nothing is bound to the buffer; call bind first");
    mine.exec = reinterpret_cast<driver::Exec>(exec);
    mine.replays->attach(mine.clockNodes());
    return graphprof_backend_ok;
  });
}

graphprof_backend_status arm(graphprof_buffer buffer, int timed) noexcept {
  Buffer &mine = *of(buffer);
  if (!mine.exec)
    return backendInvalid("no exec is attached to the buffer; call attach first");
  return mine.replays->arm(mine.exec, timed != 0)
             ? graphprof_backend_ok
             : backendFailed("this launch cannot be timed: CUDA refuses an event");
}

graphprof_backend_status launched(graphprof_buffer buffer, std::uint64_t *sequence) noexcept {
  const std::uint64_t number = of(buffer)->replays->launched();
  if (sequence)
    *sequence = number;
  return graphprof_backend_ok;
}

graphprof_backend_status read(graphprof_buffer buffer, std::uint64_t sequence, std::int64_t *times,
                              std::size_t count) noexcept {
  static_assert(ReplayBuffer::unreached == GRAPHPROF_BACKEND_UNREACHED);
  return contained([&] {
    Buffer &mine = *of(buffer);
    if (count != mine.boundaries)
      return backendInvalid("the buffer was made for another number of boundaries");
    if (sequence >= mine.replays->nextSequence())
      return backendInvalid("there was no such launch");
    switch (mine.replays->read(sequence, {times, count}, {})) {
    case ReplayBuffer::State::Pending:
      return graphprof_backend_not_ready;
    case ReplayBuffer::State::Ready:
      return graphprof_backend_ok;
    case ReplayBuffer::State::Lost:
      break;
    }
    return graphprof_backend_lost;
  });
}

std::uint64_t depth(graphprof_buffer buffer) noexcept { return of(buffer)->replays->depth(); }

graphprof_backend_status freeBuffer(graphprof_buffer buffer) noexcept {
  return contained([&] {
    Buffer &mine = *of(buffer);
    if (mine.exec && !mine.replays->finished())
      return graphprof_backend_not_ready;
    mine.replays->retire();
    delete &mine;
    return graphprof_backend_ok;
  });
}

} // namespace

void addGraphs(graphprof_backend &backend) noexcept {
  backend.add = add;
  backend.add_to_capture = addToCapture;
  backend.make_buffer = makeBuffer;
  backend.bind = bind;
  backend.attach = attach;
  backend.arm = arm;
  backend.launched = launched;
  backend.read = read;
  backend.depth = depth;
  backend.free_buffer = freeBuffer;
}

} // namespace graphprof::cudabackend
