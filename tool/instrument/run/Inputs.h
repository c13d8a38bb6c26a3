// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The files that a run reads, so that it overwrites none of them. An output may lead to an input
// through a symbolic link, a hard link or another spelling of its path, so files are compared, not
// names.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RUN_INPUTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RUN_INPUTS_H

#include "clang/Basic/FileManager.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <string>

namespace graphprof::instrument {

class Inputs {
public:
  void add(llvm::StringRef Path);
  /// Adds all files that a compiler has opened.
  void add(const clang::FileManager &Files);
  void add(const Inputs &Others) { Names.insert(Others.Names.begin(), Others.Names.end()); }

  /// The input that writing to this path would change; empty if there is none, or if it is
  /// `Itself`, which may be written.
  [[nodiscard]] std::string at(llvm::StringRef Path, llvm::StringRef Itself = "") const;

private:
  std::map<llvm::sys::fs::UniqueID, std::string> Names;
};

} // namespace graphprof::instrument

#endif
