// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The session: what there is one of in a process. It has the configuration, the recording switch,
// the counts of what was lost, the outputs and what the program allocated, each a class of its own,
// and does what takes several of them. It knows nothing of CUDA and of how a replay was timed.

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

#include "output/Output.h"
#include "session/Config.h"
#include "session/Counters.h"
#include "session/Outputs.h"
#include "session/Recording.h"
#include "session/Said.h"
#include "session/memory/Allocations.h"
#include "session/memory/MappedMemory.h"

namespace graphprof {

/// All members may be called from any thread.
class Session {
  // Before who uses them.
  const Config config_;
  Said said_;

public:
  /// The one session of the process. Made at first use and never destroyed: harvested replays may
  /// still arrive while static destructors run. Without memory for it, it is one that is not
  /// enabled.
  static Session &instance() noexcept;
  /// In a forked child that goes on as a process of its own: instance() is another one from now on,
  /// with the same configuration, that has recorded nothing. The parent's is left as it is: another
  /// thread may have held its locks. False where there is no memory for it.
  [[nodiscard]] static bool renew() noexcept;

  /// A session of its own, with the outputs that `config` asks for: none when it is not enabled.
  /// Says the configuration's complaints. For tests; the process has instance().
  explicit Session(Config config);
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// What the environment asked for, read once. Wrong values were reported on stderr and replaced
  /// by the default.
  [[nodiscard]] const Config &config() const { return config_; }

  /// Is it recording what runs on the device? Read at every launch.
  [[nodiscard]] bool recording() const noexcept { return recordingSwitch.device(); }
  /// What says so.
  Recording recordingSwitch;

  /// What was lost; each count is raised where it happens.
  Counters counters;
  [[nodiscard]] Losses losses() const noexcept { return counters.losses(); }

  /// Who gets what was recorded.
  Outputs outputs;
  /// Hands it to them.
  void consume(const Replay &replay) noexcept { outputs.consume(replay); }
  void consume(std::span<const HostSpan> spans) noexcept { outputs.consume(spans); }

  /// An output as the configuration has it, for an item of its list; null where there is none.
  [[nodiscard]] std::unique_ptr<Output> outputOf(std::string_view item) const;
  /// The same, but where nothing is recorded its file is neither made nor touched. To be closed
  /// while the session is there.
  [[nodiscard]] std::unique_ptr<Output> outputIfRecorded(std::string_view item);
  /// Has the program called any of graphprof's functions? Where not, files that are not written for
  /// want of records are not spoken of: a process may be linked with the library, and no more.
  std::atomic<bool> inUse{false};
  /// The name of a region, not longer than the configuration allows.
  [[nodiscard]] std::string nameOf(const Site &site, std::span<const Value> context);

  /// How many want pictures of graphs: while one does, graphs that are captured are looked at.
  std::atomic<int> drawings{0};

  /// What the program allocated and freed.
  Allocations allocations;
  MappedMemory mappedMemory;

  /// What graphprof itself finds out about the run, as metadata: key and JSON value.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  /// `ask` is called where something is written whose metadata they become; on any thread.
  void factsFrom(Facts (*ask)()) noexcept { askFacts_.store(ask); }
  [[nodiscard]] Facts facts() const {
    Facts (*const ask)() = askFacts_.load();
    return ask ? ask() : Facts();
  }

  /// Says `text` on stderr, once (Said).
  void say(std::string_view text, std::string_view more = {}) noexcept { said_.say(text, more); }

  /// Closes the outputs. Called once, at exit.
  void close() noexcept;

private:
  [[nodiscard]] Batch lastWords() const;

  std::atomic<Facts (*)()> askFacts_{nullptr};
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_SESSION_H
