// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The seam to CUDA: every CUDA call of graphprof's own goes through here, to the driver API, so
// that none leaves a trace in the program's runtime error state. Knows nothing of graphs being
// timed.

#ifndef GRAPHPROF_CUDA_DRIVER_H
#define GRAPHPROF_CUDA_DRIVER_H

#include <string>

#include "cuda/DriverApi.h"

namespace graphprof::driver {

/// The driver's functions, or null on a machine without a driver (or with one too old). Looked up
/// once: in what the process has loaded, then in libcuda.so.1. Thread-safe.
const Functions *functions() noexcept;

/// Was functions() ever asked? Whoever does anything with CUDA asks first.
bool wasAsked() noexcept;

/// Why functions() is null, as a sentence; empty where it is not.
std::string whyNot();

/// From now on there is no driver, as far as graphprof is concerned; `why` is what whyNot() says, a
/// text that stays. Without effect once functions() was asked.
void leaveAlone(const char *why) noexcept;

/// The driver's functions; only where functions() is known not to be null.
inline const Functions &cu() noexcept { return *functions(); }

inline bool ok(Result result) noexcept { return result == Result::Success; }

/// While it lives and is true, this thread's calls cannot invalidate a capture, on any thread.
class RelaxedCapture {
public:
  RelaxedCapture() noexcept : exchanged_(ok(cu().threadExchangeCaptureMode(&mode_))) {}
  ~RelaxedCapture() {
    if (exchanged_)
      cu().threadExchangeCaptureMode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;
  /// False where the driver refused: then no call may be made that could invalidate one.
  explicit operator bool() const noexcept { return exchanged_; }

private:
  CaptureMode mode_ = CaptureMode::Relaxed;
  bool exchanged_;
};

/// Makes a context current on this thread while it lives.
class CurrentContext {
public:
  explicit CurrentContext(Context context) noexcept : pushed_(ok(cu().ctxPushCurrent(context))) {}
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

/// While it lives, the stream's context is current on this thread: which may have none, or that of
/// another device. Safe during a capture.
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

/// The NULL stream, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD: another one in each context.
inline bool isInEachContext(Stream stream) noexcept {
  return reinterpret_cast<std::uintptr_t>(stream) <= 2;
}

/// A stream's id: unlike its handle never given out twice. 0 where the driver refuses. Never ask
/// for that of a stream that is being captured: the driver refuses it and invalidates the capture.
inline std::uint64_t streamId(Stream stream) noexcept {
  unsigned long long id = 0;
  return ok(cu().streamGetId(stream, &id)) ? id : 0;
}

} // namespace graphprof::driver

#endif // GRAPHPROF_CUDA_DRIVER_H
