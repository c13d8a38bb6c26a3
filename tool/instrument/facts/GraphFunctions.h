// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The CUDA functions that have a counterpart in graphprof::cuda: those of the runtime API in
// <graphprof/cuda.h>, those of the driver API in <graphprof/cuda_driver.h>, and both for C in
// <graphprof/c.h>, as graphprof_cudaGraphLaunch. The headers and these lists come from
// graphprof/detail/calls.def.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_GRAPHFUNCTIONS_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_GRAPHFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::instrument {

/// In alphabetical order.
llvm::ArrayRef<llvm::StringLiteral> graphFunctions();

/// The listed function that a declared name stands for, or an empty string. CUDA's headers rename
/// some functions by macro, for example `cudaGraphLaunch` to `cudaGraphLaunch_ptsz` with per-thread
/// default streams. The program writes the plain name.
llvm::StringRef listedFunction(llvm::StringRef DeclaredName);

/// Whether this is a listed function that changes, updates or destroys an existing graph, exec or
/// node. If such a call bypasses graphprof, graphprof's own exec of the graph does not change, and
/// the program may compute something else. Calls of functions that create something new from a
/// graph, or use it, only cost times.
bool changesGraphs(llvm::StringRef Name);

/// Whether a function of CUDA's may change graphs in a way that no list knows: a newer toolkit has
/// it, its name says Graph or Capture, and not that it only asks (Get).
bool isUnknownOfGraphs(llvm::StringRef DeclaredName);

/// The first word of a text that names a listed function which changes graphs; empty if there is
/// none. For texts that could not be parsed, so words in comments count too.
llvm::StringRef mentionedChange(llvm::StringRef Text);

/// Whether the function has a `_v2` form with edge data. In C++ graphprof's overloads tell the two
/// apart. C needs the name.
bool hasFormWithEdgeData(llvm::StringRef Name);

/// What a listed function is redirected to. `Written` is the name as the program spells it.
std::string wrapperOf(llvm::StringRef Name, llvm::StringRef Written, bool InC);

/// Whether graphprof's headers for C++ have several functions of this name.
bool hasOverloads(llvm::StringRef Name);

/// Copies and allocations, which have counterparts in the same headers. listedFunction() does not
/// know them.
llvm::ArrayRef<llvm::StringLiteral> memoryFunctions();

/// The CUDA_VERSION of the first toolkit that has the function; 0 if all supported ones do.
unsigned sinceToolkit(llvm::StringRef Name);

/// As listedFunction(), for memoryFunctions().
llvm::StringRef listedMemoryFunction(llvm::StringRef DeclaredName);

/// Whether a call of this listed function can stay unredirected without a message, because regions
/// have the same times without it: copies, allocations, a stream's wait for an event, and what a
/// program asks about its graphs.
bool mayStay(llvm::StringRef DeclaredName);

} // namespace graphprof::instrument

#endif
