// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Names and writes the output files. Each is written completely or not at all.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_OUTPUTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_OUTPUTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace graphprof::instrument {

/// The path of a source's copy below OutDir. A source below the directory Root keeps its path
/// relative to Root: `src/a.cu`, `./src/a.cu` and `/work/src/a.cu` all go to `<OutDir>/src/a.cu` if
/// Root is /work. Other sources keep their absolute path below `<OutDir>/outside`, so nothing is
/// written outside OutDir, and no two sources collide.
std::string outputPath(llvm::StringRef Source, llvm::StringRef OutDir, llvm::StringRef Root);

/// Writes a file with the permissions of Model, if Model exists: first a temporary file beside it,
/// which is then renamed. A symbolic link stays, and its target is replaced. Devices and pipes are
/// written into, and "-" is stdout. A read-only file that is its own model is an error. Makes
/// missing directories.
llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Text, llvm::StringRef Model);

/// The relative path that leads from a directory to a file. Both are absolute, or both relative to
/// the same directory, and have no "." and "..".
std::string pathBetween(llvm::StringRef Directory, llvm::StringRef File);

/// Makes Path a relative symbolic link to Target, which is the same file, so that the output can be
/// moved. Replaces what is there.
llvm::Error writeLink(llvm::StringRef Path, llvm::StringRef Target);

} // namespace graphprof::instrument

#endif
