// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Generates sources with the forms of statements, functions and calls in C++ and CUDA, and with
// annotations wherever somebody might write one.
//
// All functions have the same parameters, and statements use only those, so that statements can be
// exchanged and still parse.

#ifndef GRAPHPROF_TEST_FUZZ_GRAMMAR_H
#define GRAPHPROF_TEST_FUZZ_GRAMMAR_H

#include "Random.h"
#include "Tree.h"

namespace graphprof::fuzz {

class Grammar {
public:
  /// How unusual a source is. A tame source has what the tool should support, so that most of it is
  /// rewritten. A wild source also has what the tool should refuse.
  enum class Mood { Tame, Wild };

  Grammar(Random &Pick, Mood Feeling) : Pick(Pick), Feeling(Feeling) {}

  Node unit();
  Node item();
  Node statement(unsigned Depth);
  Node expression(unsigned Depth);
  /// A CUDA runtime call, of type cudaError_t.
  Node call();
  std::string annotation();

private:
  Node plainStatement(unsigned Depth);
  Node oddStatement(unsigned Depth);
  Node block(unsigned Depth);
  Node body(unsigned Depth); ///< of a loop or branch, with braces or without
  Node statements(unsigned Depth, unsigned Most);
  Node function();
  Node oddItem();
  Node lambda(unsigned Depth);
  Node launch();
  std::string entry();
  std::string values();
  std::string name();
  std::string stream();
  std::string maybeAnnotation(unsigned Chance);
  std::string label() { return "label" + std::to_string(Pick.below(3)); }
  std::string fresh(const char *Prefix) { return Prefix + std::to_string(++Count); }
  bool wild(unsigned Chance) { return Feeling == Mood::Wild && Pick.percent(Chance); }

  Random &Pick;
  Mood Feeling;
  unsigned Count = 0;
};

} // namespace graphprof::fuzz

#endif
