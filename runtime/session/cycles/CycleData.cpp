// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/CycleData.h"

#include <string>
#include <utility>

#include "services/StepName.h"

namespace graphprof {

bool CycleData::hasRoom(std::size_t more) {
  if (taken_ || dropped_ > 0 || bound_.records.load() + more > bound_.most) {
    dropped_ += more;
    bound_.dropped += more;
    return false;
  }
  bound_.records += more;
  return true;
}

void CycleData::add(const BatchView &view, const Replay &replay,
                    std::span<const Batch::Timing> timings) {
  const MutexLock lock(mutex_);
  if (hasRoom(timings.size()))
    collection_->add(view, replay, timings);
}

void CycleData::add(const MemoryEvent &event) {
  const MutexLock lock(mutex_);
  if (hasRoom(1))
    collection_->add(event);
}

void CycleData::hold(std::vector<MemoryHeld> held) {
  const MutexLock lock(mutex_);
  if (!taken_)
    collection_->hold(std::move(held));
}

void CycleData::add(const BatchView &view, std::span<const Batch::Span> spans) {
  const MutexLock lock(mutex_);
  const bool full = spansFull_ || bound_.spans.load() + spans.size() > bound_.most;
  if (taken_ || full) {
    spansFull_ = full;
    droppedSpans_ += spans.size();
    bound_.dropped += spans.size();
    return;
  }
  bound_.spans += spans.size();
  for (const Batch::Span &span : spans) {
    const bool isStep = view.act(span.act).kind == HostKind::Step;
    collection_->add(view, span, isStep ? stepName(span.step) : std::string());
  }
}

CycleData::Taken CycleData::take() {
  Taken taken;
  {
    const MutexLock lock(mutex_);
    taken_ = true;
    taken = {std::exchange(collection_, nullptr), dropped_ + droppedSpans_};
  }
  bound_.records -= taken.collection->size();
  bound_.spans -= taken.collection->spans().size();
  taken.collection->seal();
  return taken;
}

} // namespace graphprof
