// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Dependency files (make's `object: source header...`) speak of the originals afterwards, so that
// the build system watches what a person edits.

#ifndef GRAPHPROF_TOOL_LAUNCHER_DEPENDENCYFILE_H
#define GRAPHPROF_TOOL_LAUNCHER_DEPENDENCYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::launcher {

/// The text with every path replaced for which `Original` knows another (it returns an empty text
/// for the others), and with `More` as further prerequisites of the first rule. All else stays byte
/// for byte. Spelling is make's, as gcc, clang and nvcc write it: `\ ` and `\#` and `$$`.
std::string withOriginals(llvm::StringRef Text,
                          llvm::function_ref<std::string(llvm::StringRef Path)> Original,
                          llvm::ArrayRef<std::string> More = {});

} // namespace graphprof::launcher

#endif
