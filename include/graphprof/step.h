// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Steps: the iterations of the program's main loop. Every record carries the number of the step in
// which it was launched. Knows nothing of CUDA.

#ifndef GRAPHPROF_STEP_H
#define GRAPHPROF_STEP_H

#include <cstdint>

#include "graphprof/control.h"
#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {

/// One step, from the guard's construction to its destruction. Steps are numbered from 0 in the
/// whole process, whatever thread they run on. A step inside a step is part of the outer one; so is
/// a step on another thread that begins while one is open.
///
///     for (const Batch &batch : batches) {
///       graphprof::Step step;
///       train(batch);
///     }
///
/// Costs a load and a branch while graphprof is disabled.
class GRAPHPROF_API Step {
public:
  Step() noexcept : counted_(active()) {
    if (counted_)
      begin();
  }
  ~Step() {
    if (counted_)
      end();
  }
  Step(const Step &) = delete;
  Step &operator=(const Step &) = delete;

private:
  static void begin() noexcept;
  static void end() noexcept;

  const bool counted_;
};

/// Ends the current step and begins the next one. Call it where an iteration begins, or between
/// two. What ran before the first call is in no step. While a Step is open, this does nothing: the
/// guard decides where the step ends.
///
///     for (const Batch &batch : batches) {
///       graphprof::step();
///       train(batch);
///     }
///
/// Source of the idea: torch.profiler's step().
GRAPHPROF_API void step() noexcept;

/// The number of the current step, from 0 in the process; -1 outside of steps. A profile
/// (graphprof/profile.h) numbers the steps that it sees from 0 itself.
[[nodiscard]] GRAPHPROF_API std::int64_t current_step() noexcept;

/// Whether this thread is in a step of its own: it has a Step open, or its step() began the current
/// one. Copies (graphprof/copies.h) are timed only on such a thread.
[[nodiscard]] GRAPHPROF_API bool in_step() noexcept;

} // namespace v1
} // namespace graphprof

// One step until the end of the enclosing scope; empty in the device pass of a __host__ __device__
// function.
#ifdef __CUDA_ARCH__
#define GRAPHPROF_STEP(id) static_assert(true, "")
#else
#define GRAPHPROF_STEP(id) const ::graphprof::Step graphprofStep##id
#endif

#endif // GRAPHPROF_STEP_H
