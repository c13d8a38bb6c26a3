// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/LaunchOrder.h"

#include <utility>

#include "clock/HostClock.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;
using internal::Launch;

namespace {

constexpr std::uint64_t noStream = UINT64_MAX; // not a stream's id

} // namespace

bool launchExec(driver::Exec exec, const LaunchCall &call) {
  const auto launch = [&] { return ok(cu().graphLaunch(exec, call.stream)); };
  if (!call.host)
    return call.edge.passOn(launch);
  call.host->beginNs = hostNowNs();
  const bool launched = call.edge.passOn(launch);
  call.host->endNs = launched ? hostNowNs() : 0;
  return launched;
}

LaunchOrder::LaunchOrder(driver::Exec plain, bool mayRun, PendingLaunches &pending)
    : plain_(plain), pending_(pending), lastExec_(mayRun ? plain : nullptr),
      lastStream_(mayRun ? noStream : 0) {}

void LaunchOrder::begin(const LaunchCall &call) {
  changesStreams_ = changesStreams_ || isElsewhere(call);
}

bool LaunchOrder::lacksMark(const LaunchCall &call) const {
  return lastExec_ == plain_ && isElsewhere(call) && !plainMarked_;
}

bool LaunchOrder::waitForLast(const LaunchCall &call, const ReplayBuffer *buffer) {
  if (lastExec_ == plain_ && isElsewhere(call) &&
      !ok(cu().streamWaitEvent(call.stream, plainMark_, 0)))
    return false;
  return !runsElsewhere(call) || lastBuffer_.get() == buffer || lastBuffer_->order(call.stream);
}

void LaunchOrder::launched(const LaunchCall &call, driver::Exec exec,
                           std::shared_ptr<ReplayBuffer> buffer) {
  lastExec_ = exec;
  lastBuffer_ = std::move(buffer);
  lastStream_ = call.streamId;
  plainMarked_ = false;
}

// Launched here, not by the program, so that no other thread's launch comes between the choice and
// the launch. If the driver refuses, the program tries again and gets the error.
Launch LaunchOrder::launchPlain(const LaunchCall &call, bool marked, Device *device) {
  if (runsElsewhere(call))
    lastBuffer_->order(call.stream);
  const bool isLaunched = launchExec(plain_, call);
  launched(call, plain_, nullptr);
  plainMarked_ = isLaunched && marked && mark(call.stream, device);
  if (isLaunched)
    return Launch::Done;
  return marked ? Launch::PlainThenMark : Launch::Plain;
}

void LaunchOrder::launchedPlain(driver::Stream stream, Device *device) {
  plainMarked_ = mark(stream, device);
  lastExec_ = plain_;
  lastStream_ = driver::streamId(stream);
  lastBuffer_.reset();
}

void LaunchOrder::launchedLater() noexcept {
  lastExec_ = plain_;
  lastStream_ = noStream;
  lastBuffer_.reset();
  plainMarked_ = false;
}

bool LaunchOrder::mark(driver::Stream stream, Device *device) noexcept {
  if (!plainMark_ && device)
    plainMark_ = device->events().take();
  return plainMark_ && ok(cu().eventRecord(plainMark_, stream));
}

void LaunchOrder::giveBackMark(Device *device) noexcept {
  if (plainMark_)
    device->events().giveBack(plainMark_);
  plainMark_ = nullptr;
  plainMarked_ = false;
}

} // namespace graphprof
