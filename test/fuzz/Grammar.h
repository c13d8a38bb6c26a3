// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes sources: the shapes that C++ and CUDA have for statements, functions and calls, with
// annotations in all the places where somebody might write one.
//
// Every function has the same parameters and every statement uses only those, so that statements
// can change places and still parse.

#ifndef GRAPHPROF_TEST_FUZZ_GRAMMAR_H
#define GRAPHPROF_TEST_FUZZ_GRAMMAR_H

#include "Random.h"
#include "Tree.h"

namespace graphprof::fuzz {

class Grammar {
public:
  /// How wild a source is. A tame one has what the tool should be able to do, so that most of
  /// it is rewritten; a wild one has what it should refuse as well.
  enum class Mood { Tame, Wild };

  Grammar(Random &Pick, Mood Feeling) : Pick(Pick), Feeling(Feeling) {}

  Node unit();
  Node item();
  Node statement(unsigned Depth);
  Node expression(unsigned Depth);
  /// A call of the CUDA runtime, of type cudaError_t.
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
