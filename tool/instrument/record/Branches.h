// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Clang does not evaluate the condition of `if constexpr (this->member)`, which nvcc and gcc
// accept, and then reports what does not compile in the branch that is not taken.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_BRANCHES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_BRANCHES_H

#include "source/Reporter.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Takes back the errors in the branches of such statements.
void forgiveBranches(Reporter &Reports, clang::ASTContext &Context);

} // namespace graphprof::instrument

#endif
