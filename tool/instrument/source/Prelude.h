// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Headers in memory that exist only while the tool parses.
//
// One is included before every CUDA source and makes clang look like nvcc: it defines nvcc's macros
// and the global min and max. It follows clang's own CUDA header, which must not see these macros,
// so -D flags would not do. Another one replaces <graphprof/cuda.h> if the flags lead to no real
// one, so that an instrumented file parses again. The others include some of gcc's headers.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_PRELUDE_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_PRELUDE_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace graphprof::instrument {

inline constexpr llvm::StringLiteral NvccPreludePath = "/graphprof-instrument/nvcc.h";

/// A directory to search last, with the replacement of <graphprof/cuda.h>.
inline constexpr llvm::StringLiteral FallbackIncludePath = "/graphprof-instrument/include";

/// A directory to search last, with gcc's own headers that clang lacks.
inline constexpr llvm::StringLiteral GccIncludePath = "/graphprof-instrument/gcc";

/// Adds the headers below FallbackIncludePath, for a source in which the calls of the functions in
/// `Used` have been redirected.
void addStandIns(llvm::vfs::InMemoryFileSystem &Into, const llvm::StringSet<> &Used);

/// The machine's files and these headers.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> fileSystemWithPrelude();

} // namespace graphprof::instrument

#endif
