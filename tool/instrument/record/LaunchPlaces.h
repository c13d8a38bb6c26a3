// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the text of a launch that a guard can enclose. Knows nothing of kernels.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHPLACES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHPLACES_H

#include "source/SourceText.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace graphprof::instrument {

inline constexpr llvm::StringLiteral InMacro = "in a macro's body";

/// The text of a launch, and its nodes of the syntax tree.
struct LaunchPlace {
  TextRange Text;
  bool IsExpression = true; ///< otherwise one or more statements that braces can enclose
  llvm::SmallVector<clang::Stmt *, 1> Parts; ///< the expression, or the statements
  std::string Obstacle;                      ///< why there is no such text; empty if there is
};

/// The launch itself if the file spells it, also as a macro's argument; otherwise the use of the
/// macro that spells it. `Above` leads from the outermost statement to the call.
LaunchPlace placeOf(clang::CallExpr *Call, llvm::ArrayRef<clang::Stmt *> Above,
                    const SourceText &Source);

} // namespace graphprof::instrument

#endif
