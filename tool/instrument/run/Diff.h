// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Shows what a run would change in place: --diff for people and patch programs, --export-fixes for
// clang-apply-replacements.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_DIFF_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_DIFF_H

#include "run/FileResult.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::instrument {

/// Writes a unified diff of one file, with git's `a/` and `b/` before the path. The path is
/// relative to the working directory, or absolute without the first slash for files elsewhere.
/// Nothing for an unchanged file.
void writeDiff(llvm::raw_ostream &Out, const FileResult &File);

/// The changes of all files in the format of clang-apply-replacements. Fails if a change contains
/// bytes that YAML cannot represent.
llvm::Expected<std::string> exportFixes(llvm::ArrayRef<FileResult> Files);

} // namespace graphprof::instrument

#endif
