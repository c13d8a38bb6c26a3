// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/StartedRanges.h"

#include <utility>

#include "clock/HostClock.h"
#include "host/HostSpans.h"
#include "services/Services.h"
#include "session/windows/Windows.h"

namespace graphprof {

class StartedRanges::OpenWindow {
public:
  explicit OpenWindow(Windows &windows) noexcept : windows_(windows) {
    windows_.open(WindowArguments::Opener::NvtxRange);
  }
  ~OpenWindow() { windows_.close(WindowArguments::Opener::NvtxRange); }
  OpenWindow(const OpenWindow &) = delete;
  OpenWindow &operator=(const OpenWindow &) = delete;

private:
  Windows &windows_;
};

StartedRanges::StartedRanges(Services &services, Windows &windows, HostSpans &hostSpans) noexcept
    : services_(services), windows_(windows), hostSpans_(hostSpans) {}

StartedRanges::~StartedRanges() = default;

void StartedRanges::openWindow(Number range) {
  auto window = std::make_unique<OpenWindow>(windows_);
  const MutexLock lock(mutex_);
  any_ = true;
  if (openWindows_.size() < mostOpen)
    openWindows_.emplace(range, std::move(window));
}

void StartedRanges::add(Number range, HostEvent begun) {
  any_ = true;
  const MutexLock lock(mutex_);
  if (open_.size() < mostOpen)
    open_.emplace(range, std::move(begun));
  else
    ++services_.counters.hostSpans;
}

void StartedRanges::end(Number range) noexcept {
  if (!any_)
    return;
  HostEvent event;
  std::unique_ptr<OpenWindow> window; // closed when the lock is released
  {
    const MutexLock lock(mutex_);
    if (const auto opened = openWindows_.find(range); opened != openWindows_.end()) {
      window = std::move(opened->second);
      openWindows_.erase(opened);
    }
    const auto found = open_.find(range);
    if (found == open_.end())
      return;
    event = std::move(found->second);
    open_.erase(found);
  }
  event.endNs = hostNowNs();
  hostSpans_.push(std::move(event));
}

} // namespace graphprof
