// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the compiler among the words of a command, and replaces the sources by their copies. Works
// on text alone; reads no files.

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

/// Finds the compiler among the words, possibly behind launchers (ccache, env, nice, ...). `Like`
/// is the compiler to assume if its name says nothing. Nothing if the command runs no compiler.
std::optional<CompilerWord> findCompiler(llvm::ArrayRef<std::string> Words,
                                         std::optional<nvcc::Compiler> Like);

/// Whether the command of an unknown program seems to compile CUDA or C++ sources.
bool seemsToCompile(llvm::ArrayRef<std::string> Words);

/// A compile command and the words to change in it.
struct Rewording {
  llvm::ArrayRef<std::string> Words;
  CompilerWord Compiler;
  /// The new words for inputs and options, by their place in the command.
  std::vector<std::pair<nvcc::Place, std::vector<std::string>>> Replaced;
  std::vector<std::string> QuoteDirectories; ///< searched for `#include "..."` only
  std::vector<std::string> IncludeFlags;     ///< inserted before the command's own
  std::string SystemDirectory;               ///< empty: none
};

/// Whether the path survives -Xcompiler: nvcc splits its value at commas and passes it to a shell.
bool isPlain(llvm::StringRef Path);

std::vector<std::string> reword(const Rewording &How);

} // namespace graphprof::launcher

#endif
