// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Update.h"

namespace cudasim {

namespace {

constexpr cudaGraphExecUpdateResultInfo kPaired = {cudaGraphExecUpdateSuccess, nullptr, nullptr};

std::vector<CUgraphNode_st *> exitNodes(const CUgraph_st &graph) {
  std::vector<CUgraphNode_st *> exits;
  for (const auto &node : graph.nodes)
    if (node->out.empty())
      exits.push_back(node.get());
  return exits;
}

} // namespace

bool Update::match(CUgraphNode_st *into, CUgraphNode_st *from) {
  const auto [known, isNew] = intoOf_.emplace(from, into);
  if (!isNew)
    return known->second == into;
  if (!fromOf_.emplace(into, from).second)
    return false;
  unseen_.emplace_back(into, from);
  return true;
}

cudaGraphExecUpdateResultInfo Update::pair(CUgraph_st &into, const CUgraph_st &from) {
  if (into.nodes.size() != from.nodes.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  graphs_.emplace_back(&into, &from);
  const auto exits = exitNodes(into), others = exitNodes(from);
  if (others.size() > exits.size())
    return {cudaGraphExecUpdateErrorTopologyChanged, others.back(), nullptr};
  const std::size_t outer = unseen_.size();
  for (std::size_t i = 0; i < others.size(); ++i)
    match(exits[i], others[i]);
  while (unseen_.size() > outer) {
    const auto [mine, its] = unseen_.back();
    unseen_.pop_back();
    if (its->type() != mine->type())
      return {cudaGraphExecUpdateErrorNodeTypeChanged, its, nullptr};
    if (its->in.size() != mine->in.size())
      return {cudaGraphExecUpdateErrorTopologyChanged, its, nullptr};
    for (std::size_t i = 0; i < its->in.size(); ++i)
      if (!match(mine->in[i].node, its->in[i].node) || !sameData(mine->in[i].data, its->in[i].data))
        return {cudaGraphExecUpdateErrorTopologyChanged, its, its->in[i].node};
    const auto inner = pairInner(*mine, *its);
    if (inner.result != cudaGraphExecUpdateSuccess)
      return inner;
  }
  return kPaired;
}

cudaGraphExecUpdateResultInfo Update::pairInner(CUgraphNode_st &into, CUgraphNode_st &from) {
  if (const auto *child = std::get_if<ChildOp>(&from.op))
    return pair(*std::get<ChildOp>(into.op).graph, *child->graph);
  const auto *conditional = std::get_if<ConditionalOp>(&from.op);
  if (!conditional)
    return kPaired;
  const auto &other = std::get<ConditionalOp>(into.op);
  if (other.type != conditional->type || other.bodies.size() != conditional->bodies.size())
    return {cudaGraphExecUpdateErrorParametersChanged, &from, nullptr};
  for (std::size_t k = 0; k < other.bodies.size(); ++k) {
    const auto inner = pair(*other.bodies[k], *conditional->bodies[k]);
    if (inner.result != cudaGraphExecUpdateSuccess)
      return inner;
  }
  return kPaired;
}

void Update::takeParameters() const {
  for (const auto &[from, into] : intoOf_) {
    if (std::holds_alternative<ChildOp>(from->op))
      continue; // its nodes have pairs
    if (const auto *conditional = std::get_if<ConditionalOp>(&from->op))
      std::get<ConditionalOp>(into->op).handle = conditional->handle;
    else {
      into->op = from->op;
      into->context = from->context;
    }
  }
  for (const auto &[into, from] : graphs_)
    into->userObjects = from->userObjects;
}

} // namespace cudasim
