// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The session, of which each process has one. It owns the configuration, the recording switch, the
// counters, the outputs and the tally of allocations, each a class of its own, and does what needs
// several of them. Does not know CUDA, nor how a replay was timed.

#ifndef GRAPHPROF_SESSION_SESSION_H
#define GRAPHPROF_SESSION_SESSION_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Mutex.h"
#include "output/Output.h"
#include "session/Config.h"
#include "session/Counters.h"
#include "session/Outputs.h"
#include "session/Recording.h"
#include "session/ReplayTakers.h"
#include "session/Said.h"
#include "session/Seen.h"
#include "session/memory/Allocations.h"
#include "session/memory/MappedMemory.h"

namespace graphprof {

/// Any thread may call any member.
class Session {
  // First, because the other members use them.
  const Config config_;
  Said said_;

public:
  /// The session of the process. Made at first use and never destroyed, because replays may arrive
  /// while static destructors run. Disabled if there is no memory for it.
  static Session &instance() noexcept;
  /// Call this in a forked child that continues as a process of its own. From then on instance() is
  /// another session with the same configuration, which has recorded nothing. The parent's session
  /// stays as it is, because another thread may have held its locks. Returns false without memory
  /// for it.
  [[nodiscard]] static bool renew() noexcept;

  /// A session with the outputs of `config`; none if it is not enabled. Reports the configuration's
  /// complaints. For tests; the process uses instance().
  explicit Session(Config config);
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// What the environment asked for, read once. Wrong values were reported on stderr and replaced
  /// by the default.
  [[nodiscard]] const Config &config() const { return config_; }

  /// Is it recording what runs on the device? Asked at every launch.
  [[nodiscard]] bool recording() const noexcept { return recordingSwitch.device(); }
  /// Decides that.
  Recording recordingSwitch;

  /// What was lost. Each count is raised where the loss happens.
  Counters counters;
  [[nodiscard]] Losses losses() const noexcept { return counters.losses(); }

  /// The outputs.
  Outputs outputs;
  /// Those who get replays before the outputs do.
  ReplayTakers takers;
  /// Hands a replay to the outputs unless somebody takes it, or host spans.
  void consume(const Replay &replay) noexcept {
    if (!takers.take(replay))
      outputs.consume(replay);
  }
  void consume(std::span<const HostSpan> spans) noexcept { outputs.consume(spans); }
  /// Tells them that nothing more of the steps before `step` comes.
  void settled(std::int64_t step) noexcept { outputs.settled(step); }

  /// Makes the output of an item of the configuration's list. Null if there is none.
  [[nodiscard]] std::unique_ptr<Output> outputOf(std::string_view item) const;
  /// The same, but if nothing is recorded, its file is neither made nor changed. Close it while the
  /// session exists.
  [[nodiscard]] std::unique_ptr<Output> outputIfRecorded(std::string_view item);
  /// Has the program called any function of graphprof? If not, no message says that a file is not
  /// written: the process may only be linked with the library.
  std::atomic<bool> inUse{false};
  /// What of the program was seen and not recorded.
  Seen seen;
  /// The name of a region, cut to the configured length.
  [[nodiscard]] std::string nameOf(const Site &site, std::span<const Value> context);

  /// How many outputs want pictures of graphs. If any, captured graphs are described for them.
  std::atomic<int> drawings{0};

  /// What the program has allocated and freed.
  Allocations allocations;
  MappedMemory mappedMemory;

  /// Facts about the run that graphprof finds out itself, as metadata: key and JSON value.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  /// Sets the function that finds them. It is called when metadata is written, on any thread.
  void factsFrom(Facts (*ask)()) noexcept { askFacts_.store(ask); }
  [[nodiscard]] Facts facts() const {
    Facts (*const ask)() = askFacts_.load();
    return ask ? ask() : Facts();
  }

  /// Prints `text` on stderr, once (Said).
  void say(std::string_view text, std::string_view more = {}) noexcept { said_.say(text, more); }

  /// An output of the environment's wrote this file. close() names it; empty: none.
  void wrote(const std::string &file) EXCLUDES(wroteMutex_);

  /// Closes the outputs, and names the files that they wrote on stderr. Called once, at exit.
  void close() noexcept;

private:
  [[nodiscard]] Batch lastWords() const;
  /// Why nothing was recorded.
  [[nodiscard]] std::string whyNothing() const;

  std::atomic<Facts (*)()> askFacts_{nullptr};
  Mutex wroteMutex_; // nothing is called while it is held, but by close()
  std::vector<std::string> wrote_ GUARDED_BY(wroteMutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_SESSION_H
