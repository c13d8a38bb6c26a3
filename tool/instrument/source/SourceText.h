// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The view of a file that all parts of recording share: clang's expanded tokens, and the bytes of
// the file that spell them. The file is a source, or a header that is rewritten with it.
//
// A MacroText is the same view of a macro's body.
//
// Annotations and constructs are found in the expanded tokens, because the parser saw those. Edits
// are made in the file's own text. Where a macro is in between, this class says whether a range of
// expanded tokens is exactly a range of the file: a whole macro use, or part of one macro argument.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_SOURCETEXT_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_SOURCETEXT_H

#include "facts/Facts.h"
#include "source/UnitTokens.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"

namespace graphprof::instrument {

/// The indices of the AST's locations among the expanded tokens.
using TokenIndex = llvm::DenseMap<clang::SourceLocation, size_t>;

class SourceText {
public:
  /// A range of the file, and its text with comments and line breaks turned into blanks.
  struct Spelled {
    TextRange Range;
    std::string OneLine;
    bool HasDirective =
        false; ///< it contains a preprocessor directive, so OneLine is not valid C++
  };

  SourceText(const clang::SourceManager &Sources, const clang::LangOptions &Language,
             const UnitTokens &Tokens, const TokenIndex &Index, clang::FileID File)
      : Sources(Sources), Language(Language), Tokens(Tokens), Index(Index), File(File) {}
  virtual ~SourceText() = default;

  [[nodiscard]] const clang::SourceManager &sources() const { return Sources; }
  [[nodiscard]] const clang::LangOptions &language() const { return Language; }
  [[nodiscard]] const UnitTokens &tokens() const { return Tokens; }
  [[nodiscard]] const TokenIndex &index() const { return Index; }
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

  /// The index of the expanded token at a location of the AST; none for locations outside the
  /// unit's files.
  [[nodiscard]] std::optional<size_t> indexOf(clang::SourceLocation Location) const;

  /// The text that spells the expanded tokens First to Last, both included; none if they are not
  /// exactly a part of the file.
  [[nodiscard]] virtual std::optional<Spelled> spelled(size_t First, size_t Last) const;
  [[nodiscard]] std::optional<Spelled> spelled(clang::SourceRange Range) const;

  /// Whether the parser met this location while it read this file, or a macro that this file uses.
  [[nodiscard]] virtual bool inFile(clang::SourceLocation Location) const;

  /// The offset in the file for a location: of its spelling, or of the macro use that it comes
  /// from.
  [[nodiscard]] virtual unsigned offsetOf(clang::SourceLocation Location) const;

  [[nodiscard]] clang::SourceLocation locationOf(unsigned Offset) const;

  /// The line number that compilers show, after `#line`.
  [[nodiscard]] unsigned lineOf(clang::SourceLocation Location) const;

protected:
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  const UnitTokens &Tokens;

private:
  const TokenIndex &Index;
  clang::FileID File;
};

/// The body of a macro, in the file that defines it, as one use of the macro expanded it. A
/// parameter's name stands for the tokens of its argument.
class MacroText : public SourceText {
public:
  /// `Expansion` is clang's id for the expansion of that use.
  MacroText(const SourceText &Use, clang::FileID Expansion);

  using SourceText::spelled;
  [[nodiscard]] std::optional<Spelled> spelled(size_t First, size_t Last) const override;
  [[nodiscard]] bool inFile(clang::SourceLocation Location) const override;
  [[nodiscard]] unsigned offsetOf(clang::SourceLocation Location) const override;

private:
  /// Where the body spells the beginning or end of what became a token; invalid if the body does
  /// not spell it.
  [[nodiscard]] clang::SourceLocation inBody(clang::SourceLocation Location, bool End) const;
  [[nodiscard]] bool leadsHere(clang::SourceLocation Location) const;

  clang::FileID Expansion;
};

} // namespace graphprof::instrument

#endif
