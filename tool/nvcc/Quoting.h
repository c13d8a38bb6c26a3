// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How nvcc takes words apart: in options files, in its environment variables, and in values that
// are lists. Its rules are its own, found by asking nvcc 13.0; each is stated where it is
// implemented.

#ifndef GRAPHPROF_TOOL_NVCC_QUOTING_H
#define GRAPHPROF_TOOL_NVCC_QUOTING_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphprof::nvcc {

/// The words of an options file. Double quotes group and are then gone, also when a backslash
/// stands before them; a backslash is gone and keeps the character behind it. Apostrophes and '#'
/// mean nothing.
std::vector<std::string> splitOptionsFile(llvm::StringRef Text);

/// The words of NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS: double quotes group and stay.
std::vector<std::string> splitEnvironment(llvm::StringRef Text);

/// A list of strings (-D, -Xcompiler): commas outside double quotes separate, quotes stay, a
/// backslash is gone and keeps the character behind it. Empty items are left out.
std::vector<std::string> splitStrings(llvm::StringRef Value);

/// A list of paths (-I, -include): commas outside double quotes separate, quotes are gone, a
/// backslash is a character like any other.
std::vector<std::string> splitPaths(llvm::StringRef Value);

/// The words that the shell makes of text which nvcc pastes into the host compiler's command.
std::vector<std::string> splitShell(llvm::StringRef Text);

} // namespace graphprof::nvcc

#endif
