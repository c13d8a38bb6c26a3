// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "support/SameGraph.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "support/Newer.h"

namespace graphprof::test {
namespace {

using Lines = std::vector<std::string>;
using Nodes = std::vector<CUgraphNode>;

bool ok(CUresult result) { return result == CUDA_SUCCESS; }

struct Edge {
  CUgraphNode from, to;
  CUgraphEdgeData data;
  bool operator<(const Edge &other) const {
    const int order = std::memcmp(&data, &other.data, sizeof data);
    return std::pair(from, to) < std::pair(other.from, other.to) ||
           (std::pair(from, to) == std::pair(other.from, other.to) && order < 0);
  }
};

bool isWhole(const CUgraphEdgeData &data) {
  return data.from_port == 0 && data.to_port == 0 && data.type == 0;
}

Nodes nodesOf(CUgraph graph) {
  std::size_t count = 0;
  if (!ok(cuGraphGetNodes(graph, nullptr, &count)))
    return {};
  Nodes nodes(count);
  if (count > 0 && !ok(cuGraphGetNodes(graph, nodes.data(), &count)))
    return {};
  return nodes;
}

// CUDA 13 gave the name without a version to the function with edge data.
std::vector<Edge> edgesOf(CUgraph graph) {
  using GetEdges =
      CUresult(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *, std::size_t *);
  static GetEdges *const getEdges = newer<GetEdges>("cuGraphGetEdges_v2");
  std::size_t count = 0;
  if (!getEdges || !ok(getEdges(graph, nullptr, nullptr, nullptr, &count)))
    return {};
  Nodes from(count), to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (count > 0 && !ok(getEdges(graph, from.data(), to.data(), data.data(), &count)))
    return {};
  std::vector<Edge> edges;
  edges.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    edges.push_back({from[i], to[i], data[i]});
  return edges;
}

const char *nameOf(CUgraphNodeType type) {
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return "kernel";
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return "copy";
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return "memset";
  case CU_GRAPH_NODE_TYPE_HOST:
    return "host function";
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return "child graph";
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return "empty";
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return "event wait";
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return "event record";
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    return "semaphore signal";
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    return "semaphore wait";
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return "memory operations";
  default:
    return "node of another type";
  }
}

// What two nodes have, as it was read; both or neither could be read.
template <class Params, class Get>
void compareBytes(CUgraphNode node, CUgraphNode twin, Get get, Lines &lines) {
  Params one, other;
  std::memset(&one, 0, sizeof one);
  std::memset(&other, 0, sizeof other);
  const CUresult read = get(node, &one), readOther = get(twin, &other);
  if (read != readOther)
    lines.push_back("the parameters of one of them cannot be read");
  else if (ok(read) && std::memcmp(&one, &other, sizeof one) != 0)
    lines.push_back("parameters differ");
}

struct KernelParams {
  CUDA_KERNEL_NODE_PARAMS_v2 params{};
  CUfunction function = nullptr; // of params.kern, if that is what was given
  std::string name;

