// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one view of a file that recording shares: clang's expanded tokens, and the bytes of the file
// that spell them. The file is a source or one of the headers that are rewritten with it.
//
// An annotation and the construct behind it are found in the expanded tokens, because that is what
// the parser saw; an edit must be made in the file's own text. Where a macro stands between the
// two, this class says whether a range of expanded tokens is exactly a range of the file (the whole
// of a macro's use, or a part of one macro argument) or not.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCETEXT_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCETEXT_H

#include "Facts.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Tooling/Syntax/Tokens.h"
#include "llvm/ADT/DenseMap.h"

namespace graphprof::instrument {

class SourceText {
public:
  /// A range of the file, and its text with comments and line breaks turned into blanks.
  struct Spelled {
    TextRange Range;
    std::string OneLine;
    bool HasDirective = false; ///< a line of the preprocessor's is among it, so OneLine is no C++
  };

  SourceText(const clang::SourceManager &Sources, const clang::LangOptions &Language,
             const clang::syntax::TokenBuffer &Tokens, clang::FileID File)
      : Sources(Sources), Language(Language), Tokens(Tokens), File(File) {}

  [[nodiscard]] const clang::SourceManager &sources() const { return Sources; }
  [[nodiscard]] const clang::LangOptions &language() const { return Language; }
  [[nodiscard]] clang::FileID file() const { return File; }

  /// The bytes of the file.
  [[nodiscard]] llvm::StringRef text() const { return Sources.getBufferData(File); }

  /// The expanded tokens of the whole translation unit.
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> expanded() const {
    return Tokens.expandedTokens();
  }

  /// The tokens of the file as spelled, with those of directives and of code that the
  /// preprocessor skips.
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> spelled() const {
    return Tokens.spelledTokens(File);
  }

  /// Makes an expanded token of this file known to indexOf.
  void addToIndex(clang::SourceLocation Location, size_t Index) {
    Indices.try_emplace(Location, Index);
  }

  /// The expanded token at a location of the AST; none for places outside the file.
  [[nodiscard]] std::optional<size_t> indexOf(clang::SourceLocation Location) const;

  /// What spells the expanded tokens First to Last, both included; none where they are not exactly
  /// a part of the file.
  [[nodiscard]] std::optional<Spelled> spelled(size_t First, size_t Last) const;
  [[nodiscard]] std::optional<Spelled> spelled(clang::SourceRange Range) const;

  /// Whether the parser met this location while it read this file, macros included.
  [[nodiscard]] bool inFile(clang::SourceLocation Location) const;

  /// The byte of the file that stands for a location: its spelling, or the use of the macro
  /// that it comes from.
  [[nodiscard]] unsigned offsetOf(clang::SourceLocation Location) const;

  [[nodiscard]] clang::SourceLocation locationOf(unsigned Offset) const;

  /// The line as `#line` and compilers count it.
  [[nodiscard]] unsigned lineOf(clang::SourceLocation Location) const;

private:
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  const clang::syntax::TokenBuffer &Tokens;
  clang::FileID File;
  llvm::DenseMap<clang::SourceLocation, size_t> Indices;
};

} // namespace graphprof::instrument

#endif
