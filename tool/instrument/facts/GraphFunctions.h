// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The CUDA functions that have a counterpart in graphprof::cuda: <graphprof/cuda.h> defines those
// of the runtime API, <graphprof/cuda_driver.h> those of the driver API, <graphprof/c.h> both for
// C, as graphprof_cudaGraphLaunch. They and this come from graphprof/detail/calls.def.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_GRAPHFUNCTIONS_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_GRAPHFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace graphprof::instrument {

/// In alphabetical order.
llvm::ArrayRef<llvm::StringLiteral> graphFunctions();

/// The listed function that a declared name stands for, or an empty string. CUDA's headers rename
/// some functions by macro
/// (`cudaGraphLaunch` to `cudaGraphLaunch_ptsz` with per-thread default streams); the program
/// writes the plain name.
llvm::StringRef listedFunction(llvm::StringRef DeclaredName);

/// Whether this is a listed function that changes, updates or destroys a graph, an exec or a node
/// that is there. Where such a call does not go through graphprof, graphprof's own exec of the
/// graph stays as it was, and the program may compute something else. Those that make something
/// new, or use it, only cost times.
bool changesGraphs(llvm::StringRef Name);

/// The first word of a text that names such a function; empty where there is none. For texts that
/// could not be parsed: comments count as well.
llvm::StringRef mentionedChange(llvm::StringRef Text);

/// Whether there is a form of it with edge data, under its name with `_v2`. In C++ graphprof's
/// overloads tell the two apart, in C the name has to.
bool hasFormWithEdgeData(llvm::StringRef Name);

/// Whether graphprof's headers for C++ have several functions of this name.
bool hasOverloads(llvm::StringRef Name);

/// The copies and the allocations, which have a counterpart in the same headers. A
/// group of its own: listedFunction() does not know them.
llvm::ArrayRef<llvm::StringLiteral> memoryFunctions();

/// The CUDA_VERSION of the first toolkit that has it, where that is not every one.
unsigned sinceToolkit(llvm::StringRef Name);

/// As listedFunction(), of memoryFunctions().
llvm::StringRef listedMemoryFunction(llvm::StringRef DeclaredName);

/// Whether a call of this listed function may stay as it is without a word: regions have the same
/// times without it. Copies, allocations, and a stream's wait for an event.
bool mayStay(llvm::StringRef DeclaredName);

} // namespace graphprof::instrument

#endif
