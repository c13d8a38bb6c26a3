// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A source as the fuzzer sees it: a tree whose nodes of the same kind can replace each other.

#ifndef GRAPHPROF_TEST_FUZZ_TREE_H
#define GRAPHPROF_TEST_FUZZ_TREE_H

#include <string>
#include <string_view>
#include <vector>

namespace graphprof::fuzz {

enum class Part { Unit, Item, Statement, Expression, Call };

struct Node {
  Part Kind = Part::Unit;
  std::vector<std::string> Pieces; ///< of text: one more than there are nodes
  std::vector<Node> Nodes;

  [[nodiscard]] std::string text() const {
    std::string Result = Pieces.front();
    for (size_t I = 0; I < Nodes.size(); ++I)
      Result += Nodes[I].text() + Pieces[I + 1];
    return Result;
  }
};

/// A node with the text Pattern, in which each `$` stands for one of Nodes.
inline Node node(Part Kind, std::string_view Pattern, std::vector<Node> Nodes = {}) {
  Node Result{.Kind = Kind, .Pieces = {""}, .Nodes = std::move(Nodes)};
  for (const char C : Pattern) {
    if (C == '$')
      Result.Pieces.emplace_back();
    else
      Result.Pieces.back() += C;
  }
  return Result;
}

/// Lists all nodes of a tree, parents first.
inline void list(Node &Top, std::vector<Node *> &Into) {
  Into.push_back(&Top);
  for (Node &Each : Top.Nodes)
    list(Each, Into);
}

} // namespace graphprof::fuzz

#endif
