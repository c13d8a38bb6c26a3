// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/windows/WindowState.h"

namespace graphprof {

void WindowState::opened(std::int64_t nowNs) {
  if (state_ != State::Closed || (arguments_.repeat > 0 && windows_ >= arguments_.repeat))
    return;
  state_ = State::Waiting;
  sinceNs_ = nowNs;
  skipLeft_ = arguments_.skip;
  openIfDue(nowNs);
}

void WindowState::closed() { state_ = State::Closed; }

void WindowState::launched(std::int64_t nowNs) {
  passed(nowNs);
  if (state_ == State::Open) {
    if (arguments_.replays > 0 && --replaysLeft_ == 0)
      over(nowNs);
  } else if (state_ == State::Waiting && skipLeft_ > 0 && nowNs - sinceNs_ >= arguments_.afterNs) {
    --skipLeft_;
    openIfDue(nowNs);
  }
}

void WindowState::passed(std::int64_t nowNs) {
  if (state_ == State::Open && arguments_.lastsNs > 0 && nowNs - sinceNs_ >= arguments_.lastsNs)
    over(nowNs);
  openIfDue(nowNs);
}

void WindowState::openIfDue(std::int64_t nowNs) {
  if (state_ != State::Waiting || skipLeft_ > 0 || nowNs - sinceNs_ < arguments_.afterNs)
    return;
  state_ = State::Open;
  sinceNs_ = nowNs;
  replaysLeft_ = arguments_.replays;
  ++windows_;
}

// By its own bound. A window that nothing else opens is followed by the next one.
void WindowState::over(std::int64_t nowNs) {
  closed();
  if (arguments_.opener == WindowArguments::Opener::Begin)
    opened(nowNs);
}

std::optional<std::int64_t> WindowState::nextNs() const {
  if (state_ == State::Waiting && skipLeft_ == 0)
    return sinceNs_ + arguments_.afterNs;
  if (state_ == State::Open && arguments_.lastsNs > 0)
    return sinceNs_ + arguments_.lastsNs;
  return std::nullopt;
}

} // namespace graphprof
