// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/NodeCopy.h"

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Where the copy of a node is added.
struct Place {
  driver::Graph graph;
  std::span<const driver::Node> behind;
};

// The context that owns device memory. Null for other memory, or memory without a context.
driver::Context ownerOf(driver::DevicePointer memory) {
  auto type = driver::MemoryType::Unknown;
  driver::Context context = nullptr;
  const bool known =
      ok(cu().pointerGetAttribute(&type, driver::pointerMemoryType, memory)) &&
      type == driver::MemoryType::Device &&
      ok(cu().pointerGetAttribute(static_cast<void *>(&context), driver::pointerContext, memory));
  return known ? context : nullptr;
}

driver::Context ownerOf(const driver::CopyEnd &end) {
  const bool byAddress =
      end.type == driver::MemoryType::Device || end.type == driver::MemoryType::Unified;
  return byAddress ? ownerOf(end.device) : nullptr;
}

// The driver does not tell the context of a copy or memset. It is that of the memory which is
// written, or else read. `add` adds the node in a context.
template <class Add> driver::Node addIn(driver::Context owner, Add add) {
  const driver::Context current = driver::currentContext();
  driver::Node made = owner ? add(owner) : nullptr;
  return made || owner == current ? made : add(current);
}

driver::Node copyOfKernel(driver::Node node, const Place &place) {
  driver::KernelNodeParams params{};
  driver::Node made = nullptr;
  return ok(cu().graphKernelNodeGetParams(node, &params)) &&
                 ok(cu().graphAddKernelNode(&made, place.graph, place.behind.data(),
                                            place.behind.size(), &params)) &&
                 ok(cu().graphKernelNodeCopyAttributes(made, node))
             ? made
             : nullptr;
}

driver::Node copyOfCopy(driver::Node node, const Place &place) {
  driver::CopyNodeParams params{};
  if (!ok(cu().graphMemcpyNodeGetParams(node, &params)))
    return nullptr;
  const driver::Context target = ownerOf(params.target);
  return addIn(target ? target : ownerOf(params.source), [&](driver::Context context) {
    driver::Node made = nullptr;
    return ok(cu().graphAddMemcpyNode(&made, place.graph, place.behind.data(), place.behind.size(),
                                      &params, context))
               ? made
               : nullptr;
  });
}

driver::Node copyOfMemset(driver::Node node, const Place &place) {
  driver::MemsetNodeParams params{};
  if (!ok(cu().graphMemsetNodeGetParams(node, &params)))
    return nullptr;
  return addIn(ownerOf(params.target), [&](driver::Context context) {
    driver::Node made = nullptr;
    return ok(cu().graphAddMemsetNode(&made, place.graph, place.behind.data(), place.behind.size(),
                                      &params, context))
               ? made
               : nullptr;
  });
}

driver::Node copyOfHost(driver::Node node, const Place &place) {
  driver::HostNodeParams params{};
  driver::Node made = nullptr;
  return ok(cu().graphHostNodeGetParams(node, &params)) &&
                 ok(cu().graphAddHostNode(&made, place.graph, place.behind.data(),
                                          place.behind.size(), &params))
             ? made
             : nullptr;
}

driver::Node copyOfChild(driver::Node node, const Place &place) {
  driver::Graph child = nullptr;
  driver::Node made = nullptr;
  return ok(cu().graphChildGraphNodeGetGraph(node, &child)) &&
                 ok(cu().graphAddChildGraphNode(&made, place.graph, place.behind.data(),
                                                place.behind.size(), child))
             ? made
             : nullptr;
}

// Captured calls of cuStreamWriteValue32(), cuStreamWaitValue32() and similar.
driver::Node copyOfWords(driver::Node node, const Place &place) {
  driver::BatchMemOpNodeParams params{};
  driver::Node made = nullptr;
  return ok(cu().graphBatchMemOpNodeGetParams(node, &params)) &&
                 ok(cu().graphAddBatchMemOpNode(&made, place.graph, place.behind.data(),
                                                place.behind.size(), &params))
             ? made
             : nullptr;
}

// A node that records an event, or waits for one.
template <class Get, class Add>
driver::Node copyOfEvent(driver::Node node, const Place &place, Get get, Add add) {
  driver::Event event = nullptr;
  driver::Node made = nullptr;
  return ok(get(node, &event)) &&
                 ok(add(&made, place.graph, place.behind.data(), place.behind.size(), event))
             ? made
             : nullptr;
}

} // namespace

driver::Node copyOf(driver::Node node, driver::NodeType type, driver::Graph graph,
                    std::span<const driver::Node> dependencies) {
  const Place place{graph, dependencies};
  switch (type) {
  case driver::NodeType::Kernel:
    return copyOfKernel(node, place);
  case driver::NodeType::Memcpy:
    return copyOfCopy(node, place);
  case driver::NodeType::Memset:
    return copyOfMemset(node, place);
  case driver::NodeType::Host:
    return copyOfHost(node, place);
  case driver::NodeType::Graph:
    return copyOfChild(node, place);
  case driver::NodeType::Empty: {
    driver::Node made = nullptr;
    return ok(cu().graphAddEmptyNode(&made, graph, dependencies.data(), dependencies.size()))
               ? made
               : nullptr;
  }
  case driver::NodeType::WaitEvent:
    return copyOfEvent(node, place, cu().graphEventWaitNodeGetEvent, cu().graphAddEventWaitNode);
  case driver::NodeType::EventRecord:
    return copyOfEvent(node, place, cu().graphEventRecordNodeGetEvent,
                       cu().graphAddEventRecordNode);
  case driver::NodeType::BatchMemOp:
    return copyOfWords(node, place);
  case driver::NodeType::MemAlloc:
  case driver::NodeType::MemFree:
  case driver::NodeType::Conditional:
    break;
  }
  return nullptr;
}

} // namespace graphprof
