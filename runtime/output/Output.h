// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// An output of the session: a writer with a name for messages that says what it wants, and can be
// flushed and stopped. Streamed and InlineOutput make an output of a format's writer;
// graphprof-convert uses writers alone. Outputs do not know CUDA or graphs.

#ifndef GRAPHPROF_OUTPUT_OUTPUT_H
#define GRAPHPROF_OUTPUT_OUTPUT_H

#include <cstdint>
#include <string>
#include <utility>

#include "output/BatchWriter.h"

namespace graphprof {

/// The session calls each output from one thread at a time. It reports once that an output failed,
/// counts what follows as dropped, and continues with the others. Each batch contains one replay,
/// or host spans, or one allocation or free, or says of which steps everything has come. The last
/// one contains notes and remarks about the whole program.
class Output : public BatchWriter {
public:
  /// What it gets in addition to replays.
  struct Interest {
    bool hostSpans = false; ///< if no output wants them, none are gathered
    bool memory = false;    ///< allocations and frees
    bool settled = false;   ///< Batch::settledBefore
    bool warpSpans = false; ///< KernelRun::spans; if no output wants them, none are kept
  };

  /// `name`: for messages; "table", "trace.json".
  explicit Output(std::string name) : Output(std::move(name), Interest()) {}
  Output(std::string name, Interest wants) : name_(std::move(name)), wants_(wants) {}

  [[nodiscard]] const std::string &name() const { return name_; }
  [[nodiscard]] Interest wants() const { return wants_; }
  /// Called when it is detached. From its return on, it must not call the program.
  virtual void stop() {}
  /// Makes everything that it got survive the process, within `timeoutMs` milliseconds. Returns
  /// false if not all did. An output that shows nothing before its end has nothing to do.
  [[nodiscard]] virtual bool flush(std::int64_t timeoutMs) {
    (void)timeoutMs;
    return true;
  }

private:
  const std::string name_;
  const Interest wants_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_OUTPUT_H
