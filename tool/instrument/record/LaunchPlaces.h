// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which text of a file stands for a launch, so that a guard can go around it. Knows nothing of what
// is launched.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHPLACES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHPLACES_H

#include "source/SourceText.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace graphprof::instrument {

inline constexpr llvm::StringLiteral InMacro = "in a macro's body";

/// The text that stands for a launch, and what of the syntax tree it is.
struct LaunchPlace {
  TextRange Text;
  bool IsExpression = true; ///< else one or more statements, for which braces may stand
  llvm::SmallVector<clang::Stmt *, 1> Parts; ///< the expression, or the statements
  std::string Obstacle;                      ///< why there is no such text; empty if there is
};

/// The launch itself where the file spells it, also as a macro's argument; else the use of the
/// macro that spells it. `Above` leads from the outermost statement to the call.
LaunchPlace placeOf(clang::CallExpr *Call, llvm::ArrayRef<clang::Stmt *> Above,
                    const SourceText &Source);

} // namespace graphprof::instrument

#endif
