// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The session: from replays to outputs. It owns the outputs, the counts of what was lost, and the
// recording switch. It knows nothing of CUDA and of how a replay was timed.

#ifndef GRAPHPROF_SESSION_SESSION_H
#define GRAPHPROF_SESSION_SESSION_H

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "output/Output.h"
#include "session/Config.h"

namespace graphprof {

/// The one session of the process. Made at first use and never destroyed: harvested replays may
/// still arrive while static destructors run.
class Session {
public:
  static Session &instance();

  /// What the environment asked for, read once. Wrong values were reported on stderr and replaced
  /// by the default.
  [[nodiscard]] const Config &config() const { return config_; }

  /// Is it recording? Read at every launch.
  [[nodiscard]] bool recording() const noexcept {
    return recording_.load(std::memory_order_relaxed);
  }
  void setRecording(bool on) noexcept { recording_.store(on, std::memory_order_relaxed); }

  /// Hands a replay to every output, in the order of calls. Called by the harvest thread, and by
  /// the program's thread for host regions.
  void consume(const Replay &replay) noexcept;

  /// Adds an output behind those of the configuration; the pointer is its handle for detach().
  Output *attach(std::unique_ptr<Output> output) noexcept;
  /// Removes an output without closing it; afterwards it is not called any more.
  void detach(Output *output) noexcept;

  /// The counts of what was lost; each is raised where it happens.
  struct Counters {
    std::atomic<std::uint64_t> overrun{0}, unfinished{0}, incomplete{0}, notInstantiated{0},
        notMirrored{0}, notLaunched{0}, invalidated{0}, eager{0}, dropped{0};
  };
  Counters counters;
  [[nodiscard]] Losses losses() const noexcept;

  /// Says `text` on stderr, once for each distinct text, with the prefix "graphprof: ".
  void say(const std::string &text) noexcept;

  /// Closes every output; what arrives later is counted as dropped. Called once, at exit.
  void close() noexcept;

private:
  Session();

  const Config config_;
  std::atomic<bool> recording_{true};
  std::mutex mutex_; // guards what follows; held while an output works, so that outputs see one
                     // thread at a time
  std::vector<std::unique_ptr<Output>> outputs_;
  std::vector<std::string> said_;
  bool closed_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_SESSION_H
