// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// For rewritten headers: decides which files need a copy and where the compiler looks for them, so
// that no translation unit sees both a header and its copy.
//
// A file that includes a copied file must be copied too, because otherwise it would find the
// original beside itself. What a copied file includes from its own directory must be beside the
// copy. Other headers are found as before.

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

/// The headers to copy, given those that change, and the sources, which are copied anyway. Paths
/// are those of the graph.
std::vector<MirroredFile> mirror(const IncludeGraph &Graph, const llvm::StringSet<> &Changed,
                                 const llvm::StringSet<> &Sources);

struct SearchDirectory {
  std::string Path;
  bool OfCopies; ///< where the copies of the headers in Path lie
};

/// The directories that the compiler must search before those of its command: each directory of the
/// search path (of -I, or of -iquote) with copied headers, behind the directory of the copies.
/// Empty if no header is found by the search path.
std::vector<SearchDirectory> searchFirst(llvm::ArrayRef<std::string> SearchPath,
                                         const std::vector<MirroredFile> &Mirrored);

} // namespace graphprof::instrument

#endif
