// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The session: from replays to outputs. It owns the outputs, makes the batches that they are
// handed, and has the counts of what was lost and the recording switch. It knows nothing of CUDA
// and of how a replay was timed.

#ifndef GRAPHPROF_SESSION_SESSION_H
#define GRAPHPROF_SESSION_SESSION_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "CacheLine.h"
#include "Mutex.h"
#include "output/Output.h"
#include "session/Config.h"
#include "session/Recording.h"
#include "session/memory/Allocations.h"
#include "session/memory/MappedMemory.h"

namespace graphprof {

/// From replays to outputs. All members may be called from any thread, also by an output that is
/// just being called (a callback that destroys its Profiler, or whose own code is timed).
///
/// An output that fails or throws is said once and not called again; what it would have got is
/// counted as dropped. The others go on.
class Session {
public:
  /// The one session of the process. Made at first use and never destroyed: harvested replays may
  /// still arrive while static destructors run. Without memory for it, it is one that is not
  /// enabled.
  static Session &instance() noexcept;

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

  /// Hands a replay to every output, as one batch, in the order of calls. Called by the harvest
  /// thread, and by the program's thread for host regions. From inside an output it hands on
  /// nothing: the records are counted as dropped.
  void consume(const Replay &replay) noexcept;
  /// The same with what the program's threads did, for the outputs that want it.
  void consume(std::span<const HostSpan> spans) noexcept;

  /// Takes an allocation or a free, made at the program's `path` of regions, and hands it on when
  /// no output works: at once, or with the next replay, flush, or close. Waits for nobody. At most
  /// as many are kept as records; those beyond are counted as dropped.
  void consume(const MemoryEvent &event, std::string path) noexcept;
  /// Hands on what was taken so far. Not from inside an output.
  void handMemoryOn() noexcept;

  /// An output as the configuration has it, for an item of its list; null where there is none.
  [[nodiscard]] std::unique_ptr<Output> outputOf(std::string_view item) const;
  /// The same, but where nothing is recorded its file is neither made nor touched. To be closed
  /// while the session is there.
  [[nodiscard]] std::unique_ptr<Output> outputIfRecorded(std::string_view item);
  /// Has the program called any of graphprof's functions? Where not, files that are not written for
  /// want of records are not spoken of: a process may be linked with the library, and no more.
  std::atomic<bool> inUse{false};
  /// Adds an output behind those of the configuration; the pointer is its handle for detach(). It
  /// gets what is consumed from now on. Null when `output` is, or memory is short.
  Output *attach(std::unique_ptr<Output> output) noexcept;
  /// Removes the table that is shown where GRAPHPROF_OUTPUT is not set: the program says itself
  /// what is shown.
  void withoutDefaultTable() noexcept;
  /// Removes an output without closing it; afterwards it is not called any more. Waits for a call
  /// under way, but for one that this thread is in.
  void detach(Output *output) noexcept;

  /// Brings what the outputs were given to where it survives the process; true when all of it is
  /// there within `timeoutMs` milliseconds. False at once from inside an output.
  [[nodiscard]] bool flush(std::int64_t timeoutMs) noexcept;

  /// The counts of what was lost; each is raised where it happens.
  struct Counters {
    std::atomic<std::uint64_t> overrun{0}, notQueued{0}, unfinished{0}, incomplete{0}, notMarked{0},
        notInstantiated{0}, notMirrored{0}, notLaunched{0}, invalidated{0}, eager{0}, dropped{0},
        namesCut{0}, hostSpans{0};
  };
  Counters counters;
  [[nodiscard]] Losses losses() const noexcept;

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

  /// Says `text` on stderr, once for each distinct text, with the prefix "graphprof: ". After 100
  /// texts it says that it stops. `more` is the rest of the text: who catches a failure may have no
  /// memory to put the two together.
  void say(std::string_view text, std::string_view more = {}) noexcept;

  /// Closes every output; what arrives later is counted as dropped. Called once, at exit. Gives up
  /// after a second when a callback never returns.
  void close() noexcept;

private:
  // One output and how it fares.
  struct Entry {
    std::unique_ptr<Output> output;
    Output::Wants wants;
    std::uint64_t dropped = 0; // as output->dropped() last said
    bool failed = false;       // kept, not called: its address is still a handle
    bool gone = false;         // detached while outputs were being called
  };
  class Turn;

  // Is this thread in a call of an output's? Then it holds mutex_.
  [[nodiscard]] bool inTurn() const noexcept;
  Output *add(std::unique_ptr<Output> output) REQUIRES(mutex_);
  void fail(Entry &entry, const std::string &why) noexcept;
  // `Given` is Replay or std::span<const HostSpan>.
  template <class Given> void consumeAny(const Given &given) noexcept;
  void take(const Replay &replay) REQUIRES(mutex_);
  void take(std::span<const HostSpan> spans) REQUIRES(mutex_);
  template <class Wanted> void hand(std::size_t size, Wanted wanted) REQUIRES(mutex_);
  void handMemory() REQUIRES(mutex_);
  void removeGone(std::vector<Entry> &gone) REQUIRES(mutex_);
  void countDropped(Entry &entry) noexcept;
  [[nodiscard]] Batch lastBatch() const;
  void closeAll() noexcept REQUIRES(mutex_);

  const Config config_;
  std::atomic<Facts (*)()> askFacts_{nullptr};
  // Held while an output works, so that outputs see one thread at a time.
  alignas(cacheLine) TimedMutex mutex_;
  std::atomic<std::thread::id> turn_; // the thread that holds it and calls outputs
  std::vector<Entry> outputs_ GUARDED_BY(mutex_);
  Output *defaultTable_ GUARDED_BY(mutex_) = nullptr; // one of them
  Batcher batcher_ GUARDED_BY(mutex_);
  // The one that is handed on, and everything that is known: who is attached meets it with the
  // next.
  Batch batch_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;

  struct WaitingMemory {
    MemoryEvent event;
    std::string path;
  };
  Mutex memoryMutex_; // nothing is called while it is held
  std::vector<WaitingMemory> memory_ GUARDED_BY(memoryMutex_);
  std::atomic<bool> memoryWaits_{false};

  Mutex saidMutex_; // nothing is called while it is held
  std::vector<std::string> said_ GUARDED_BY(saidMutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_SESSION_H
