// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A parsed translation unit, as recording sees it: its source and those of its headers that are
// rewritten with it, each with its text and with what was found in it.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_UNIT_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_UNIT_H

#include "facts/Facts.h"
#include "source/SourceText.h"

#include "clang/AST/DeclBase.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace graphprof::instrument {

class Unit {
public:
  /// What stands behind an annotation.
  struct Behind {
    size_t Token;           ///< expanded
    const SourceText *View; ///< of the file, or of the macro whose body holds the annotation
  };
  struct File {
    SourceText Source;
    Facts Known;
    std::vector<Behind> Next; ///< for each annotation
    /// The kernels that annotations stand on, and where those stand.
    std::vector<std::pair<unsigned, const clang::FunctionDecl *>> Kernels;
  };

  /// `Chosen` says which headers are rewritten, given a name as the compiler knows it.
  Unit(const clang::SourceManager &Sources, const clang::LangOptions &Language,
       const UnitTokens &Tokens, llvm::function_ref<bool(llvm::StringRef)> Chosen);

  [[nodiscard]] const clang::SourceManager &sources() const { return Sources; }
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> expanded() const {
    return Tokens.expandedTokens();
  }

  /// The source first. A header that is included twice, without a guard, is there twice.
  [[nodiscard]] llvm::ArrayRef<std::unique_ptr<File>> files() const { return Files; }
  [[nodiscard]] File &source() const { return *Files.front(); }

  /// The file that the parser read when it met a location, macros included; null for others.
  [[nodiscard]] File *fileAt(clang::SourceLocation Location) const;
  /// The file in which a spelling lies; null for others.
  [[nodiscard]] File *fileOf(clang::FileID Id) const;

  /// Project headers that hold annotations but are not rewritten: what a kernel's declaration says
  /// there counts for its launches here.
  [[nodiscard]] llvm::ArrayRef<std::unique_ptr<File>> filesOnlyRead() const { return OnlyRead; }
  void addFileOnlyRead(clang::FileID Id);
  /// As fileAt, with those.
  [[nodiscard]] File *fileReadAt(clang::SourceLocation Location) const;

  /// The body of a macro as one of its uses expanded it.
  const SourceText &bodyOf(const SourceText &Use, clang::FileID Expansion);

  /// Whether the project's code can be in this declaration, which stands outside all others.
  [[nodiscard]] bool mayHoldCode(const clang::Decl *Top) const;

  /// Makes SourceText::indexOf work, in every file; once is enough. Not needed where nothing is
  /// annotated.
  void indexTokens();

private:
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  const UnitTokens &Tokens;
  std::vector<std::unique_ptr<File>> Files;
  std::vector<std::unique_ptr<File>> OnlyRead;
  llvm::DenseMap<clang::FileID, File *> ById;
  llvm::DenseMap<clang::FileID, File *> OnlyReadById;
  TokenIndex Index;
  llvm::DenseMap<clang::FileID, std::unique_ptr<MacroText>> Bodies;
};

} // namespace graphprof::instrument

#endif
