// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What an output is: a consumer of replays. Outputs know records and losses; they know nothing of
// CUDA, graphs or threads: the session calls each from one thread at a time.

#ifndef GRAPHPROF_OUTPUT_OUTPUT_H
#define GRAPHPROF_OUTPUT_OUTPUT_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "graphprof/control.h"
#include "graphprof/host_span.h"
#include "graphprof/record.h"
#include "output/data/GraphNodes.h"
#include "output/data/MemoryEvent.h"

namespace graphprof {

/// One launch of an exec and what was measured in it; or, with exec == 0, one region outside
/// graphs.
struct Replay {
  std::uint64_t graph = 0;         ///< running number of the captured graph, from 1
  std::uint64_t exec = 0;          ///< running number of the exec, from 1
  std::uint64_t number = 0;        ///< running number of the launch of this exec, from 0
  int device = -1;                 ///< CUDA ordinal, -1: none
  std::uint64_t stream = 0;        ///< the launching stream's id
  std::int64_t launchNs = 0;       ///< host time of the launch, since the Unix epoch
  std::int64_t beginNs = 0;        ///< where its first nodes begin, since the Unix epoch
  std::int64_t endNs = 0;          ///< its last node's end, or the last boundary that was reached
  bool cold = false;               ///< first replay after instantiation
  std::int64_t step = -1;          ///< in which it was launched (graphprof/step.h); -1: in none
  std::span<const Record> records; ///< in capture order; valid during the call
  /// Replays with the same number here have the same regions in the same order, told apart by their
  /// times alone: what an output finds out about a region holds for all of them. 0: unlike others.
  std::uint64_t layout = 0;
  std::shared_ptr<const GraphNodes> drawn; ///< its graph, where somebody wanted it drawn, or null

  /// Were its first and last boundary reached? Where not, beginNs and endNs mean nothing.
  [[nodiscard]] bool spanKnown() const { return beginNs > 0 && endNs >= beginNs; }
};

/// The metadata that says, as a JSON string, why there is no driver that graphprof can use.
inline constexpr const char *noDriverKey = "noDriver";

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
