// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// When a window of GRAPHPROF_WINDOW is open: a state machine over events and times, without threads
// and clocks of its own.
//
//   state   | leaves it by
//   --------|--------------------------------------------------------------------------------
//   Closed  | opened(): Waiting, unless all windows have been
//   Waiting | passed() when `after` is over, then launched() when `skip` is: Open; closed(): Closed
//   Open    | closed(), passed() when `seconds` is over, launched() when `replays` is: Closed

#ifndef GRAPHPROF_SESSION_WINDOWS_WINDOWSTATE_H
#define GRAPHPROF_SESSION_WINDOWS_WINDOWSTATE_H

#include <cstdint>
#include <optional>
#include <utility>

#include "services/Window.h"

namespace graphprof {

/// One thread at a time. Times are those of one clock, in nanoseconds, and never decrease.
class WindowState {
public:
  explicit WindowState(WindowArguments arguments) : arguments_(std::move(arguments)) {}

  /// What opens a window has come, or what closes it.
  void opened(std::int64_t nowNs);
  void closed();
  /// A graph was launched.
  void launched(std::int64_t nowNs);
  /// It is this late.
  void passed(std::int64_t nowNs);

  [[nodiscard]] bool isOpen() const { return state_ == State::Open; }
  [[nodiscard]] bool isClosed() const { return state_ == State::Closed; }
  /// Must launches be told?
  [[nodiscard]] bool countsLaunches() const {
    return (state_ == State::Waiting && skipLeft_ > 0) ||
           (state_ == State::Open && arguments_.replays > 0);
  }
  /// When to call passed() next; nullopt: only an event changes anything.
  [[nodiscard]] std::optional<std::int64_t> nextNs() const;
  /// How many windows have been open so far.
  [[nodiscard]] std::uint64_t windows() const { return windows_; }
  [[nodiscard]] const WindowArguments &arguments() const { return arguments_; }

private:
  enum class State : std::uint8_t { Closed, Waiting, Open };
  void openIfDue(std::int64_t nowNs);
  void over(std::int64_t nowNs);

  const WindowArguments arguments_;
  State state_ = State::Closed;
  std::int64_t sinceNs_ = 0; // when the state began
  std::uint64_t skipLeft_ = 0, replaysLeft_ = 0;
  std::uint64_t windows_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_WINDOWS_WINDOWSTATE_H
