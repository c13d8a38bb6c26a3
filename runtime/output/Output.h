// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What an output is: a consumer of replays. Outputs know records and losses; they know nothing of
// CUDA, graphs or threads: the session calls each from one thread at a time.

#ifndef GRAPHPROF_OUTPUT_OUTPUT_H
#define GRAPHPROF_OUTPUT_OUTPUT_H

#include <cstdint>
#include <span>
#include <string>

#include "graphprof/control.h"
#include "graphprof/host_span.h"
#include "output/data/MemoryEvent.h"
#include "output/data/Replay.h"

namespace graphprof {

/// A consumer of replays. write(), writeHost() and close() return an empty text, or why the output
/// failed: the session then says so once, counts what follows as dropped, and goes on with the
/// others.
class Output {
public:
  virtual ~Output() = default;
  /// For messages: "table", "trace.json".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string write(const Replay &replay) = 0;
  /// Does it show what the program's threads did? Asked once; where nobody does, nothing of that is
  /// gathered.
  [[nodiscard]] virtual bool wantsHostSpans() const { return false; }
  /// Host spans, of any threads; those of one in the order in which they ended. Called for an
  /// output that wants them, between calls of write(). Valid during the call.
  [[nodiscard]] virtual std::string writeHost(std::span<const HostSpan> spans) {
    (void)spans;
    return {};
  }
  /// An allocation or a free, where somebody wants them; each thread's in order.
  [[nodiscard]] virtual std::string memory(const MemoryEvent &event) {
    (void)event;
    return {};
  }
  /// Records, host spans, allocations and frees that it left out so far because of its own bound.
  [[nodiscard]] virtual std::uint64_t dropped() const { return 0; }
  /// Called when it is detached while its own write() runs: the rest of the replay is not for it.
  virtual void stop() {}
  /// Brings what it was given to where it survives the process, within `timeoutMs` milliseconds.
  /// False: not all of it arrived there. An output that shows nothing before its end has nothing to
  /// bring.
  [[nodiscard]] virtual bool flush(std::int64_t timeoutMs) {
    (void)timeoutMs;
    return true;
  }
  /// Something that the program says of its run, at any time before close(): a key and a JSON
  /// value. What is said again of a key replaces what was said before.
  virtual void metadata(const std::string &key, const std::string &json) { (void)key, (void)json; }
  /// Before close(): something about the whole program, a sentence without a full stop.
  virtual void remark(const std::string &sentence) { (void)sentence; }
  /// Called once, last; write() is not called afterwards.
  [[nodiscard]] virtual std::string close(const Losses &losses) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_OUTPUT_H
