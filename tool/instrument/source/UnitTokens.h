// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The tokens of a unit: as the parser saw them, and as files spell them. clang::syntax::TokenBuffer
// without what no part of the tool asks for: it keeps and maps the tokens of all system headers,
// which takes a fifth as long as parsing them.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_UNITTOKENS_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_UNITTOKENS_H

#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace graphprof::instrument {

/// The token behind the bracket that closes the one at I; Tokens.size() if nothing does.
size_t pastClosing(llvm::ArrayRef<clang::syntax::Token> Tokens, size_t I);

class UnitTokens {
public:
  /// Before the preprocessor begins. It calls this object until it ends.
  explicit UnitTokens(clang::Preprocessor &PP);
  UnitTokens(const UnitTokens &) = delete;
  UnitTokens &operator=(const UnitTokens &) = delete;

  /// What the parser saw while it read the source and headers that are not the system's.
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> expandedTokens() const { return Expanded; }

  /// All tokens of a file, with those of directives and of what the preprocessor skips.
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> spelledTokens(clang::FileID File) const;

  /// What spells the expanded tokens First to Last, both included: tokens of one file, the whole
  /// of a macro's use or a part of one macro argument; none where they are not exactly such.
  [[nodiscard]] std::optional<llvm::ArrayRef<clang::syntax::Token>>
  spelledForExpanded(size_t First, size_t Last) const;

private:
  class FileWatcher;

  [[nodiscard]] clang::CharSourceRange fileRange(size_t First, size_t Last) const;

  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  bool InProject = false; ///< what the preprocessor reads now
  std::vector<clang::syntax::Token> Expanded;
  mutable llvm::DenseMap<clang::FileID, std::unique_ptr<std::vector<clang::syntax::Token>>> Spelled;
};

} // namespace graphprof::instrument

#endif
