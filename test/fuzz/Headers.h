// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The headers of a case, in memory. Nothing is read from disk while the fuzzer runs.

#ifndef GRAPHPROF_TEST_FUZZ_HEADERS_H
#define GRAPHPROF_TEST_FUZZ_HEADERS_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <vector>

namespace graphprof::fuzz {

/// The name of a case's source, for messages and `#line`.
inline constexpr llvm::StringLiteral CasePath = "/case.cu";

class HeaderFiles {
public:
  /// Adds a directory tree of the disk under another name.
  void addDirectory(llvm::StringRef Directory, llvm::StringRef As);
  void addFile(llvm::StringRef Path, llvm::StringRef Text);
  /// Shares the current headers of others.
  void addAll(const HeaderFiles &Others);

  /// A file system with these headers and a source.
  [[nodiscard]] llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with(llvm::StringRef Source) const;

private:
  using Layer = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;
  Layer Own = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  std::vector<Layer> Shared;
};

} // namespace graphprof::fuzz

#endif