  bool read(CUgraphNode node) {
    if (!ok(cuGraphKernelNodeGetParams_v2(node, &params)))
      return false;
    const char *found = nullptr;
    function = params.func;
    if (!function)
      cuKernelGetFunction(&function, params.kern);
    if (params.func ? ok(cuFuncGetName(&found, params.func))
                    : ok(cuKernelGetName(&found, params.kern)))
      name = found;
    return true;
  }
};

// The buffer of arguments that a launch may give instead of an array.
std::string bufferOf(void *const *extra) {
  const char *bytes = nullptr;
  std::size_t size = 0;
  for (; extra && *extra; extra += 2)
    if (*extra == reinterpret_cast<void *>(1)) // CU_LAUNCH_PARAM_BUFFER_POINTER
      bytes = static_cast<const char *>(extra[1]);
    else if (*extra == reinterpret_cast<void *>(2)) // CU_LAUNCH_PARAM_BUFFER_SIZE
      size = *static_cast<const std::size_t *>(extra[1]);
  return bytes ? std::string(bytes, size) : std::string();
}

void compareArguments(const KernelParams &one, const KernelParams &other, Lines &lines) {
  void **const given = one.params.kernelParams, **const copied = other.params.kernelParams;
  if (!given != !copied)
    lines.push_back("one of them has no arguments");
  if (bufferOf(one.params.extra) != bufferOf(other.params.extra))
    lines.push_back("the buffer of arguments differs");
  using GetInfo = CUresult(CUfunction, std::size_t, std::size_t *, std::size_t *);
  static GetInfo *const getInfo = newer<GetInfo>("cuFuncGetParamInfo"); // CUDA 12.4
  if (!given || !copied || !getInfo)
    return;
  std::size_t offset = 0, size = 0;
  for (std::size_t i = 0; ok(getInfo(one.function, i, &offset, &size)); ++i)
    if (std::memcmp(given[i], copied[i], size) != 0)
      lines.push_back("argument " + std::to_string(i) + " differs");
}

// Of all ids that there are, and of some that may come.
void compareAttributes(CUgraphNode node, CUgraphNode twin, Lines &lines) {
  constexpr int most = 31; // that the enum can hold
  for (int id = 1; id <= most; ++id) {
    CUkernelNodeAttrValue one, other;
    std::memset(&one, 0, sizeof one);
    std::memset(&other, 0, sizeof other);
    // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): the driver refuses the others
    const auto attribute = static_cast<CUkernelNodeAttrID>(id);
    const CUresult read = cuGraphKernelNodeGetAttribute(node, attribute, &one);
    const CUresult readOther = cuGraphKernelNodeGetAttribute(twin, attribute, &other);
    if (read != readOther || std::memcmp(&one, &other, sizeof one) != 0)
      lines.push_back("attribute " + std::to_string(id) + " differs");
  }
}

void compareKernels(CUgraphNode node, CUgraphNode twin, Lines &lines) {
  KernelParams one, other;
  if (!one.read(node) || !other.read(twin)) {
    lines.push_back("the parameters cannot be read");
    return;
  }
  const auto &a = one.params, &b = other.params;
  if (one.function != other.function && one.name != other.name)
    lines.push_back("function differs: " + one.name + ", " + other.name);
  if (a.gridDimX != b.gridDimX || a.gridDimY != b.gridDimY || a.gridDimZ != b.gridDimZ)
    lines.push_back("grid differs");
  if (a.blockDimX != b.blockDimX || a.blockDimY != b.blockDimY || a.blockDimZ != b.blockDimZ)
    lines.push_back("block differs");
  if (a.sharedMemBytes != b.sharedMemBytes)
    lines.push_back("shared memory differs");
  if (a.ctx != b.ctx)
    lines.push_back("context differs");
  compareArguments(one, other, lines);
  compareAttributes(node, twin, lines);
}

void compareMemoryOperations(CUgraphNode node, CUgraphNode twin, Lines &lines) {
  CUDA_BATCH_MEM_OP_NODE_PARAMS one{}, other{};
  if (!ok(cuGraphBatchMemOpNodeGetParams(node, &one)) ||
      !ok(cuGraphBatchMemOpNodeGetParams(twin, &other))) {
    lines.push_back("the parameters cannot be read");
    return;
  }
  if (one.ctx != other.ctx || one.flags != other.flags || one.count != other.count) {
    lines.push_back("context, flags or number of operations differ");
    return;
  }
  for (unsigned i = 0; i < one.count; ++i) {
    auto a = one.paramArray[i], b = other.paramArray[i];
    a.writeValue.alias = b.writeValue.alias = 0; // the driver's own, in the same place in each kind
    if (std::memcmp(&a, &b, sizeof a) != 0)
      lines.push_back("operation " + std::to_string(i) + " differs");
  }
}

// Everything that the driver knows (CUDA 13.2), without what points to memory of the node's own.
void compareAll(CUgraphNode node, CUgraphNode twin, Lines &lines) {
  using GetParams = CUresult(CUgraphNode, CUgraphNodeParams *);
  static GetParams *const getParams = newer<GetParams>("cuGraphNodeGetParams");
  if (!getParams)
    return;
  CUgraphNodeParams both[2];
  std::memset(both, 0, sizeof both);
  const CUresult read = getParams(node, &both[0]), readOther = getParams(twin, &both[1]);
  if (read != readOther)
    lines.push_back("one of them cannot be read with cuGraphNodeGetParams");
  if (!ok(read) || !ok(readOther))
    return;
  for (CUgraphNodeParams &params : both)
    switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: // compared by name and by arguments
      params.kernel.func = nullptr;
      params.kernel.kern = nullptr;
      params.kernel.kernelParams = params.kernel.extra = nullptr;
      break;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      params.graph.graph = nullptr;
      break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
      params.extSemSignal.extSemArray = nullptr;
      params.extSemSignal.paramsArray = nullptr;
      break;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
      params.extSemWait.extSemArray = nullptr;
      params.extSemWait.paramsArray = nullptr;
      break;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: // compared before; between its members lies anything
      std::memset(&params.memOp, 0, sizeof params.memOp);
      break;
    default:
      break;
    }
  if (std::memcmp(&both[0], &both[1], sizeof both[0]) != 0)
    lines.push_back("what cuGraphNodeGetParams tells differs");
}

