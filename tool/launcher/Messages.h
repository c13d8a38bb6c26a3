// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What programs printed, and which of it people see.

#ifndef GRAPHPROF_TOOL_LAUNCHER_MESSAGES_H
#define GRAPHPROF_TOOL_LAUNCHER_MESSAGES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace graphprof::launcher {

/// The tool's messages, without its summaries unless Verbose.
std::string shown(llvm::StringRef Messages, bool Verbose);

/// The tool's first error. --verbose shows all.
std::string reasonIn(llvm::StringRef Messages);

/// Whether a compiler did not find a header with this in its name, such as one of graphprof's own,
/// which it gets with the copies.
bool lacksHeader(llvm::StringRef Messages, llvm::StringRef Name);

} // namespace graphprof::launcher

#endif
