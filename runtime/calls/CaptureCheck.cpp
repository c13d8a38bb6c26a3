// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/CaptureCheck.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "calls/CallPlace.h"
#include "calls/DriverNames.h"
#include "calls/Guarded.h"
#include "cuda/Driver.h"
#include "graph/topology/Frontier.h"
#include "graph/topology/NodeNames.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

namespace graphprof::internal {
namespace {

std::string nameOf(driver::Function kernel) {
  if (!kernel)
    return "a copy or memset";
  const char *symbol = nullptr;
  const bool named =
      driver::ok(driver::cu().functionGetName(&symbol, kernel)) ||
      driver::ok(driver::cu().kernelGetName(&symbol, reinterpret_cast<driver::Kernel>(kernel)));
  return named && symbol ? kernelName(symbol) : "a kernel";
}

// A thread that has said so works beside its capture on purpose, as NCCL does when it prepares what
// a graph will use.
bool isRelaxed() {
  auto mode = driver::CaptureMode::Relaxed;
  if (!driver::ok(driver::cu().threadExchangeCaptureMode(&mode)))
    return false;
  const bool relaxed = mode == driver::CaptureMode::Relaxed;
  driver::cu().threadExchangeCaptureMode(&mode);
  return relaxed;
}

// Nothing, if the work is in a capture.
std::string_view whyMissed(driver::Stream stream) {
  Frontier frontier;
  switch (Frontier::readCapture(stream, frontier)) {
  case Frontier::Status::Capturing:
    return {};
  case Frontier::Status::Eager:
    if (isRelaxed())
      return {};
    return "is not in the graph that this thread captures in another stream: it runs now, and only "
           "once. Launch it in that stream, or in one that waits for an event of the capture";
  case Frontier::Status::Refused:
    return "goes to a stream that cannot be used during this thread's capture, such as the legacy "
           "default stream: the capture fails, or misses it. Launch it in the captured stream";
  }
  return {};
}

// CUresult: what a capture is the reason of.
enum Refusal : int {
  Unsupported = 900,
  Invalidated = 901,
  Merge = 902,
  Unmatched = 903,
  Unjoined = 904,
  Isolation = 905,
  Implicit = 906,
  CapturedEvent = 907,
  WrongThread = 908,
};

// What to do, by the call that CUDA calls unsafe. The first row whose names begin the call's.
struct Advice {
  std::array<std::string_view, 5> calls;
  std::string_view text;
};
constexpr std::string_view keepOut =
    "Do it before or after the capture. If a destructor or Python's garbage collector does it, run "
    "that before the capture (gc.collect()), and not in it (gc.disable())";
constexpr std::array advices{
    Advice{{"cuMemFree", "cuGraphExecDestroy", "cuArrayDestroy", "cuModuleUnload", "cuLibraryUn"},
           keepOut},
    Advice{{"cuMemUnmap", "cuMemRelease", "cuMemHostUnregister"}, keepOut},
    Advice{{"cuMemAlloc", "cuMemHost", "cuArrayCreate", "cuMemCreate"},
           "Allocate before the capture, or in it with cudaMallocAsync in the captured stream"},
    Advice{{"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "cuStreamQuery",
            "cuEventQuery"},
           "Nothing runs while a graph is captured, so there is nothing to wait for: move the call "
           "behind the capture"},
};

std::string_view adviceFor(std::string_view call, int result) {
  switch (result) {
  case Merge:
    return "Two captures cannot become one: wait only for events of the same capture";
  case Unmatched:
    return "End the capture in the stream in which it began";
  case Unjoined:
    return "A stream that waits for an event of the capture belongs to it: record an event there "
           "behind its work, and let the first stream wait for that before the capture ends";
  case Isolation:
    return "A captured stream can wait only for what is captured, too: record the event in the "
           "capture, or wait for it before the capture begins";
  case Implicit:
    return "The legacy default stream waits for all blocking streams: use another stream, or make "
           "the captured one with cudaStreamNonBlocking";
  case CapturedEvent:
    return "The event was recorded in the capture, so nothing will ever reach it: ask for it "
           "behind the capture, or use another event";
  case WrongThread:
    return "End the capture in the thread that began it, or begin it with "
           "cudaStreamCaptureModeRelaxed";
  default:
    break;
  }
  for (const Advice &advice : advices)
    for (const std::string_view name : advice.calls)
      if (!name.empty() && call.starts_with(name))
        return advice.text;
  return "Move the call out of the capture";
}

// How many refusals there were, and when this thread's last capture began.
std::atomic<std::uint64_t> refusals{0};
thread_local std::uint64_t refusalsBefore = 0;

// checkAdding() has said why this thread's next launch fails.
thread_local bool isSaid = false;

bool addsWork(std::string_view call) {
  return call.starts_with("cuLaunch") || call.starts_with("cuMemcpy") ||
         call.starts_with("cuMemset");
}

bool isInvalid(driver::Stream stream) {
  driver::CaptureStatus status = driver::CaptureStatus::None;
  return driver::ok(driver::cu().streamIsCapturing(stream, &status)) &&
         status == driver::CaptureStatus::Invalidated;
}

void sayRefused(std::string_view symbol, int result) {
  const std::string_view call = plainDriverName(symbol);
  if (result == Invalidated) { // a call before this one did it, and was said where it was seen
    if (call == "cuStreamEndCapture" && refusals.load() == refusalsBefore)
      found(fmt::format("the capture that {} ends was made invalid by a call that graphprof did "
                        "not see; {}",
                        driverNameOf(symbol), callersOf()));
    return;
  }
  ++refusals;
  if (std::exchange(isSaid, false) && addsWork(call))
    return;
  const auto &own = OpenRegions::ofThisThread().capturing;
  const bool ends = call == "cuStreamEndCapture";
  const std::string_view what =
      ends                                  ? "fails, so there is no graph"
      : std::ranges::any_of(own, isInvalid) ? "makes this thread's capture invalid"
      : own.empty() ? "is refused because another thread captures, and may make its capture invalid"
                    : "is refused during this thread's capture";
  const std::string_view more =
      own.empty() && result == Unsupported
          ? ". Or begin the capture with cudaStreamCaptureModeThreadLocal, to which other threads' "
            "calls do nothing"
          : "";
  found(fmt::format("{} {}. {}{}; {}", driverNameOf(symbol), what, adviceFor(call, result), more,
                    callersOf()));
}

} // namespace

void checkAdding(driver::Stream stream, driver::Function kernel) noexcept {
  if (!findingsWanted())
    return;
  ifTracking([&] {
    isSaid = false;
    if (OpenRegions::ofThisThread().capturing.empty())
      return;
    if (const std::string_view why = whyMissed(stream); !why.empty()) {
      isSaid = true;
      found(fmt::format("{} {}; {}", nameOf(kernel), why, callersOf()));
    }
  });
}

void checkCaptureBegan() noexcept {
  if (!findingsWanted())
    return;
  process().session.findings.captured();
  refusalsBefore = refusals.load();
}

void checkRefused(const char *symbol, driver::Result result) noexcept {
  const int number = static_cast<int>(result);
  if (number < Unsupported || number > WrongThread || !findingsWanted())
    return;
  ifTracking([&] { sayRefused(symbol, number); });
}

} // namespace graphprof::internal
