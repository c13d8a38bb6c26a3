// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/CallPlace.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <unwind.h>

#include "graph/topology/NodeNames.h"
#include "process/Process.h"
#include "process/ScopePath.h"

namespace graphprof::internal {
namespace {

constexpr int mostFrames = 48;

std::string_view fileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool isDriversFrame(const void *address) {
  Dl_info inFile{};
  return dladdr(address, &inFile) && inFile.dli_fname &&
         fileNameOf(inFile.dli_fname).starts_with("libcuda.so");
}

// A return address may already be in the next function.
const void *insideCall(void *returnAddress) { return static_cast<const char *>(returnAddress) - 1; }

} // namespace

std::string placeOf(const void *address) {
  Dl_info inFile{};
  if (!dladdr(address, &inFile) || !inFile.dli_fname)
    return {};
  const std::string_view file = fileNameOf(inFile.dli_fname);
  if (file.starts_with("libgraphprof") || file.starts_with("libcuda"))
    return {}; // ours, the driver's, the runtime's
  return inFile.dli_sname ? fmt::format("in {} ({})", kernelName(inFile.dli_sname), file)
                          : fmt::format("at {}+{:#x}", file,
                                        reinterpret_cast<std::uintptr_t>(address) -
                                            reinterpret_cast<std::uintptr_t>(inFile.dli_fbase));
}

std::string callersOf() {
  constexpr int mostNamed = 6; // a runtime that is linked into the program takes some
  std::array<void *, mostFrames> frames{};
  const int count = backtrace(frames.data(), mostFrames);
  std::string text;
  int named = 0;
  for (int i = 1; i < count && named < mostNamed; ++i)
    if (const std::string frame = placeOf(frames[i]); !frame.empty())
      text += (named++ ? ", " : "") + frame;
  if (const std::string path = scopePath(); !path.empty())
    text += fmt::format(", in region {}", path);
  if (const std::string place = scopePlace(); !place.empty())
    text += fmt::format(" ({})", place);
  return text;
}

const void *calledByDriver(bool (*isSought)(const void *function)) {
  std::array<void *, mostFrames> frames{};
  const int count = backtrace(frames.data(), mostFrames);
  for (int i = 1; i + 1 < count; ++i) {
    const void *const function =
        _Unwind_FindEnclosingFunction(const_cast<void *>(insideCall(frames[i])));
    if (function && isSought(function) && isDriversFrame(frames[i + 1]))
      return function;
  }
  return nullptr;
}

void found(const std::string &text) {
  Session &session = process().session;
  if (session.findings.add(text))
    session.say("check: ", text);
}

bool findingsWanted() noexcept { return process().session.config().check; }

} // namespace graphprof::internal
