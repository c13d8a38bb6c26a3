// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The types of the values in annotations, as far as the syntax tree shows them: literals, and names
// of variables, parameters and members. clang parses no attribute of ours, so what is more than a
// name stays unknown here; the compiler of the instrumented file checks the rest.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_VALUETYPES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_VALUETYPES_H

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Fills in Argument::Type; annotations and constructs have been recorded. A name that nothing in
/// the unit declares is an error, where clang understood the whole unit.
void recordValueTypes(Unit &Parsed, clang::ASTContext &Context, bool Understood);

} // namespace graphprof::instrument

#endif
