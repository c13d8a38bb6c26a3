// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The outputs: who they are, and how what was recorded gets to them. It makes one batch of each
// replay and hands it to all. It knows no format, and of the session only whom it tells what was
// lost or failed.

#ifndef GRAPHPROF_SESSION_OUTPUTS_H
#define GRAPHPROF_SESSION_OUTPUTS_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "CacheLine.h"
#include "Mutex.h"
#include "output/Output.h"
#include "session/Counters.h"
#include "session/Recording.h"
#include "session/Said.h"

namespace graphprof {

/// All members may be called from any thread, also by an output that is just being called (a
/// callback that destroys its Profiler, or whose own code is timed).
///
/// An output that fails or throws is said once and not called again; what it would have got is
/// counted as dropped. The others go on.
class Outputs {
public:
  /// Each outlives it. At most `maxRecords` allocations and frees wait for the outputs.
  Outputs(Counters &counters, Said &said, Recording &recording, std::size_t maxRecords)
      : counters_(counters), said_(said), recording_(recording), maxRecords_(maxRecords) {}
  Outputs(const Outputs &) = delete;
  Outputs &operator=(const Outputs &) = delete;

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

  /// Adds an output behind those of the configuration; the pointer is its handle for detach(). It
  /// gets what is consumed from now on. Null when `output` is, or memory is short.
  Output *attach(std::unique_ptr<Output> output) noexcept;
  /// The same for the table that is shown where GRAPHPROF_OUTPUT is not set.
  void attachDefaultTable(std::unique_ptr<Output> table) noexcept;
  /// Removes the table that is shown where GRAPHPROF_OUTPUT is not set: the program says itself
  /// what is shown.
  void withoutDefaultTable() noexcept;
  /// Removes an output without closing it; afterwards it is not called any more. Waits for a call
  /// under way, but for one that this thread is in.
  void detach(Output *output) noexcept;

  /// Brings what the outputs were given to where it survives the process; true when all of it is
  /// there within `timeoutMs` milliseconds. False at once from inside an output.
  [[nodiscard]] bool flush(std::int64_t timeoutMs) noexcept;

  /// Closes every output; what arrives later is counted as dropped. Called once, at exit. Gives up
  /// after a second when a callback never returns. `last` says of the whole program what there is
  /// to say: a batch of notes and remarks, which each output gets last.
  void close(const std::function<Batch()> &last) noexcept;

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
  void closeAll(const std::function<Batch()> &last) noexcept REQUIRES(mutex_);

  Counters &counters_;
  Said &said_;
  Recording &recording_;
  const std::size_t maxRecords_;
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
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_OUTPUTS_H
