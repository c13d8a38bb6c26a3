// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the session hands its batches to: a writer with a name for messages, that says what it
// wants, and can be flushed and stopped. A format is none of these by itself: Streamed and Direct
// make an output of it, and graphprof-convert does without. Outputs know nothing of CUDA and
// graphs.

#ifndef GRAPHPROF_OUTPUT_OUTPUT_H
#define GRAPHPROF_OUTPUT_OUTPUT_H

#include <cstdint>
#include <string>

#include "output/BatchWriter.h"

namespace graphprof {

/// The session calls each from one thread at a time. It says once that one failed, counts what
/// follows as dropped, and goes on with the others. Each batch that it hands on has either one
/// replay, or host spans, or one allocation or free; the last one has what is said of the whole
/// program.
class Output : public BatchWriter {
public:
  /// What it is handed beside replays.
  struct Wants {
    bool hostSpans = false; ///< where nobody does, nothing of that is gathered
    bool memory = false;    ///< allocations and frees
    /// Of replays and host spans Batch::source alone: what hands on the very records of the session
    /// takes no time to make others of them.
    bool source = false;
  };

  /// For messages: "table", "trace.json".
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Wants wants() const { return {}; }
  /// Called when it is detached while its own write() runs: the rest of the replay is not for it.
  virtual void stop() {}
  /// Brings what it was given to where it survives the process, within `timeoutMs` milliseconds.
  /// False: not all of it arrived there. An output that shows nothing before its end has nothing to
  /// bring.
  [[nodiscard]] virtual bool flush(std::int64_t timeoutMs) {
    (void)timeoutMs;
    return true;
  }
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_OUTPUT_H
