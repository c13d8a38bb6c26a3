// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// With GRAPHPROF_GRAPH_MEMORY: which part of a redirected call is the program's, and which is
// graphprof's own. An object of these lives through the work of one function of the seam. Without
// the option they do nothing.

#ifndef GRAPHPROF_CALLS_MEASUREDMEMORY_H
#define GRAPHPROF_CALLS_MEASUREDMEMORY_H

#include <optional>

#include "calls/Guarded.h"
#include "graph/memory/GraphMemory.h"

namespace graphprof::internal {

/// Null: the option is not set, or nothing is tracked.
inline GraphMemory *measuredMemory() noexcept {
  return tracks() && process().graphMemory.isOn() ? &process().graphMemory : nullptr;
}

/// Behind the program's call that began a capture.
class CaptureBeginMemory {
public:
  explicit CaptureBeginMemory(driver::Stream stream) noexcept;
  ~CaptureBeginMemory();
  CaptureBeginMemory(const CaptureBeginMemory &) = delete;
  CaptureBeginMemory &operator=(const CaptureBeginMemory &) = delete;

private:
  GraphMemory *const memory_;
  const driver::Stream stream_;
  std::optional<GraphMemory::OwnPart> own_;
};

/// Before the program's call that ends a capture.
class CaptureEndingMemory {
public:
  explicit CaptureEndingMemory(driver::Stream stream) noexcept
      : memory_(measuredMemory()), stream_(stream), own_(memory_) {}
  ~CaptureEndingMemory() {
    if (memory_)
      memory_->addOwn(stream_, own_.end().bytes);
  }
  CaptureEndingMemory(const CaptureEndingMemory &) = delete;
  CaptureEndingMemory &operator=(const CaptureEndingMemory &) = delete;

private:
  GraphMemory *const memory_;
  const driver::Stream stream_;
  GraphMemory::OwnPart own_;
};

/// Behind it.
class CaptureEndMemory {
public:
  CaptureEndMemory(driver::Stream stream, bool succeeded) noexcept
      : memory_(measuredMemory()),
        graph_(memory_ ? memory_->captureEnded(stream, succeeded) : nullptr), own_(memory_) {}
  ~CaptureEndMemory() {
    if (!memory_)
      return;
    memory_->addOwn(graph_, own_.end().bytes);
    memory_->handOn();
  }
  CaptureEndMemory(const CaptureEndMemory &) = delete;
  CaptureEndMemory &operator=(const CaptureEndMemory &) = delete;

private:
  GraphMemory *const memory_;
  const driver::Graph graph_;
  GraphMemory::OwnPart own_;
};

/// Before the program's call that instantiates, updates or uploads.
class CallBeginMemory {
public:
  CallBeginMemory() noexcept : memory_(measuredMemory()), own_(memory_) {}
  ~CallBeginMemory() {
    if (memory_)
      memory_->begins(own_.end().bytes);
  }
  CallBeginMemory(const CallBeginMemory &) = delete;
  CallBeginMemory &operator=(const CallBeginMemory &) = delete;

private:
  GraphMemory *const memory_;
  GraphMemory::OwnPart own_;
};

/// Behind it.
class CallEndMemory {
public:
  /// `exec`: null if the call failed. `graph`: of an instantiation, that which it was made from.
  CallEndMemory(GraphMemory::What what, driver::Exec exec, driver::Graph graph) noexcept;
  ~CallEndMemory();
  CallEndMemory(const CallEndMemory &) = delete;
  CallEndMemory &operator=(const CallEndMemory &) = delete;

private:
  GraphMemory *const memory_;
  const GraphMemory::What what_;
  const driver::Exec exec_;
  const driver::Graph graph_;
  std::optional<GraphMemory::OwnPart> own_;
};

} // namespace graphprof::internal

#endif // GRAPHPROF_CALLS_MEASUREDMEMORY_H
