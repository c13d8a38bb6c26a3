// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the calls that change graphs in headers that are never rewritten: those of the system, of
// other projects (-isystem), and of the toolkit. Such headers may have many functions that change
// graphs. Only those that the project's code calls matter.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_REACH_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_REACH_H

#include "source/Toolkit.h"
#include "source/Unit.h"

namespace graphprof::instrument {

/// Whether one of such headers names a function that changes, updates or destroys graphs
/// (changesGraphs()). Mostly none does. `Mentioning`: headers that came precompiled and name one.
bool changesAreMentioned(const Unit &Parsed, Toolkit &Cudas,
                         llvm::ArrayRef<std::string> Mentioning);

/// The references to functions that change, update or destroy graphs in functions of such headers
/// that the unit's other files call, directly or indirectly. Constructors, destructors and virtual
/// functions of the objects that they create count, too. The bodies of all functions must have been
/// parsed.
std::vector<clang::SourceLocation> reachedChanges(const Unit &Parsed, clang::ASTContext &Context,
                                                  Toolkit &Cudas);

} // namespace graphprof::instrument

#endif
