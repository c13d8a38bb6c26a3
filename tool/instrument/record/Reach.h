// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a unit really calls of headers that are nobody's to rewrite: those of the system, of other
// projects that the command names with -isystem, and of the toolkit. They may hold any number of
// functions that change graphs; only those that the project's own code leads to matter.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_REACH_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_REACH_H

#include "source/Toolkit.h"
#include "source/Unit.h"

namespace graphprof::instrument {

/// The references to functions that change, update or destroy graphs (changesGraphs()) in functions
/// of such headers that the unit's other files call, directly or through more of them:
/// constructors, destructors and virtual functions of the objects that they make as well.
std::vector<clang::SourceLocation> reachedChanges(const Unit &Parsed, clang::ASTContext &Context,
                                                  Toolkit &Cudas);

} // namespace graphprof::instrument

#endif
