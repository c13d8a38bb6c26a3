// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/CycleData.h"

#include <utility>

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

void CycleData::add(const Replay &replay, std::span<const Record> records) {
  const MutexLock lock(mutex_);
  if (hasRoom(records.size()))
    collection_->add(replay, records);
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

void CycleData::add(std::span<const HostSpan> spans) {
  const MutexLock lock(mutex_);
  const bool full = spansFull_ || bound_.spans.load() + spans.size() > bound_.most;
  if (taken_ || full) {
    spansFull_ = full;
    droppedSpans_ += spans.size();
    bound_.dropped += spans.size();
    return;
  }
  collection_->add(spans);
  bound_.spans += spans.size();
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
