// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/NodeCopy.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "cuda/Driver.h"
#include "graphprof/device/recording.h"

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

// All that the driver knows of a node, its context and what is newer than graphprof included.
// nullopt before CUDA 13.2.
std::optional<driver::NodeParams> told(driver::Node node) {
  driver::NodeParams params{};
  if (cu().graphNodeGetParams && ok(cu().graphNodeGetParams(node, &params)))
    return params;
  return std::nullopt;
}

driver::Node addAsTold(driver::NodeParams params, const Place &place) {
  driver::Node made = nullptr;
  return ok(cu().graphAddNode(&made, place.graph, place.behind.data(), nullptr, place.behind.size(),
                              &params))
             ? made
             : nullptr;
}

// Null before CUDA 13.2, and where the driver takes no such parameters.
driver::Node copyAsTold(driver::Node node, const Place &place) {
  const auto params = told(node);
  return params ? addAsTold(*params, place) : nullptr;
}

// Before CUDA 13.2 the driver does not tell the context of a copy or memset. It is that of the
// memory which is written, or else read. `add` adds the node in a context.
template <class Add> driver::Node addIn(driver::Context owner, Add add) {
  const driver::Context current = driver::currentContext();
  driver::Node made = owner ? add(owner) : nullptr;
  return made || owner == current ? made : add(current);
}

driver::Node addKernel(const driver::KernelNodeParams &params, const Place &place) {
  driver::Node made = nullptr;
  return ok(cu().graphAddKernelNode(&made, place.graph, place.behind.data(), place.behind.size(),
                                    &params))
             ? made
             : nullptr;
}

// Whether `made` has the attributes of `node`, and runs in the same context, as far as the driver
// tells. If not, removes it.
bool isComplete(driver::Node made, driver::Node node, driver::Context context,
                const driver::KernelNodeParams *late) {
  driver::KernelNodeParams now{};
  if (ok(cu().graphKernelNodeCopyAttributes(made, node)) &&
      (!late || ok(cu().graphKernelNodeSetParams(made, late))) &&
      ok(cu().graphKernelNodeGetParams(made, &now)) &&
      (now.context == context || !now.context || !context))
    return true;
  cu().graphDestroyNode(made);
  return false;
}

// A node with `params` and the attributes of `node`.
driver::Node copyWith(driver::KernelNodeParams params, driver::Node node, const Place &place) {
  const driver::Context context = params.context;
  if (driver::Node made = addKernel(params, place);
      made && isComplete(made, node, context, nullptr))
    return made;
  // A function runs in its own context, not in a green one. A kernel runs in the one that is given.
  if (params.kernel && params.function && context) {
    params.function = nullptr;
    if (driver::Node made = addKernel(params, place);
        made && isComplete(made, node, context, nullptr))
      return made;
  }
  // Attributes may allow what a node without them may not have, such as more shared memory.
  driver::KernelNodeParams least = params;
  least.sharedBytes = 0;
  driver::Node made = addKernel(least, place);
  return made && isComplete(made, node, context, &params) ? made : nullptr;
}

driver::Node copyOfKernel(driver::Node node, const Place &place) {
  driver::KernelNodeParams params{};
  return ok(cu().graphKernelNodeGetParams(node, &params)) ? copyWith(params, node, place) : nullptr;
}

driver::Node copyOfCopy(driver::Node node, const Place &place) {
  const auto all = told(node);
  if (driver::Node made = all ? addAsTold(*all, place) : nullptr)
    return made;
  driver::CopyNodeParams params{};
  if (!ok(cu().graphMemcpyNodeGetParams(node, &params)))
    return nullptr;
  const auto add = [&](driver::Context context) {
    driver::Node made = nullptr;
    return ok(cu().graphAddMemcpyNode(&made, place.graph, place.behind.data(), place.behind.size(),
                                      &params, context))
               ? made
               : nullptr;
  };
  if (all)
    return add(all->copy.context);
  const driver::Context target = ownerOf(params.target);
  return addIn(target ? target : ownerOf(params.source), add);
}

driver::Node copyOfMemset(driver::Node node, const Place &place) {
  const auto all = told(node);
  if (driver::Node made = all ? addAsTold(*all, place) : nullptr)
    return made;
  driver::MemsetNodeParams params{};
  if (!ok(cu().graphMemsetNodeGetParams(node, &params)))
    return nullptr;
  const auto add = [&](driver::Context context) {
    driver::Node made = nullptr;
    return ok(cu().graphAddMemsetNode(&made, place.graph, place.behind.data(), place.behind.size(),
                                      &params, context))
               ? made
               : nullptr;
  };
  return all ? add(all->memset.context) : addIn(ownerOf(params.target), add);
}

// How a host function's thread waits for it (CUDA 13.2) is not among the older parameters.
driver::Node copyOfHost(driver::Node node, const Place &place) {
  if (const auto all = told(node))
    return addAsTold(*all, place);
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
  if (driver::Node made = copyAsTold(node, place))
    return made;
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

// Whether this is a green context: a part of a device's multiprocessors, with the memory of the
// device's primary context.
bool isGreen(driver::Context context) {
  const driver::CurrentContext current(context);
  driver::GreenContext green = nullptr;
  return current.valid() && ok(cu().streamGetGreenCtx(nullptr, &green)) && green;
}

} // namespace

bool tellsContexts(const Shape &shape) {
  if (!cu().streamGetGreenCtx) // CUDA 12.4
    return true;
  const Nodes &nodes = shape.created();
  bool tellsAll = true;
  for (std::size_t place = 0; place < nodes.size() && tellsAll; ++place) {
    const auto type = shape.typeOf(place);
    if (type == driver::NodeType::Memcpy || type == driver::NodeType::Memset)
      tellsAll = told(nodes[place]).has_value();
  }
  if (tellsAll)
    return true;
  std::set<driver::Context> contexts{driver::currentContext()};
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    driver::KernelNodeParams params{};
    if (shape.typeOf(place) == driver::NodeType::Kernel &&
        ok(cu().graphKernelNodeGetParams(nodes[place], &params)))
      contexts.insert(params.context);
  }
  contexts.erase(nullptr);
  return std::ranges::none_of(contexts, isGreen);
}

driver::Node copyAsTwin(driver::Node node, driver::Function twin, unsigned parameters,
                        driver::Graph graph, std::span<const driver::Node> dependencies) {
  driver::KernelNodeParams params{};
  if (!ok(cu().graphKernelNodeGetParams(node, &params)) || (parameters > 0 && !params.parameters))
    return nullptr;
  device::Recording nothing{};
  std::vector<void *> all = {&nothing};
  all.insert(all.end(), params.parameters, params.parameters + parameters);
  params.function = twin;
  params.kernel = nullptr;
  params.parameters = all.data();
  return copyWith(params, node, {graph, dependencies});
}

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
