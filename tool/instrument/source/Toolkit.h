// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which headers are CUDA's or graphprof's own. Where -I names their directories, the compiler takes
// them for the project's; they are not, and none of them is ever rewritten.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_TOOLKIT_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_TOOLKIT_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace graphprof::instrument {

class Toolkit {
public:
  explicit Toolkit(clang::ASTContext &Context);

  /// Whether a file is part of it, by the name that the compiler uses.
  [[nodiscard]] bool holds(llvm::StringRef Name);
  [[nodiscard]] bool holds(clang::SourceLocation Location);

  /// Whether it is one of the headers that declare CUDA's functions.
  [[nodiscard]] bool declares(clang::SourceLocation Location) const;

private:
  /// Whether a directory is below one that looks like a toolkit's include directory, or is one.
  bool isBelowToolkit(llvm::StringRef Directory);
  [[nodiscard]] bool declares(llvm::StringRef Name) const;
  [[nodiscard]] bool exists(const llvm::Twine &Path) const;

  const clang::SourceManager &Sources;
  llvm::StringSet<> Declaring; ///< directories of the headers that declare CUDA's functions
  llvm::StringMap<bool> Known; ///< directories that have been looked at
};

} // namespace graphprof::instrument

#endif
