// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the kernels and device functions around annotated statements, and what keeps one of them
// from having a timed twin.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_DEVICEFUNCTIONS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_DEVICEFUNCTIONS_H

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Adds to each of the unit's files its kernels and device functions with annotated statements, and
/// those that call such functions. It needs the statements' constructs.
void recordDeviceFunctions(Unit &Parsed, clang::ASTContext &Context);

} // namespace graphprof::instrument

#endif
