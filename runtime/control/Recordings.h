// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// `graphprof attach PID record`: an output of its own for some time, whatever else is recorded
// meanwhile. Each ends on the thread of the control socket, which is never held up: what was
// launched is awaited in steps, and the file is closed on another thread.

#ifndef GRAPHPROF_CONTROL_RECORDINGS_H
#define GRAPHPROF_CONTROL_RECORDINGS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "session/Session.h"

namespace graphprof {

/// One thread at a time.
class Recordings {
public:
  /// `now`: the clock of launches. `handedOn`: has everything that was launched before that time
  /// been handed to the outputs?
  Recordings(Session &session, std::int64_t (*now)() noexcept,
             std::function<bool(std::int64_t)> handedOn)
      : session_(session), now_(now), handedOn_(std::move(handedOn)) {}

  static constexpr std::size_t most = 4;

  /// How many files are being closed at the moment, on threads of their own.
  [[nodiscard]] static int closing() noexcept { return closing_; }

  /// Begins one for `owner`, who has no other. Returns an empty text, or why not: also if the file
  /// cannot, or without `force` must not, be written, which nobody wants to learn at the end.
  [[nodiscard]] std::string begin(std::uint64_t owner, const std::string &item,
                                  std::int64_t lastsNs, bool force);
  /// Ends that of `owner` now, if there is one.
  void end(std::uint64_t owner);
  [[nodiscard]] bool any() const { return !running_.empty(); }
  [[nodiscard]] std::size_t count() const { return running_.size(); }

  /// What came of one.
  struct Result {
    std::uint64_t owner = 0;
    std::string failed;  ///< empty: it was written
    std::string written; ///< the file, by the name that it got
    std::uint64_t replays = 0;
  };
  /// Goes on with all, and returns those that are over. Call this every some milliseconds while
  /// there are any.
  [[nodiscard]] std::vector<Result> proceed();

private:
  static inline std::atomic<int> closing_{0};
  struct Running;
  void stop(Running &running);
  void close(const std::shared_ptr<Running> &running);

  Session &session_;
  std::int64_t (*const now_)() noexcept;
  const std::function<bool(std::int64_t)> handedOn_;
  std::vector<std::shared_ptr<Running>> running_;
};

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_RECORDINGS_H
