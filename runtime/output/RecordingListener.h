// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Gets what is read back from files that outputs wrote. Does not know the formats.

#ifndef GRAPHPROF_OUTPUT_RECORDINGLISTENER_H
#define GRAPHPROF_OUTPUT_RECORDINGLISTENER_H

#include <string>

#include "graphprof/control.h"
#include "output/data/Batch.h"
#include "output/data/Run.h"

namespace graphprof {

/// What is known at the end of a run.
struct RecordedEnd {
  Losses losses{};
  /// What is missing of the file, as a sentence without a full stop; empty: nothing.
  std::string missing;
};

/// The runs of a file come one after the other: begin(), add()s, end().
class RecordingListener {
public:
  virtual ~RecordingListener() = default;
  virtual void begin(const Run &run) = 0;
  /// Like the batches of one Batcher, which begins again with each run. What they refer to lives as
  /// long as the reader's sites.
  virtual void add(const Batch &batch) = 0;
  virtual void end(const RecordedEnd &end) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_RECORDINGLISTENER_H