CUgraph innerGraph(CUgraphNode node) {
  CUgraph graph = nullptr;
  return ok(cuGraphChildGraphNodeGetGraph(node, &graph)) ? graph : nullptr;
}

// The nodes that each can be reached from, over others' nodes only if `through` says so.
class Ways {
public:
  explicit Ways(const std::vector<Edge> &edges) {
    for (const Edge &edge : edges)
      after_[edge.from].push_back(edge.to);
  }
  template <class Through> std::set<CUgraphNode> from(CUgraphNode node, Through through) const {
    std::set<CUgraphNode> found;
    Nodes open{node};
    while (!open.empty()) {
      const auto next = after_.find(open.back());
      open.pop_back();
      if (next == after_.end())
        continue;
      for (const CUgraphNode to : next->second)
        if (found.insert(to).second && through(to))
          open.push_back(to);
    }
    return found;
  }

private:
  std::map<CUgraphNode, Nodes> after_;
};

using Twins = std::map<CUgraphNode, CUgraphNode>;

void compareEdges(CUgraph graph, CUgraph copy, const Twins &twins,
                  const std::map<CUgraphNode, std::string> &names, Lines &lines) {
  const auto edges = edgesOf(graph), copied = edgesOf(copy);
  const std::set<Edge> direct(copied.begin(), copied.end());
  Twins originals;
  for (const auto &[node, twin] : twins)
    originals.emplace(twin, node);
  const auto isOther = [&](CUgraphNode node) { return !originals.count(node); };
  const auto always = [](CUgraphNode) { return true; };

  std::set<Edge> wanted;
  const Ways ways(edges), waysInCopy(copied);
  std::map<CUgraphNode, std::set<CUgraphNode>> behind; // twins, over nodes that are nobody's
  // Long graphs take too long: their nodes are compared, and their edges, not what those imply.
  const bool isLong = twins.size() > 1000;
  for (const auto &[node, twin] : twins)
    behind[twin] = waysInCopy.from(twin, isOther);
  for (const Edge &edge : edges) {
    const Edge expected{twins.at(edge.from), twins.at(edge.to), edge.data};
    wanted.insert(expected);
    if (!direct.count(expected) &&
        !(isWhole(edge.data) && behind[expected.from].count(expected.to)))
      lines.push_back("the edge from " + names.at(edge.from) + " to " + names.at(edge.to) +
                      " is missing");
  }
  for (const Edge &edge : copied)
    if (!isOther(edge.from) && !isOther(edge.to) && !wanted.count(edge))
      lines.push_back("there is an edge from " + names.at(originals.at(edge.from)) + " to " +
                      names.at(originals.at(edge.to)) + " that the graph does not have");
  for (const auto &[twin, reached] : behind) {
    if (isLong)
      break;
    const auto may = ways.from(originals.at(twin), always);
    for (const CUgraphNode to : reached)
      if (!isOther(to) && !may.count(originals.at(to)))
        lines.push_back(names.at(originals.at(to)) + " waits for " + names.at(originals.at(twin)) +
                        ", which it does not in the graph");
  }
}

