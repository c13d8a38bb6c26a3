// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/GraphEvents.h"

#include <memory>

#include "Thrown.h"
#include "clock/Device.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

void RecordedEvent::letGo(RecordedEvent *recorded) noexcept {
  if (recorded->holders_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (recorded->ofGraph)
    recorded->device.graphEvents().retire(recorded->event);
  else
    recorded->device.events().giveBack(recorded->event);
  delete recorded;
}

driver::Event GraphEvents::make() noexcept {
  std::vector<driver::Event> retired;
  {
    const MutexLock lock(mutex_);
    retired.swap(retired_);
  }
  const driver::RelaxedCapture relaxed;
  driver::Event event = nullptr;
  if (!relaxed)
    return nullptr;
  for (const driver::Event old : retired)
    cu().eventDestroy(old);
  return ok(cu().eventCreate(&event, driver::eventDefault)) ? event : nullptr;
}

void GraphEvents::retire(driver::Event event) noexcept {
  (void)survived([&] { // if not, the event is never destroyed
    const MutexLock lock(mutex_);
    retired_.push_back(event);
  });
}

void GraphEvents::keep(driver::Graph graph, std::uint64_t captureId,
                       RecordedEvent &recorded) noexcept {
  recorded.hold();
  (void)survived([&] { // if not, the event is kept for ever, as the header says
    const MutexLock lock(mutex_);
    if ((newest_ && captureId_ == captureId) || begin(graph, captureId))
      newest_->events.push_back(&recorded);
  });
}

bool GraphEvents::begin(driver::Graph graph, std::uint64_t captureId) {
  newest_ = nullptr;
  auto kept = std::make_unique<Kept>(Kept{*this, {}});
  driver::UserObject object = nullptr;
  const driver::RelaxedCapture relaxed;
  if (!relaxed ||
      !ok(cu().userObjectCreate(&object, kept.get(), gone, 1, driver::noDestructorSync)))
    return false;
  Kept *const given = kept.release(); // gone() frees it
  const bool held = ok(cu().graphRetainUserObject(graph, object, 1, 0));
  if (held) {
    captureId_ = captureId;
    newest_ = given;
  }
  cu().userObjectRelease(object, 1); // this function's own reference
  return held;
}

void GraphEvents::gone(void *kept) noexcept {
  const std::unique_ptr<Kept> mine(static_cast<Kept *>(kept));
  {
    GraphEvents &all = mine->all;
    const MutexLock lock(all.mutex_);
    if (all.newest_ == mine.get())
      all.newest_ = nullptr;
  }
  for (RecordedEvent *const recorded : mine->events)
    RecordedEvent::letGo(recorded);
}

} // namespace graphprof
