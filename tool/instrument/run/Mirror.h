// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where headers are rewritten: which files need a copy, and where the compiler looks for them, so
// that no translation unit sees a header and its copy.
//
// A file that includes a copied one must be copied too, or it would find the original beside
// itself. And what a copied file includes from beside itself must lie beside the copy. The rest is
// found where it always was.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_MIRROR_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_MIRROR_H

#include "source/Includes.h"

#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace graphprof::instrument {

struct MirroredFile {
  std::string Path;   ///< in the graph
  std::string LinkTo; ///< a link to the copy of this path, which is the same file; empty: a copy
};

/// The headers to copy, given those that change and the sources, which are copied anyway. Paths are
/// the graph's.
std::vector<MirroredFile> mirror(const IncludeGraph &Graph, const llvm::StringSet<> &Changed,
                                 const llvm::StringSet<> &Sources);

struct SearchDirectory {
  std::string Path;
  bool OfCopies; ///< where the copies of the headers in Path lie
};

/// What the compiler must search before what its command names: each directory of the search path
/// that holds copied headers comes behind the one of their copies. Empty where no header is found
/// by the search path.
std::vector<SearchDirectory> searchFirst(const IncludeGraph &Graph,
                                         const std::vector<MirroredFile> &Mirrored);

} // namespace graphprof::instrument

#endif