void compareChildren(CUgraphNode node, CUgraphNode twin, const TwinOf &twinOf, Lines &lines) {
  CUgraph held = innerGraph(node), copied = innerGraph(twin);
  if (!held || !copied) {
    lines.push_back("a child graph cannot be read");
    return;
  }
  const Nodes nodes = nodesOf(held), copies = nodesOf(copied);
  TwinOf inner = twinOf;
  if (std::none_of(nodes.begin(), nodes.end(), twinOf)) {
    // Each is like the next one in the copy that is like it.
    Twins byOrder;
    auto next = copies.begin();
    for (const CUgraphNode original : nodes) {
      next = std::find_if(next, copies.end(), [original](CUgraphNode other) {
        return differences(original, other).empty();
      });
      if (next == copies.end())
        break;
      byOrder.emplace(original, *next++);
    }
    inner = [byOrder, twinOf](CUgraphNode wanted) {
      const auto found = byOrder.find(wanted);
      return found == byOrder.end() ? twinOf(wanted) : found->second;
    };
  }
  for (const std::string &line : differences(held, copied, inner))
    lines.push_back("in it, " + line);
}

} // namespace

std::vector<std::string> differences(CUgraphNode node, CUgraphNode twin) {
  Lines lines;
  CUgraphNodeType type{}, other{};
  if (!ok(cuGraphNodeGetType(node, &type)) || !ok(cuGraphNodeGetType(twin, &other)))
    return {"the driver does not know one of them"};
  if (type != other)
    return {std::string("its counterpart is a ") + nameOf(other)};
  switch (type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    compareKernels(node, twin, lines);
    break;
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    compareBytes<CUDA_MEMCPY3D>(node, twin, cuGraphMemcpyNodeGetParams, lines);
    break;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    compareBytes<CUDA_MEMSET_NODE_PARAMS>(node, twin, cuGraphMemsetNodeGetParams, lines);
    break;
  case CU_GRAPH_NODE_TYPE_HOST:
    compareBytes<CUDA_HOST_NODE_PARAMS>(node, twin, cuGraphHostNodeGetParams, lines);
    break;
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    compareBytes<CUevent>(node, twin, cuGraphEventRecordNodeGetEvent, lines);
    break;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    compareBytes<CUevent>(node, twin, cuGraphEventWaitNodeGetEvent, lines);
    break;
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    compareMemoryOperations(node, twin, lines);
    break;
  default: // a child graph is compared by its nodes; the others have no parameters, or are told
           // below
    break;
  }
  compareAll(node, twin, lines);
  return lines;
}

std::vector<std::string> differences(CUgraph graph, CUgraph copy, const TwinOf &twinOf) {
  Lines lines;
  Twins twins;
  std::map<CUgraphNode, std::string> names;
  const Nodes nodes = nodesOf(graph);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CUgraphNodeType type{};
    const bool known = ok(cuGraphNodeGetType(nodes[i], &type));
    std::string &name = names[nodes[i]];
    name = "node " + std::to_string(i) + " (" + (known ? nameOf(type) : "unknown") + ")";
    const CUgraphNode twin = twinOf(nodes[i]);
    if (!twin) {
      lines.push_back(name + ": has no counterpart");
      continue;
    }
    twins.emplace(nodes[i], twin);
    Lines here = differences(nodes[i], twin);
    if (here.empty() && type == CU_GRAPH_NODE_TYPE_GRAPH)
      compareChildren(nodes[i], twin, twinOf, here);
    for (const std::string &line : here)
      lines.push_back(name + ": " + line);
  }
  if (twins.size() == nodes.size())
    compareEdges(graph, copy, twins, names, lines);
  return lines;
}

} // namespace graphprof::test
