// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_WINDOW: records only in windows, for the outputs that the environment names. Outside of
// them launches are the program's own, unless somebody else asks for them (`graphprof attach PID
// record`, a profile of the program's); those outputs get nothing of that. Does not know CUDA, NVTX
// and sockets: they tell it what opens and closes a window.

#ifndef GRAPHPROF_SESSION_WINDOWS_WINDOWS_H
#define GRAPHPROF_SESSION_WINDOWS_WINDOWS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <semaphore.h>

#include "Mutex.h"
#include "session/GatedOutput.h"
#include "session/Session.h"
#include "session/windows/WindowState.h"

namespace graphprof {

/// Any thread may call any member. Without a window in the configuration none does anything.
///
/// A thread of its own, which begin() starts, waits for times and signals. Everything else happens
/// on the program's threads, which hold the lock for some loads and stores.
class Windows {
  enum class Event : std::uint8_t { Open, Close, Launched, Passed };

public:
  using Opener = WindowArguments::Opener;

  /// Attaches the session's outputs, if there is a window. `now`: the clock of launches.
  Windows(Session &session, std::int64_t (*now)() noexcept);
  Windows(const Windows &) = delete;
  Windows &operator=(const Windows &) = delete;

  /// The program uses CUDA from now on.
  void begin() noexcept EXCLUDES(mutex_);
  /// Call this in a forked child that does not continue: the signal is the system's again.
  static void inChild() noexcept;

  /// Is this what opens windows?
  [[nodiscard]] bool openBy(Opener opener) const noexcept { return opener_ == opener; }
  [[nodiscard]] bool any() const noexcept { return opener_.has_value(); }
  /// The range that opens one.
  [[nodiscard]] const std::string &range() const noexcept { return state_->arguments().range; }
  /// It has come, or what closes it. Of nested ranges the outermost counts, on whatever threads.
  void open(Opener opener) noexcept EXCLUDES(mutex_);
  void close(Opener opener) noexcept EXCLUDES(mutex_);

  /// A graph was launched. A load, unless the window counts launches.
  void launched() noexcept EXCLUDES(mutex_) {
    if (counts_.load(std::memory_order_relaxed)) [[unlikely]]
      happened(Event::Launched);
  }

  /// Is a window open? How many were there, with that one?
  [[nodiscard]] bool isOpen() const noexcept { return isOpen_; }
  [[nodiscard]] std::uint64_t windows() noexcept EXCLUDES(mutex_);
  /// At exit: says if no window was ever open.
  void leave() noexcept EXCLUDES(mutex_);

private:
  class Times;

  void run() noexcept;
  void await(std::optional<std::int64_t> untilNs) noexcept;
  void follow(std::int64_t nowNs) REQUIRES(mutex_);
  void takeSignal();
  void attachOutputs();
  /// Changes the state, and what follows from it.
  void happened(Event event, int signals = 0) noexcept EXCLUDES(mutex_);
  void change(Event event, int signals, std::int64_t nowNs) REQUIRES(mutex_);

  Session &session_;
  std::int64_t (*const now_)() noexcept;
  std::optional<Opener> opener_; // nullopt: no window
  std::shared_ptr<Times> times_;
  Recording::Request wanted_; // while a window is open
  std::atomic<bool> isOpen_{false}, counts_{false};
  sem_t wake_{}; // the thread's; also posted by the signal's handler

  Mutex mutex_;
  std::unique_ptr<WindowState> state_; // guarded by it, but for the arguments; null: no window
  std::optional<std::int64_t> nextNs_ GUARDED_BY(mutex_); // for which the thread waits
  std::size_t openRanges_ GUARDED_BY(mutex_) = 0;
  bool begun_ GUARDED_BY(mutex_) = false;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_WINDOWS_WINDOWS_H
