// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Checks the tool's output with clang, in this process and in memory, with the real
// <graphprof/cuda.h> and the simulation's CUDA headers. Parses the headers once.

#ifndef GRAPHPROF_TEST_FUZZ_COMPILER_H
#define GRAPHPROF_TEST_FUZZ_COMPILER_H

#include "Headers.h"

#include "clang/Frontend/CompilerInvocation.h"

#include <memory>
#include <string>
#include <vector>

namespace graphprof::fuzz {

class Compiler {
public:
  enum class Side { Host, Device };
  Compiler(Side Compiled, const HeaderFiles &Project);

  struct Errors {
    std::string Said;             ///< empty where the text compiles
    std::vector<unsigned> Places; ///< the bytes of the text that they point at, where they do
  };
  [[nodiscard]] Errors errors(llvm::StringRef Text) const;

private:
  HeaderFiles Files; ///< the project's and the precompiled one
  std::shared_ptr<clang::CompilerInvocation> Command;
};

} // namespace graphprof::fuzz

#endif
