// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Headers that exist only while the tool parses.
//
// One is forced in front of every CUDA source and makes clang look like nvcc to it: nvcc's macros,
// and the global min and max of nvcc's headers. It comes after clang's own CUDA header, which must
// not see these macros; so they cannot be -D flags. The other stands in for <graphprof/cuda.h>
// where the flags lead to no real one, so that an instrumented file parses again. The rest lead to
// headers of gcc's.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_PRELUDE_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_PRELUDE_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace graphprof::instrument {

inline constexpr llvm::StringLiteral NvccPreludePath = "/graphprof-instrument/nvcc.h";

/// A directory to search last, with the stand-in below it.
inline constexpr llvm::StringLiteral FallbackIncludePath = "/graphprof-instrument/include";

/// A directory to search last, with those of gcc's own headers that clang lacks.
inline constexpr llvm::StringLiteral GccIncludePath = "/graphprof-instrument/gcc";

/// The stand-in below FallbackIncludePath; for a source whose calls of the functions in `Used` have
/// been redirected.
void addStandIns(llvm::vfs::InMemoryFileSystem &Into, const llvm::StringSet<> &Used);

/// The machine's files, and these.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithPrelude();

} // namespace graphprof::instrument

#endif
