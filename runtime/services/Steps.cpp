// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Steps.h"

namespace graphprof {

void Steps::begin() noexcept {
  endShown();
  const std::int64_t step = begun_++;
  current_.store(step);
  if (listener_)
    listener_->begun(step);
  if (shown_)
    shown_->begun(step);
}

void Steps::end() noexcept {
  endShown();
  const std::int64_t step = current_.exchange(none);
  if (listener_ && step != none)
    listener_->ended(step);
}

void Steps::endShown() noexcept {
  if (shown_ && current() != none)
    shown_->ended(current());
}

thread_local Steps::Own Steps::own;

bool Steps::onThisThread() const noexcept {
  const std::int64_t step = current();
  return step != none && (own.open > 0 || own.begun == step);
}

Steps::Seen Steps::seenFromNow(bool next) noexcept {
  const MutexLock lock(mutex_);
  const bool goesOn = current() != none && (!next || open_ > 0);
  return {goesOn ? current() : begun_, begun_};
}

void Steps::open() noexcept {
  used_.store(true);
  ++own.open;
  const MutexLock lock(mutex_);
  if (open_++ > 0 || current() != none)
    return;
  guarded_ = true;
  begin();
}

void Steps::close() noexcept {
  --own.open;
  const MutexLock lock(mutex_);
  if (--open_ > 0 || !guarded_)
    return;
  guarded_ = false;
  end();
}

void Steps::next() noexcept {
  used_.store(true);
  const MutexLock lock(mutex_);
  if (open_ > 0)
    return;
  begin();
  own.begun = current();
}

void Steps::finish() noexcept {
  const MutexLock lock(mutex_);
  if (open_ == 0)
    end();
}

void Steps::ending() noexcept {
  const MutexLock lock(mutex_);
  if (open_ == 0)
    endShown();
}

void Steps::tell(StepListener *listener) noexcept {
  const MutexLock lock(mutex_);
  listener_ = listener;
}

void Steps::show(StepListener *listener) noexcept {
  const MutexLock lock(mutex_);
  shown_ = listener;
}

} // namespace graphprof
