// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A parsed translation unit, as recording sees it: the source and the headers that are rewritten
// with it, each with its text and facts.

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
  /// The token behind an annotation.
  struct Behind {
    size_t Token;           ///< expanded
    const SourceText *View; ///< of the file, or of the macro with the annotation in its body
  };
  struct File {
    SourceText Source;
    Facts Known;
    std::vector<Behind> Next; ///< for each annotation
    /// The kernels with annotations, and the offsets of those annotations.
    std::vector<std::pair<unsigned, const clang::FunctionDecl *>> Kernels;
  };

  /// `Chosen` says which headers are rewritten. It gets the compiler's name of a header.
  Unit(const clang::SourceManager &Sources, const clang::LangOptions &Language,
       const UnitTokens &Tokens, llvm::function_ref<bool(llvm::StringRef)> Chosen);

  [[nodiscard]] const clang::SourceManager &sources() const { return Sources; }
  [[nodiscard]] llvm::ArrayRef<clang::syntax::Token> expanded() const {
    return Tokens.expandedTokens();
  }

  /// Whether a part of a file uses the macro __COUNTER__, and would change its values once more if
  /// it was written twice.
  [[nodiscard]] bool counts(const File &In, TextRange Part) const;

  /// All files, the source first. A header that is included twice, without a guard, is there twice.
  [[nodiscard]] llvm::ArrayRef<std::unique_ptr<File>> files() const { return Files; }
  [[nodiscard]] File &source() const { return *Files.front(); }

  /// The file that the parser was reading at a location, also inside macros; null for other files.
  [[nodiscard]] File *fileAt(clang::SourceLocation Location) const;
  /// The file with this id; null for other files.
  [[nodiscard]] File *fileOf(clang::FileID Id) const;

  /// Project headers with annotations that are not rewritten. Annotations on kernels' declarations
  /// there apply to launches here.
  [[nodiscard]] llvm::ArrayRef<std::unique_ptr<File>> filesOnlyRead() const { return OnlyRead; }
  void addFileOnlyRead(clang::FileID Id);
  /// As fileAt, but also finds those headers.
  [[nodiscard]] File *fileReadAt(clang::SourceLocation Location) const;

  /// A view of a macro's body, as one use expanded it.
  const SourceText &bodyOf(const SourceText &Use, clang::FileID Expansion);

  /// The declarations at the top of the unit, without those that nobody asked for yet of a
  /// precompiled header, which holds none of the project's.
  [[nodiscard]] static clang::DeclContext::decl_range topLevel(clang::ASTContext &Context);
  /// Whether this top-level declaration can contain the project's code.
  [[nodiscard]] bool mayHoldCode(const clang::Decl *Top) const;

  /// Prepares SourceText::indexOf in every file. Call it once, and only if there are annotations.
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
