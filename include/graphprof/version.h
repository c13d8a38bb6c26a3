// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which graphprof a program is compiled with, and which one it runs with. C11 and C++17. This file
// is the one place that has the version: CMakeLists.txt reads it here.

#ifndef GRAPHPROF_VERSION_H
#define GRAPHPROF_VERSION_H

#include "graphprof/detail/export.h"

// Of the headers
#define GRAPHPROF_VERSION_MAJOR 0
#define GRAPHPROF_VERSION_MINOR 1
#define GRAPHPROF_VERSION_PATCH 0

/// One number that grows with each release: 10203 is version 1.2.3.
///
///     #if GRAPHPROF_VERSION >= 10203
#define GRAPHPROF_VERSION                                                                          \
  (10000 * GRAPHPROF_VERSION_MAJOR + 100 * GRAPHPROF_VERSION_MINOR + GRAPHPROF_VERSION_PATCH)

/// "1.2.3"
#define GRAPHPROF_VERSION_STRING                                                                   \
  GRAPHPROF_VERSION_TEXT(GRAPHPROF_VERSION_MAJOR, GRAPHPROF_VERSION_MINOR, GRAPHPROF_VERSION_PATCH)
#define GRAPHPROF_VERSION_TEXT(major, minor, patch)                                                \
  GRAPHPROF_VERSION_WORD(major)                                                                    \
  "." GRAPHPROF_VERSION_WORD(minor) "." GRAPHPROF_VERSION_WORD(patch)
#define GRAPHPROF_VERSION_WORD(number) #number

#ifdef __cplusplus

/// The version of the library that is loaded, as GRAPHPROF_VERSION. It may be newer than the
/// headers.
extern "C" GRAPHPROF_API int graphprof_version() noexcept;

namespace graphprof {
inline namespace v1 {

/// graphprof_version().
///
///     if (graphprof::version() < GRAPHPROF_VERSION)
///       std::fputs("libgraphprof.so is older than the program\n", stderr);
inline int version() noexcept { return graphprof_version(); }

} // namespace v1
} // namespace graphprof

#else

GRAPHPROF_API int graphprof_version(void);

#endif

#endif // GRAPHPROF_VERSION_H
