// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides from text alone whether a compile command's sources can have anything to instrument, so
// that clang need not parse those that have nothing: the sources, and the headers that they
// include, whatever `#if` is around them. Words in comments and strings count. Where in doubt, the
// sources have to be parsed.

#ifndef GRAPHPROF_TOOL_LAUNCHER_SCAN_H
#define GRAPHPROF_TOOL_LAUNCHER_SCAN_H

#include "nvcc/Command.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace graphprof::launcher {

/// What of a compile command a scan goes by.
struct ScanOf {
  const nvcc::Command &Parsed;
  llvm::ArrayRef<nvcc::Input> Sources;
  std::string Compiler; ///< as in the command; nvcc's own headers are beside it
  bool Memory = true;   ///< copies and allocations are redirected, too
};

/// Why the sources have to be parsed, for people: "a.h names cudaGraphLaunch". Empty: nothing in
/// them or in the headers that they include can be instrumented.
std::string whyParse(const ScanOf &What);

} // namespace graphprof::launcher

#endif
