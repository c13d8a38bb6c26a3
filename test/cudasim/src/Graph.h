// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs: nodes in creation order, edges, clones, user objects. A graph owns its nodes; a child
// node owns its embedded graph. Nodes have an id. In a clone they also have the id of their
// original, by which cudaGraphNodeFindInClone and the exec calls find a node.

#ifndef CUDASIM_SRC_GRAPH_H
#define CUDASIM_SRC_GRAPH_H

#include "Edge.h"
#include "Op.h"
#include "Reused.h"

#include <cstdint>
#include <memory>
#include <vector>

struct CUctx_st;

struct CUgraphNode_st : cudasim::Reused<CUgraphNode_st> {
  CUgraphNode_st(cudasim::Device &device, CUgraph_st &graph, cudasim::Op op);
  ~CUgraphNode_st();
  CUgraphNode_st(const CUgraphNode_st &) = delete;
  CUgraphNode_st &operator=(const CUgraphNode_st &) = delete;

  cudaGraphNodeType type() const { return cudasim::typeOf(op); }

  cudasim::Device &device;
  CUgraph_st *graph;
  unsigned long long id;
  unsigned long long clonedFrom = 0;
  unsigned localId;            // in its graph, from 0
  CUctx_st *context = nullptr; // null: the primary one
  cudasim::Op op;
  std::vector<cudasim::Edge> in, out;
  bool enabled = true;    // false in execs only
  cudasim::OpTimes times; // scratch space of the current launch
};

// The program's destructor. Called when the last reference is gone, after the API call that
// released it.
struct CUuserObject_st {
  CUuserObject_st(cudasim::Device &device, void *pointer, cudaHostFn_t destroy)
      : device(device), pointer(pointer), destroy(destroy) {}
  ~CUuserObject_st();
  CUuserObject_st(const CUuserObject_st &) = delete;
  CUuserObject_st &operator=(const CUuserObject_st &) = delete;

  cudasim::Device &device;
  void *pointer;
  cudaHostFn_t destroy;
  unsigned callerCount = 0; // references of the program, not of graphs
};

struct CUgraph_st : cudasim::Reused<CUgraph_st> {
  // The nodes of a visible graph are valid handles for the program. An exec's private copy is not
  // visible.
  CUgraph_st(cudasim::Device &device, bool visible);
  ~CUgraph_st();
  CUgraph_st(const CUgraph_st &) = delete;
  CUgraph_st &operator=(const CUgraph_st &) = delete;

  CUgraphNode_st *append(cudasim::Op op);
  bool hasMemoryNodes() const;
  bool hasConditionalNodes() const;
  bool hasUpdatableNodes() const; // nodes that the device can update
  // Whether it has nodes that cannot be copied.
  bool isUnique() const { return hasMemoryNodes() || hasConditionalNodes(); }

  cudasim::Device &device;
  const bool visible;
  bool isBody = false;      // the body of a conditional node
  bool isUndefined = false; // a recapture failed: it can only be destroyed
  unsigned long long id;
  unsigned long long clonedFrom = 0;
  unsigned nextLocalId = 0;
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<std::shared_ptr<CUuserObject_st>> userObjects; // one entry for each reference
  std::weak_ptr<CUgraphExec_st> holder;      // if only one exec is allowed; see execHolding()
  std::vector<CUgraphNode_st *> launchOrder; // empty: not computed since the last change
};

namespace cudasim {

// A graph that the program can refer to: its own, or a child node's. Null for a stale handle, or an
// undefined graph.
CUgraph_st *findGraph(Device &device, cudaGraph_t handle);
CUgraphNode_st *findNode(Device &device, cudaGraphNode_t handle);

cudaError_t addNode(Device &device, CUgraph_st &graph, const cudaGraphNode_t *dependencies,
                    const cudaGraphEdgeData *edgeData, std::size_t count, Op op,
                    CUgraphNode_st **node);
cudaError_t addNode(Device &device, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                    const cudaGraphEdgeData *edgeData, std::size_t count, Op op,
                    cudaGraphNode_t *node);
cudaError_t addDependencies(Device &device, cudaGraph_t graph, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                            std::size_t count);
cudaError_t removeDependencies(Device &device, cudaGraph_t graph, const cudaGraphNode_t *from,
                               const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                               std::size_t count);
cudaError_t destroyNode(Device &device, cudaGraphNode_t node);

cudaError_t graphCreate(Device &device, cudaGraph_t *graph, unsigned flags);
cudaError_t graphDestroy(Device &device, cudaGraph_t graph);
cudaError_t graphClone(Device &device, cudaGraph_t *clone, cudaGraph_t original);
cudaError_t findInClone(Device &device, cudaGraphNode_t *node, cudaGraphNode_t original,
                        cudaGraph_t clone);
std::shared_ptr<CUgraph_st> copyGraph(Device &device, const CUgraph_st &original, bool visible);

// Queries of lists. With a null array they return only the count. Entries past the end are set to
// null.
cudaError_t getNodes(Device &device, cudaGraph_t graph, cudaGraphNode_t *nodes, std::size_t *count);
cudaError_t getRoots(Device &device, cudaGraph_t graph, cudaGraphNode_t *nodes, std::size_t *count);
cudaError_t getEdges(Device &device, cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                     cudaGraphEdgeData *edgeData, std::size_t *count);
enum class Direction { In, Out };
cudaError_t getNeighbours(Device &device, Direction direction, cudaGraphNode_t node,
                          cudaGraphNode_t *nodes, cudaGraphEdgeData *edgeData, std::size_t *count);

cudaError_t userObjectCreate(Device &device, cudaUserObject_t *object, void *pointer,
                             cudaHostFn_t destroy, unsigned count, unsigned flags);
cudaError_t userObjectRetain(Device &device, cudaUserObject_t object, unsigned count);
cudaError_t userObjectRelease(Device &device, cudaUserObject_t object, unsigned count);
cudaError_t graphRetainUserObject(Device &device, cudaGraph_t graph, cudaUserObject_t object,
                                  unsigned count, unsigned flags);
cudaError_t graphReleaseUserObject(Device &device, cudaGraph_t graph, cudaUserObject_t object,
                                   unsigned count);

// The nodes in topological order, otherwise in creation order. Empty if there is a cycle.
const std::vector<CUgraphNode_st *> &launchOrder(CUgraph_st &graph);

// Executes a graph's nodes from startNs on, each when its edges allow. Returns the last end.
std::uint64_t runGraph(Device &device, CUgraph_st &graph, std::uint64_t startNs,
                       unsigned long long streamId);

} // namespace cudasim

#endif // CUDASIM_SRC_GRAPH_H
