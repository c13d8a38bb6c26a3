// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where instrumented files go, and how they get there: whole or not at all.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_OUTPUTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_OUTPUTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphprof::instrument {

/// The copy of a source below OutDir. A source below Root, a directory, keeps its path from there:
/// with the root at hand, `src/a.cu`, `./src/a.cu` and `/work/src/a.cu` all go to
/// `<OutDir>/src/a.cu`. Any other keeps its absolute path below `<OutDir>/outside`, so that nothing
/// is written outside of OutDir and no two sources meet.
std::string outputPath(llvm::StringRef Source, llvm::StringRef OutDir, llvm::StringRef Root);

/// Writes a file with the permissions of Model, if there is such a file: to a temporary file beside
/// it, which then takes its name. A symbolic link stays one; what it points to is replaced. A
/// device or a pipe is written into, and "-" is stdout. A read-only file that is its own model
/// stays as it is. Makes the directories on the way.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Text, llvm::StringRef Model);

/// Makes Path a symbolic link to Target, which stands for the same file: a relative link, so that
/// the output can be moved. What is there already is replaced.
llvm::Error writeLink(llvm::StringRef Path, llvm::StringRef Target);

} // namespace graphprof::instrument

#endif
