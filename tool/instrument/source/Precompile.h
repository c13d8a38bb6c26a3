// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Parses the headers that stand in front of every CUDA source, and writes clang's precompiled
// header. Knows nothing of where that is kept.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_PRECOMPILE_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_PRECOMPILE_H

#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInvocation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphprof::instrument {

/// What the preprocessor would have said of headers that came precompiled.
struct HeaderFacts {
  struct Include {
    std::string Name; ///< as written
    std::string Found;
    bool IsAngled = false;
  };
  std::vector<Include> Includes; ///< those that search paths were asked for
  /// The files that name functions that change graphs, CUDA's own among them.
  std::vector<std::string> MentionChanges;
  bool DeclareRuntime = false; ///< <cuda_runtime_api.h> is among them
  bool DeclareDriver = false;  ///< <cuda.h> is
};

/// A file that went into a precompiled header.
struct HeaderInput {
  std::string Path;
  std::int64_t Bytes = 0;
  std::int64_t ModifiedNs = 0;

  /// What is there now.
  static std::optional<HeaderInput> at(llvm::StringRef Path);
  [[nodiscard]] bool isUnchanged() const {
    const auto Now = at(Path);
    return Now && Now->Bytes == Bytes && Now->ModifiedNs == ModifiedNs;
  }
};

struct Precompiled {
  HeaderFacts Facts;
  std::vector<HeaderInput> Inputs;
  std::string Why; ///< why it must not be used; mostly empty
};

/// In a compilation with no other source than this one, which is empty, there are only headers.
inline constexpr llvm::StringLiteral NoSource = "/graphprof-instrument/headers.cu";

/// Writes the precompiled header of a compilation of NoSource to a file.
Precompiled precompile(const clang::CompilerInvocation &Common, const clang::FileManager &Files,
                       const std::string &Into);

} // namespace graphprof::instrument

#endif
