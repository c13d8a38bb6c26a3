// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What can be asked of a process over the control socket (docs/production.md has the protocol): a
// line with a JSON object in, a line with a JSON object out. Does not know sockets.

#ifndef GRAPHPROF_CONTROL_COMMANDS_H
#define GRAPHPROF_CONTROL_COMMANDS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "control/Metrics.h"
#include "control/Recordings.h"
#include "session/Session.h"
#include "session/windows/Windows.h"

namespace graphprof {

/// One thread at a time.
class Commands {
public:
  /// What the process lends.
  struct Process {
    std::int64_t (*now)() noexcept;             ///< the clock of launches
    std::function<bool(std::int64_t)> handedOn; ///< as in Recordings
    std::function<bool(std::int64_t ms)> flush; ///< graphprof::flush()
    std::function<bool()> active;               ///< graphprof::active()
    std::function<std::string()> where; ///< the answer to "where": which replays are in flight
    /// What graphs took of the device's memory, as a JSON object; empty: nobody measures it.
    std::function<std::string()> graphMemory;
  };
  Commands(Session &session, Windows &windows, Process process);

  struct Answer {
    std::string line;     ///< empty: it comes later, from proceed()
    bool watches = false; ///< the asker gets the sums of what is recorded, until it leaves
    bool ends = false;    ///< it does not speak the protocol: end the connection
  };
  /// Answers `line`, which `asker` has sent.
  [[nodiscard]] Answer answer(std::uint64_t asker, std::string_view line);
  /// The asker has left.
  void left(std::uint64_t asker);
  /// The asker wants its recording to end now.
  void hurry(std::uint64_t asker) { recordings_.end(asker); }

  /// Must proceed() be called every some milliseconds?
  [[nodiscard]] bool busy() const { return recordings_.any(); }
  struct Late {
    std::uint64_t asker;
    std::string line;
  };
  /// Answers that have become ready.
  [[nodiscard]] std::vector<Late> proceed();

private:
  void watch(std::uint64_t asker);
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string switchTo(bool on);

  Session &session_;
  Windows &windows_;
  const Process process_;
  Recordings recordings_;
  const std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  Output *attached_ = nullptr; // fills metrics_; null: nobody watches
  std::unordered_set<std::uint64_t> watchers_;
};

} // namespace graphprof

#endif // GRAPHPROF_CONTROL_COMMANDS_H
