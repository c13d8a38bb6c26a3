// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Recognizes the headers of CUDA and of graphprof. They are never rewritten, even if -I names their
// directories and they look like the project's.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_TOOLKIT_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_TOOLKIT_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace graphprof::instrument {

class Toolkit {
public:
  explicit Toolkit(clang::ASTContext &Context);

  /// Whether a file, by the compiler's name for it, is such a header.
  [[nodiscard]] bool holds(llvm::StringRef Name);
  [[nodiscard]] bool holds(clang::SourceLocation Location);

  /// Whether a file, or a location's file, is a header that declares CUDA's functions.
  [[nodiscard]] bool declares(llvm::StringRef Name) const;
  [[nodiscard]] bool declares(clang::SourceLocation Location) const;

private:
  /// Whether a directory is, or is below, a directory that looks like a toolkit's include
  /// directory.
  bool isBelowToolkit(llvm::StringRef Directory);
  [[nodiscard]] bool exists(const llvm::Twine &Path) const;

  const clang::SourceManager &Sources;
  llvm::StringSet<> Declaring; ///< directories of the headers that declare CUDA's functions
  llvm::StringMap<bool> Known; ///< directories that have been looked at
};

} // namespace graphprof::instrument

#endif
