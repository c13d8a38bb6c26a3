// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps the parse of the headers that stand in front of every CUDA source, as clang's precompiled
// header, in a folder that later runs share: the toolkit's, and nvcc's prelude. Reading them is
// most of what parsing a small source takes.
//
// There is one for each toolkit, clang, version of graphprof and set of flags, with the bodies of
// functions or without, as the compilation reads them. Nothing depends on the cache: where it does
// not work, for whatever reason, the headers are parsed.
//
//   KEY.note   exists once a source had these flags; locked while a run makes the header. So the
//              first source leaves a note only, and flags that no second source has cost nothing
//   KEY.list   the name and checksum of the precompiled header, the files that it was made of, and
//              what a unit must know of them; its time is that of the last use
//   KEY-SUM.pch
//
// A file appears complete, by renaming, and does not change. Many runs may use the folder at once.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_HEADERCACHE_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_HEADERCACHE_H

#include "source/Precompile.h"

#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphprof::instrument {

struct HeaderCacheSettings {
  std::string Folder; ///< need not exist; empty: there is no cache
  std::uint64_t MostBytes = 0;

  /// `GRAPHPROF_CACHE_DIR`, else a folder of the user's, with the size that `GRAPHPROF_CACHE_MB`
  /// allows. `Problem` says what is wrong with the variables, mostly nothing.
  static HeaderCacheSettings fromEnvironment(std::string &Problem);
};

/// How a unit came by the headers in front of it.
struct HeaderUse {
  enum class How {
    Parsed, ///< as in a run without a cache
    Kept,   ///< an earlier run parsed them
    Made,   ///< this run parsed them for later ones
  };
  How Came = How::Parsed;
  std::string Why; ///< why they were parsed, if a cache was wanted
};

/// The cache, for one unit.
class HeaderCache {
public:
  explicit HeaderCache(const HeaderCacheSettings &Settings) : Settings(Settings) {}

  /// Adds the place of the precompiled header, from where clang will read it, to a file system.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  withHeader(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files);

  /// Lets a compilation begin with the precompiled header, if there is one or if it is time to make
  /// one. `Files` reads what the compilation will read.
  void use(clang::CompilerInvocation &Invocation, const clang::FileManager &Files);

  [[nodiscard]] const HeaderUse &used() const { return Used; }
  /// Of the precompiled header, if one is used.
  [[nodiscard]] const HeaderFacts &facts() const { return Facts; }

private:
  class Entry;

  HeaderCacheSettings Settings;
  HeaderUse Used;
  HeaderFacts Facts;
  std::unique_ptr<llvm::MemoryBuffer> Header; ///< clang reads it until it ends
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> Place;
};

} // namespace graphprof::instrument

#endif
