// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/CaptureCheck.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include "Mutex.h"
#include "calls/Guarded.h"
#include "cuda/Driver.h"
#include "graph/topology/Frontier.h"
#include "graph/topology/NodeNames.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

namespace graphprof::internal {
namespace {

std::string_view fileNameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// One frame of a call: "in step (libmodel.so)", or "at app+0x4f2c" for addr2line, where the file
// names no function.
std::string frameOf(void *address) {
  Dl_info found{};
  if (!dladdr(address, &found) || !found.dli_fname)
    return {};
  const std::string_view file = fileNameOf(found.dli_fname);
  if (file.starts_with("libgraphprof") || file.starts_with("libcuda"))
    return {}; // ours, the driver's, the runtime's
  return found.dli_sname ? fmt::format("in {} ({})", kernelName(found.dli_sname), file)
                         : fmt::format("at {}+{:#x}", file,
                                       reinterpret_cast<std::uintptr_t>(address) -
                                           reinterpret_cast<std::uintptr_t>(found.dli_fbase));
}

// Where this thread is, innermost first. A program that is linked with the CUDA runtime has that in
// front.
std::string callersOf() {
  constexpr int mostFrames = 24, mostNamed = 4;
  std::array<void *, mostFrames> frames{};
  const int count = backtrace(frames.data(), mostFrames);
  std::string text;
  int named = 0;
  for (int i = 1; i < count && named < mostNamed; ++i)
    if (const std::string frame = frameOf(frames[i]); !frame.empty()) {
      text += (named++ ? ", " : "") + frame;
    }
  return text;
}

std::string nameOf(driver::Function kernel) {
  if (!kernel)
    return "a copy";
  const char *symbol = nullptr;
  const bool named =
      driver::ok(driver::cu().functionGetName(&symbol, kernel)) ||
      driver::ok(driver::cu().kernelGetName(&symbol, reinterpret_cast<driver::Kernel>(kernel)));
  return named && symbol ? kernelName(symbol) : "a kernel";
}

// Nothing, if the work is in a capture.
std::string_view whyMissed(driver::Stream stream) {
  Frontier frontier;
  switch (Frontier::readCapture(stream, frontier)) {
  case Frontier::Status::Capturing:
    return {};
  case Frontier::Status::Eager:
    return "is not in the graph that this thread captures in another stream: it runs now, and only "
           "once. Launch it in that stream, or in one that waits for an event of the capture";
  case Frontier::Status::Refused:
    return "goes to a stream that cannot be used during this thread's capture, such as the legacy "
           "default stream: the capture fails, or misses it. Launch it in the captured stream";
  }
  return {};
}

void sayOnce(const std::string &text) {
  static Mutex mutex;
  static auto &said = *new std::set<std::string>(); // is used to the process's end
  constexpr std::size_t most = 100;
  {
    const MutexLock lock(mutex);
    if (said.size() >= most || !said.insert(text).second)
      return;
  }
  process().session.say("check: ", text);
}

} // namespace

void checkAdding(driver::Stream stream, driver::Function kernel) noexcept {
  if (!process().session.config().check)
    return;
  ifTracking([&] {
    if (OpenRegions::ofThisThread().capturing.empty())
      return;
    if (const std::string_view why = whyMissed(stream); !why.empty())
      sayOnce(fmt::format("{} {}; {}", nameOf(kernel), why, callersOf()));
  });
}

} // namespace graphprof::internal
