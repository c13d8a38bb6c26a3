// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The session, of which each process has one: the services, the outputs and the tally of
// allocations, each a class of its own, and what needs several of them. Gets replays and host spans
// for the outputs. Does not know CUDA, nor how a replay was timed.

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
#include "output/data/ReplaySink.h"
#include "services/Services.h"
#include "session/Outputs.h"
#include "session/ReplayTakers.h"
#include "session/memory/Allocations.h"
#include "session/memory/MappedMemory.h"

namespace graphprof {

/// Any thread may call any member.
class Session : public Services, public ReplaySink {
public:
  /// A session with the outputs of `config`; none if it is not enabled. Reports the configuration's
  /// complaints.
  explicit Session(Config config);

  /// The outputs.
  Outputs outputs;
  /// Those who get replays before the outputs do.
  ReplayTakers takers;
  /// Hands a replay to the outputs unless somebody takes it, or host spans.
  void consume(const Replay &replay) noexcept override {
    if (replay.exec != 0)
      launches.noteRecorded();
    if (!takers.take(replay))
      outputs.consume(replay);
  }
  void consume(std::span<const HostSpan> spans) noexcept override { outputs.consume(spans); }
  void consume(std::span<const KernelRun> runs) noexcept override { outputs.consume(runs); }
  void consume(const GraphMemoryStep &step) noexcept override { outputs.consume(step); }
  [[nodiscard]] bool wantsWarpSpans() const noexcept override { return outputs.wantWarpSpans(); }
  void settled(std::int64_t step) noexcept override { outputs.settled(step); }

  /// Makes the output of an item of the configuration's list. Null if there is none.
  [[nodiscard]] std::unique_ptr<Output> outputOf(std::string_view item) const;
  /// The same, but if nothing is recorded, its file is neither made nor changed. Close it while the
  /// session exists.
  [[nodiscard]] std::unique_ptr<Output> outputIfRecorded(std::string_view item);
  /// Has the program called any function of graphprof? If not, no message says that a file is not
  /// written: the process may only be linked with the library.
  std::atomic<bool> inUse{false};

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
