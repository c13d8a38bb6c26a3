// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The words of a command: which of them is the compiler, and what they become once the sources are
// instrumented. Text to text; files are other parts' business.

#ifndef GRAPHPROF_TOOL_LAUNCHER_WORDS_H
#define GRAPHPROF_TOOL_LAUNCHER_WORDS_H

#include "nvcc/Command.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace graphprof::launcher {

struct CompilerWord {
  size_t Index = 0;
  nvcc::Compiler Kind = nvcc::Compiler::Host;
};

/// The compiler among the words, possibly behind launchers (ccache, env, nice, ...). `Like` is what
/// to take a compiler for whose name says nothing. Nothing where the command runs no compiler.
std::optional<CompilerWord> findCompiler(llvm::ArrayRef<std::string> Words,
                                         std::optional<nvcc::Compiler> Like);

/// Whether the command of an unknown program seems to compile CUDA or C++ sources all the same.
bool seemsToCompile(llvm::ArrayRef<std::string> Words);

/// A compile command with the places to change.
struct Rewording {
  llvm::ArrayRef<std::string> Words;
  CompilerWord Compiler;
  /// Inputs and options, by their place.
  std::vector<std::pair<nvcc::Place, std::vector<std::string>>> Replaced;
  std::vector<std::string> QuoteDirectories; ///< searched for `#include "..."` only
  std::vector<std::string> IncludeFlags;     ///< in front of the command's own
  std::string SystemDirectory;               ///< empty: none
};

std::vector<std::string> reword(const Rewording &How);

} // namespace graphprof::launcher

#endif
