// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Rewrites dependency files (make's `object: source header...`) so that they name the original
// files, not the copies: the build system must watch the files that people edit.

#ifndef GRAPHPROF_TOOL_LAUNCHER_DEPENDENCYFILE_H
#define GRAPHPROF_TOOL_LAUNCHER_DEPENDENCYFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::launcher {

/// Returns the text with each path replaced by `Original` of it, unless that is empty, and with
/// `More` as further prerequisites of the first rule. Everything else is unchanged, byte for byte.
/// Escapes are make's, as gcc, clang and nvcc write them: `\ `, `\#` and `$$`.
std::string withOriginals(llvm::StringRef Text,
                          llvm::function_ref<std::string(llvm::StringRef Path)> Original,
                          llvm::ArrayRef<std::string> More = {});

} // namespace graphprof::launcher

#endif
