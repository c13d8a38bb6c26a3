// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the types of the values in annotations: literals, and names of variables, parameters and
// members. clang does not parse the attributes, so the type of any other expression stays unknown.
// The compiler of the instrumented file checks those.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_VALUETYPES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_VALUETYPES_H

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Fills in Argument::Type. Record annotations and constructs first. A name that the unit does not
/// declare is an error if clang understood the whole unit.
void recordValueTypes(Unit &Parsed, clang::ASTContext &Context, bool Understood);

} // namespace graphprof::instrument

#endif
