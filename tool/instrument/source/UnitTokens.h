// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tokens of a unit, as the parser saw them and as files spell them. Unlike
// clang::syntax::TokenBuffer, it does not keep the tokens of system headers, which would take a
// fifth of the time of parsing them.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_UNITTOKENS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_UNITTOKENS_H

#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <optional>
#include <vector>

namespace graphprof::instrument {

/// The index behind the bracket that closes the one at I; Tokens.size() if there is none.
size_t pastClosing(llvm::ArrayRef<clang::syntax::Token> Tokens, size_t I);

class UnitTokens {
public:
  /// Create it before the preprocessor begins. The preprocessor calls this object until it ends.
  explicit UnitTokens(clang::Preprocessor &PP);
  UnitTokens(const UnitTokens &) = delete;
  UnitTokens &operator=(const UnitTokens &) = delete;

  /// The tokens that the parser saw in the source and in headers outside the system's.
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> expandedTokens() const { return Expanded; }

  /// Whether a file belongs to a system directory: the compiler found it in one, or such a file
  /// includes it. `#pragma system_header` does not make a file foreign, nor what it includes: CMake
  /// puts that pragma into precompiled headers, above the project's own.
  [[nodiscard]] bool isForeign(clang::FileID File) const { return Foreign.contains(File); }
  /// Whether an `#include` leads to such a file.
  [[nodiscard]] bool leadsOut(clang::SourceLocation Hash, llvm::StringRef SearchPath,
                              bool IsAngled) const;

  /// Where files use the macro __COUNTER__, themselves or by another macro.
  [[nodiscard]] llvm::ArrayRef<clang::SourceLocation> counters() const { return Counters; }

  /// All tokens of a file, including directives and code that the preprocessor skips.
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> spelledTokens(clang::FileID File) const;

  /// The tokens that spell the expanded tokens First to Last, both included: tokens of one file, a
  /// whole macro use, or part of one macro argument. None if they are not exactly such a range.
  [[nodiscard]] std::optional<llvm::ArrayRef<clang::syntax::Token>>
  spelledForExpanded(size_t First, size_t Last) const;

private:
  class FileWatcher;

  [[nodiscard]] clang::CharSourceRange fileRange(size_t First, size_t Last) const;

  const clang::Preprocessor &PP;
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  llvm::DenseSet<clang::FileID> Foreign;
  bool InProject = false; ///< whether the preprocessor is reading a project's file
  std::vector<clang::syntax::Token> Expanded;
  std::vector<clang::SourceLocation> Counters;
  mutable llvm::DenseMap<clang::FileID, std::unique_ptr<std::vector<clang::syntax::Token>>> Spelled;
};

} // namespace graphprof::instrument

#endif
