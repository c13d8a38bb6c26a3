// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/OpenRegions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ThreadOwned.h"
#include "graphprof/step.h"
#include "process/Lifetime.h"
#include "process/Process.h"

namespace graphprof {

OpenRegions::~OpenRegions() {
  if (inForkedChild())
    return;
  events.clear();
  if (eager.empty())
    return;
  Harvester &harvester = process().harvester;
  harvester.eager().push(eager.all());
  harvester.wake();
}

namespace {

// The value of a pthread key outlives the thread_local objects whose destructors may open regions,
// and is created again if needed after that.
thread_local OpenRegions *ofThread = nullptr;

void threadEnded(void *) {
  OpenRegions::endOfThread();
  threadOfProgramEnds();
}

} // namespace

OpenRegions &OpenRegions::ofThisThread() {
  static const ThreadKey key(threadEnded);
  if (!ofThread) {
    ofThread = new OpenRegions;
    (void)key.set(ofThread); // else its end is not seen
  }
  return *ofThread;
}

OpenRegions *OpenRegions::ofThisThreadIfAny() noexcept { return ofThread; }

// Searches from the innermost one: Scopes normally end in reverse order.
std::unique_ptr<OpenRegion> OpenRegions::takeOff(OpenRegion::Held &scopes) {
  const auto found = std::find_if(stack.rbegin(), stack.rend(), [&](const OpenRegion::Held &open) {
    return open.get() == scopes.get();
  });
  if (found == stack.rend())
    return nullptr;
  std::unique_ptr<OpenRegion> region(found->release());
  static_cast<void>(scopes.release());
  stack.erase(std::next(found).base());
  return region;
}

void OpenRegions::join(const std::shared_ptr<Capture> &capture) {
  std::erase_if(joined, [&](const JoinedCapture &each) {
    const auto other = each.capture.lock();
    return !other || other->hasEnded() || other->id() != each.id || other == capture;
  });
  joined.push_back({capture, capture->id()});
}

std::shared_ptr<Capture> OpenRegions::newestJoined() {
  for (; !joined.empty(); joined.pop_back())
    if (auto capture = joined.back().capture.lock();
        capture && !capture->hasEnded() && capture->id() == joined.back().id)
      return capture;
  return nullptr;
}

std::int64_t OpenRegions::holdStep() {
  if (!held)
    held = process().heldSteps.join();
  if (held->holds()) // an earlier one
    return current_step();
  held->holdAll();
  const std::int64_t step = current_step();
  held->hold(step);
  return step;
}

// As long as an open region holds back regions that have ended inside it, their steps are held.
void OpenRegions::letStepsGo() noexcept {
  if (!held || !held->holds() || eager.size() > eagerOpen)
    return;
  const OpenRegion *first = nullptr;
  for (const OpenRegion::Held &open : stack)
    if (open->span && open->span->kind == HostKind::Copy && !open->span->captured &&
        (!first || open->span->step < first->span->step))
      first = open.get();
  if (first)
    held->hold(first->span->step);
  else
    held->release();
}

bool OpenRegions::openOnesFirst() const {
  const auto newest = std::find_if(stack.rbegin(), stack.rend(),
                                   [](const OpenRegion::Held &open) { return open->isEager(); });
  return newest == stack.rend() || (*newest)->index < eagerOpen;
}

void OpenRegions::pushEnded() {
  process().harvester.eager().push(eager.all().subspan(eagerOpen));
  eager.shrinkTo(eagerOpen);
}

void OpenRegions::endOfThread() noexcept { delete std::exchange(ofThread, nullptr); }

std::size_t OpenRegions::waitingOnThread() noexcept {
  return ofThread ? ofThread->eager.size() : 0;
}

OpenRegions::InLane::InLane(OpenRegions *lane) {
  if (!lane)
    return;
  OpenRegions &thread = ofThisThread();
  lane->capturing = thread.capturing;
  lane->joined = thread.joined;
  thread_ = &thread;
  ofThread = lane;
}

OpenRegions::InLane::~InLane() {
  if (thread_)
    ofThread = thread_;
}

void OpenRegions::handOnEnded() {
  if (!ofThread || ofThread->eagerOpen == 0 || ofThread->eager.size() <= ofThread->eagerOpen ||
      !ofThread->openOnesFirst())
    return;
  ofThread->pushEnded();
  ofThread->letStepsGo();
  process().harvester.wake();
}

} // namespace graphprof
