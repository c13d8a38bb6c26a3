// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// All of graphprof's own CUDA calls go through this header, to the driver API, so that none changes
// the program's runtime error state. Does not know that graphs are timed.

#ifndef GRAPHPROF_CUDA_DRIVER_H
#define GRAPHPROF_CUDA_DRIVER_H

#include <cstdint>
#include <optional>
#include <string>

#include "cuda/DriverApi.h"

namespace graphprof::driver {

/// The driver's functions, or null without a driver, or if it is too old. Searched once: in the
/// loaded libraries, then in libcuda.so.1. Thread-safe.
const Functions *functions() noexcept;

/// Whether functions() was ever called. Whoever does anything with CUDA calls it first.
bool wasAsked() noexcept;

/// Why functions() is null, as a sentence; empty if it is not null.
std::string whyNot();

/// `reason` is asked once, at the first call of functions(). If it returns
/// a text, which must stay valid, graphprof ignores the driver, and whyNot() returns it.
void leaveAloneIf(const char *(*reason)() noexcept) noexcept;

/// The driver's functions. Call this only if functions() is not null.
inline const Functions &cu() noexcept { return *functions(); }

inline bool ok(Result result) noexcept { return result == Result::Success; }

/// While it lives and is true, calls of this thread cannot invalidate a capture of any thread.
class RelaxedCapture {
public:
  RelaxedCapture() noexcept : exchanged_(ok(cu().threadExchangeCaptureMode(&mode_))) {}
  ~RelaxedCapture() {
    if (exchanged_)
      cu().threadExchangeCaptureMode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;
  /// False if the driver refused. Then make no call that could invalidate a capture.
  explicit operator bool() const noexcept { return exchanged_; }

private:
  CaptureMode mode_ = CaptureMode::Relaxed;
  bool exchanged_;
};

/// Makes a context current on this thread while it lives.
class CurrentContext {
public:
  explicit CurrentContext(Context context) noexcept
      : pushed_(context && ok(cu().ctxPushCurrent(context))) {}
  ~CurrentContext() {
    Context popped = nullptr;
    if (pushed_)
      cu().ctxPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
  [[nodiscard]] bool valid() const { return pushed_; }

private:
  bool pushed_;
};

/// The context current on this thread, or null.
inline Context currentContext() noexcept {
  Context context = nullptr;
  return ok(cu().ctxGetCurrent(&context)) ? context : nullptr;
}

/// While it lives, the stream's context is current on this thread, which may have no context or
/// another device's. Safe during a capture.
class ContextOf {
public:
  explicit ContextOf(Stream stream) noexcept : context_(currentContext()) {
    Context context = nullptr;
    if (ok(cu().streamGetCtx(stream, &context)) && context != context_ &&
        ok(cu().ctxPushCurrent(context))) {
      pushed_ = true;
      context_ = context;
    }
  }
  ~ContextOf() {
    Context popped = nullptr;
    if (pushed_)
      cu().ctxPopCurrent(&popped);
  }
  ContextOf(const ContextOf &) = delete;
  ContextOf &operator=(const ContextOf &) = delete;
  /// The context that is current now, or null.
  [[nodiscard]] Context context() const { return context_; }

private:
  Context context_;
  bool pushed_ = false;
};

/// The NULL stream, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: each context has its own.
inline bool isInEachContext(Stream stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

/// A stream's id. Unlike a handle, it is never reused. 0 if the driver refuses. Do not ask for it
/// while the stream is being captured: the driver refuses and invalidates the capture.
inline std::uint64_t streamId(Stream stream) noexcept {
  unsigned long long id = 0;
  return ok(cu().streamGetId(stream, &id)) ? id : 0;
}

/// The ids by which CUDA's own tools know a graph, an exec and a node in its graph (CUDA 13.1). 0,
/// and nullopt, if the driver tells none.
inline std::uint32_t graphId(Graph graph) noexcept {
  unsigned id = 0;
  return cu().graphGetId && ok(cu().graphGetId(graph, &id)) ? id : 0;
}
inline std::uint32_t execId(Exec exec) noexcept {
  unsigned id = 0;
  return cu().graphExecGetId && ok(cu().graphExecGetId(exec, &id)) ? id : 0;
}
inline std::optional<std::uint32_t> localId(Node node) noexcept {
  unsigned id = 0;
  return cu().graphNodeGetLocalId && ok(cu().graphNodeGetLocalId(node, &id)) ? std::optional(id)
                                                                             : std::nullopt;
}

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_DRIVER_H
