// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The rules that must hold for every source.

#ifndef GRAPHPROF_TEST_FUZZ_RULES_H
#define GRAPHPROF_TEST_FUZZ_RULES_H

#include "Compiler.h"
#include "Subject.h"

#include <string>

namespace graphprof::fuzz {

struct Verdict {
  std::string Broken; ///< the rule; empty where all hold
  std::string Detail; ///< what the tool or clang said, or the text at fault
  Instrumented Result;
};

class Rules {
public:
  /// Root is a checkout of the project.
  explicit Rules(llvm::StringRef Root);

  [[nodiscard]] const Subject &tool() const { return Tool; }
  [[nodiscard]] Verdict check(llvm::StringRef Text, Subject::Auto Unannotated) const;
  /// Only parses a source with clang, without changes.
  void parse(llvm::StringRef Text) const;

private:
  explicit Rules(const HeaderFiles &Project);

  Subject Tool;
  Compiler Host;
  Compiler Device;
};

} // namespace graphprof::fuzz

#endif
