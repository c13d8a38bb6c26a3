// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How nvcc splits text into words: in options files, in its environment variables, and in values
// that are lists. The rules were found by running nvcc 13.0.

#ifndef GRAPHPROF_TOOL_NVCC_QUOTING_H
#define GRAPHPROF_TOOL_NVCC_QUOTING_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphprof::nvcc {

/// The words of an options file. Double quotes group and are removed, even after a backslash. A
/// backslash is removed and keeps the character behind it. Apostrophes and '#' mean nothing.
std::vector<std::string> splitOptionsFile(llvm::StringRef Text);

/// The words of NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS. Double quotes group and stay.
std::vector<std::string> splitEnvironment(llvm::StringRef Text);

/// A list of strings (-D, -Xcompiler). Commas outside double quotes separate. Quotes stay. A
/// backslash is removed and keeps the character behind it. Empty items are dropped.
std::vector<std::string> splitStrings(llvm::StringRef Value);

/// A list of paths (-I, -include). Commas outside double quotes separate. Quotes are removed. A
/// backslash is an ordinary character.
std::vector<std::string> splitPaths(llvm::StringRef Value);

/// The words that the shell sees if nvcc puts this text into the host compiler's command.
std::vector<std::string> splitShell(llvm::StringRef Text);

} // namespace graphprof::nvcc

#endif
