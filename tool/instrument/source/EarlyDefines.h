// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds macros that configure the headers of CUDA and the C library. If a source defines one before
// it includes CUDA, the include in front of the copy needs that definition too.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_EARLYDEFINES_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_EARLYDEFINES_H

#include "source/HeaderCache.h"

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

class EarlyDefines : public clang::PPCallbacks {
public:
  /// Adds the directives to `Into`, as written. Sets `Declared` if the unit includes one of the
  /// headers that declare CUDA's functions. `Before`: of the headers that came precompiled.
  EarlyDefines(const clang::Preprocessor &PP, const HeaderFacts &Before,
               std::vector<std::string> &Into, bool &Declared)
      : Sources(PP.getSourceManager()), Language(PP.getLangOpts()), Into(Into), Declared(Declared),
        CudaSeen(Before.DeclareRuntime) {
    Declared |= Before.DeclareRuntime || Before.DeclareDriver;
  }

  void FileChanged(clang::SourceLocation Location, FileChangeReason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override;
  void MacroDefined(const clang::Token &Name, const clang::MacroDirective *Directive) override;

private:
  const clang::SourceManager &Sources;
  const clang::LangOptions &Language;
  std::vector<std::string> &Into;
  bool &Declared;
  bool CudaSeen;
};

} // namespace graphprof::instrument

#endif
