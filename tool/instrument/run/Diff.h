// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a run would do in place, for people and for patch programs: --diff and --export-fixes.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_DIFF_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_DIFF_H

#include "run/FileResult.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::instrument {

/// A unified diff of one file, with git's `a/` and `b/` in front of the path from the working
/// directory (from the root, for files elsewhere). Nothing for a file that does not change.
void writeDiff(llvm::raw_ostream &Out, const FileResult &File);

/// The changes of all files as clang-apply-replacements reads them. Fails where a change holds
/// bytes that YAML cannot.
llvm::Expected<std::string> exportFixes(llvm::ArrayRef<FileResult> Files);

} // namespace graphprof::instrument

#endif
