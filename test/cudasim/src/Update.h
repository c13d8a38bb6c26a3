// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Pairs the nodes of an exec with those of the graph that it is updated from. Pairs the exit nodes
// in creation order, then their predecessors in the order of their edges, which must have the same
// data. The nodes in children and bodies are paired, too.

#ifndef CUDASIM_SRC_UPDATE_H
#define CUDASIM_SRC_UPDATE_H

#include "Graph.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace cudasim {

// Pairs the exit nodes in the order of their creation, and from there on what paired nodes depend
// on in the order of their edges, which must have the same data. Nodes inside children and bodies
// are paired with them.
class Update {
public:
  Update(CUgraph_st &into, const CUgraph_st &from) { result_ = pair(into, from); }

  // Whether all nodes are paired; otherwise, which node is not, and why.
  const cudaGraphExecUpdateResultInfo &result() const { return result_; }
  // Copies the parameters of the nodes of `from` to their pairs in `into`, and what `from` keeps
  // alive. Needs success.
  void takeParameters() const;

private:
  cudaGraphExecUpdateResultInfo pair(CUgraph_st &into, const CUgraph_st &from);
  cudaGraphExecUpdateResultInfo pairInner(CUgraphNode_st &into, CUgraphNode_st &from);
  // False if one of them is paired with another node.
  bool match(CUgraphNode_st *into, CUgraphNode_st *from);

  std::unordered_map<CUgraphNode_st *, CUgraphNode_st *> intoOf_, fromOf_;
  std::vector<std::pair<CUgraphNode_st *, CUgraphNode_st *>> unseen_; // pairs: into, from
  std::vector<std::pair<CUgraph_st *, const CUgraph_st *>> graphs_;   // likewise
  cudaGraphExecUpdateResultInfo result_{};
};

} // namespace cudasim

#endif // CUDASIM_SRC_UPDATE_H
