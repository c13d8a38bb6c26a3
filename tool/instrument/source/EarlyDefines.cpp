// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/EarlyDefines.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

bool configures(llvm::StringRef Name) {
  constexpr llvm::StringLiteral Prefixes[] = {"CUDA",
                                              "__CUDA",
                                              "_GNU_SOURCE",
                                              "_POSIX_C_SOURCE",
                                              "_XOPEN_SOURCE",
                                              "_FILE_OFFSET_BITS",
                                              "_USE_MATH_DEFINES",
                                              "_GLIBCXX_",
                                              "__STDC_",
                                              "_FORTIFY_SOURCE"};
  return llvm::any_of(Prefixes, [=](llvm::StringRef Prefix) { return Name.starts_with(Prefix); });
}

} // namespace

void EarlyDefines::FileChanged(SourceLocation Location, FileChangeReason,
                               SrcMgr::CharacteristicKind, FileID) {
  const llvm::StringRef Name = llvm::sys::path::filename(Sources.getFilename(Location));
  CudaSeen |= Name == "cuda_runtime_api.h";
  Declared |= CudaSeen || Name == "cuda.h";
}

void EarlyDefines::MacroDefined(const clang::Token &Name, const MacroDirective *Directive) {
  const MacroInfo *Info = Directive->getMacroInfo();
  if (CudaSeen || !Info->isObjectLike() || !Sources.isWrittenInMainFile(Name.getLocation()) ||
      !configures(Name.getIdentifierInfo()->getName()))
    return;
  const auto Range =
      CharSourceRange::getTokenRange(Info->getDefinitionLoc(), Info->getDefinitionEndLoc());
  const llvm::StringRef Text = Lexer::getSourceText(Range, Sources, Language);
  if (!Text.contains('\n'))
    Into.push_back(("#define " + Text).str());
}

} // namespace graphprof::instrument
