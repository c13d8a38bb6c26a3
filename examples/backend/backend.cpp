// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof's backend "tick": docs/backends.md goes through it part by part.

#include <graphprof/backend.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <vector>

#include "tick.h"

namespace {

// --- Handles and failures

tick::Stream *of(graphprof_stream stream) { return reinterpret_cast<tick::Stream *>(stream); }
tick::Event *of(graphprof_event event) { return reinterpret_cast<tick::Event *>(event); }
tick::Graph *of(graphprof_graph graph) { return reinterpret_cast<tick::Graph *>(graph); }
tick::Node *of(graphprof_node node) { return reinterpret_cast<tick::Node *>(node); }

thread_local const char *reason = "nothing failed";

graphprof_backend_status invalid(const char *why) noexcept {
  reason = why;
  return graphprof_backend_invalid;
}
graphprof_backend_status failed(const char *why) noexcept {
  reason = why;
  return graphprof_backend_failed;
}
const char *why() noexcept { return reason; }

// A backend must not throw.
template <class Work> graphprof_backend_status contained(Work work) noexcept {
  try {
    return work();
  } catch (...) {
    return failed("no memory");
  }
}

// --- What a profiler asks

int enabled() noexcept { return 1; }

graphprof_backend_status record(graphprof_stream stream, int *device, graphprof_event *event,
                                std::int64_t *cpuNs) noexcept {
  if (!stream)
    return invalid("tick has no default stream");
  return contained([&] {
    tick::Event *const made = tick::createEvent();
    if (device)
      *device = 0;
    if (cpuNs)
      *cpuNs = tick::nowNs();
    tick::record(of(stream), made);
    *event = reinterpret_cast<graphprof_event>(made);
    return graphprof_backend_ok;
  });
}

void release(graphprof_event event) noexcept { tick::destroyEvent(of(event)); }

graphprof_backend_status elapsed(graphprof_event begin, graphprof_event end, float *us) noexcept {
  if (!begin || !end)
    return invalid("an event is null");
  tick::wait(of(begin));
  tick::wait(of(end));
  const std::int64_t ns = tick::timeNs(of(end)) - tick::timeNs(of(begin));
  *us = static_cast<float>(static_cast<double>(ns) * 1e-3);
  return graphprof_backend_ok;
}

graphprof_backend_status onEachDevice(void (*work)(int, void *), void *argument) noexcept {
  work(0, argument); // there is one device, which is always current
  return graphprof_backend_ok;
}

graphprof_backend_status synchronize() noexcept {
  tick::synchronize();
  return graphprof_backend_ok;
}

graphprof_backend_status happened(graphprof_event event) noexcept {
  if (!event)
    return invalid("the event is null");
  return tick::happened(of(event)) ? graphprof_backend_ok : graphprof_backend_not_ready;
}

graphprof_backend_status when(graphprof_event event, std::int64_t *ns) noexcept {
  const graphprof_backend_status status = happened(event);
  if (status == graphprof_backend_ok)
    *ns = tick::timeNs(of(event));
  return status;
}

// --- Graphs

// A ring of replays. The device's thread writes the entry of the current replay. A reader takes an
// entry after its replay's end has published it, and before a later replay begins it.
struct Buffer {
  static constexpr std::uint64_t depth = 8;
  struct Entry {
    std::uint64_t sequence = 0;
    bool ended = false;
    std::vector<std::int64_t> times;
  };

  explicit Buffer(std::size_t boundaries) : entries(depth) {
    for (Entry &entry : entries)
      entry.times.assign(boundaries, GRAPHPROF_BACKEND_UNREACHED);
  }
  Entry &entryOf(std::uint64_t sequence) { return entries[sequence % depth]; }

  // Called on the device's thread.
  void begin() {
    const std::lock_guard lock(mutex);
    Entry &entry = entryOf(++running);
    entry.sequence = running;
    entry.ended = false;
    entry.times.assign(entry.times.size(), GRAPHPROF_BACKEND_UNREACHED);
    entry.times[0] = tick::nowNs();
  }
  void stamp(std::size_t boundary) {
    const std::lock_guard lock(mutex);
    entryOf(running).times[boundary] = tick::nowNs();
  }
  void end() {
    const std::lock_guard lock(mutex);
    entryOf(running).ended = true;
    ended = running;
  }

  std::mutex mutex;
  std::vector<Entry> entries;
  std::uint64_t launched = 0, running = 0, ended = 0; // the latest sequence number of each
};

Buffer *of(graphprof_buffer buffer) { return reinterpret_cast<Buffer *>(buffer); }

// The buffer that a timing node writes to is not known yet. bind() sets it.
graphprof_backend_status add(graphprof_graph graph, graphprof_backend_role,
                             const graphprof_node *behind, std::size_t count,
                             graphprof_node *node) noexcept {
  return contained([&] {
    std::vector<tick::Node *> nodes;
    for (std::size_t i = 0; i < count; ++i)
      nodes.push_back(of(behind[i]));
    *node = reinterpret_cast<graphprof_node>(tick::addCall(of(graph), nodes, [] {}));
    return graphprof_backend_ok;
  });
}

graphprof_backend_status makeBuffer(std::size_t boundaries, graphprof_buffer *buffer) noexcept {
  if (boundaries == 0)
    return invalid("a buffer has one boundary at least, the begin");
  return contained([&] {
    *buffer = reinterpret_cast<graphprof_buffer>(new Buffer(boundaries));
    return graphprof_backend_ok;
  });
}

graphprof_backend_status bind(graphprof_buffer buffer, const graphprof_node *nodes,
                              std::size_t count, graphprof_node end) noexcept {
  Buffer *const mine = of(buffer);
  if (count != mine->entries[0].times.size())
    return invalid("the buffer was made for another number of boundaries");
  return contained([&] {
    tick::setCall(of(nodes[0]), [mine] { mine->begin(); });
    for (std::size_t i = 1; i < count; ++i)
      tick::setCall(of(nodes[i]), [mine, i] { mine->stamp(i); });
    tick::setCall(of(end), [mine] { mine->end(); });
    return graphprof_backend_ok;
  });
}

// The exec already has the calls, so a launch needs nothing.
graphprof_backend_status attach(graphprof_buffer, graphprof_exec) noexcept {
  return graphprof_backend_ok;
}
graphprof_backend_status arm(graphprof_buffer, int) noexcept { return graphprof_backend_ok; }

graphprof_backend_status launched(graphprof_buffer buffer, std::uint64_t *sequence) noexcept {
  const std::lock_guard lock(of(buffer)->mutex);
  ++of(buffer)->launched;
  if (sequence)
    *sequence = of(buffer)->launched;
  return graphprof_backend_ok;
}

graphprof_backend_status read(graphprof_buffer buffer, std::uint64_t sequence, std::int64_t *times,
                              std::size_t count) noexcept {
  Buffer &mine = *of(buffer);
  const std::lock_guard lock(mine.mutex);
  const Buffer::Entry &entry = mine.entryOf(sequence);
  if (count != entry.times.size())
    return invalid("the buffer was made for another number of boundaries");
  if (sequence == 0 || sequence > mine.launched)
    return invalid("there was no such launch");
  if (entry.sequence > sequence)
    return graphprof_backend_lost;
  if (entry.sequence < sequence || !entry.ended)
    return graphprof_backend_not_ready;
  for (std::size_t i = 0; i < count; ++i)
    times[i] = entry.times[i];
  return graphprof_backend_ok;
}

std::uint64_t depth(graphprof_buffer) noexcept { return Buffer::depth; }

graphprof_backend_status freeBuffer(graphprof_buffer buffer) noexcept {
  {
    const std::lock_guard lock(of(buffer)->mutex);
    if (of(buffer)->ended < of(buffer)->launched)
      return graphprof_backend_not_ready;
  }
  delete of(buffer);
  return graphprof_backend_ok;
}

// --- The backend

const graphprof_backend tickBackend = [] {
  graphprof_backend backend{};
  backend.size = sizeof(graphprof_backend);
  backend.version = GRAPHPROF_BACKEND_VERSION;
  backend.can = graphprof_backend_can_place | graphprof_backend_can_graph;
  backend.name = "tick";
  backend.enabled = enabled;
  backend.record = record;
  backend.release = release;
  backend.elapsed = elapsed;
  backend.on_each_device = onEachDevice;
  backend.synchronize = synchronize;
  backend.happened = happened;
  backend.when = when;
  backend.why = why;
  backend.add = add;
  backend.make_buffer = makeBuffer;
  backend.bind = bind;
  backend.attach = attach;
  backend.arm = arm;
  backend.launched = launched;
  backend.read = read;
  backend.depth = depth;
  backend.free_buffer = freeBuffer;
  return backend;
}();

GRAPHPROF_REGISTER_BACKEND(tickBackend);

} // namespace
