// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// When to record: torch.profiler's actions, and its schedule of them. Knows nothing of what is
// recorded.

#ifndef GRAPHPROF_SCHEDULE_H
#define GRAPHPROF_SCHEDULE_H

#include <cstdint>

#include "graphprof/detail/export.h"

namespace graphprof {
inline namespace v1 {

/// What a profiler does in one step. Names and values are torch.profiler's.
enum class ProfilerAction : std::uint8_t {
  NONE = 0,            ///< launches take the program's own exec; nothing is recorded
  WARMUP = 1,          ///< launches are timed, and their times thrown away
  RECORD = 2,          ///< launches are recorded
  RECORD_AND_SAVE = 3, ///< the same, and the trace is complete at the end of the step
};

/// The arguments of schedule(), by name. All are numbers of steps, except `repeat`, which counts
/// cycles.
struct GRAPHPROF_API ScheduleArguments {
  int wait = 0;
  int warmup = 0;
  int active = 1;
  int repeat = 0;          ///< 0: without end
  int skip_first = 0;      ///< once, before the first cycle
  int skip_first_wait = 0; ///< unless 0, the first cycle does not wait

  /// Whether schedule() accepts them: `active` is at least 1, the others at least 0.
  [[nodiscard]] bool valid() const noexcept;
};

/// Maps the number of a step to its action. A small value, made by schedule().
class GRAPHPROF_API Schedule {
public:
  /// `arguments` are valid.
  explicit Schedule(const ScheduleArguments &arguments) noexcept : arguments_(arguments) {}

  /// The action of `step`, which counts from 0. NONE if it is negative.
  [[nodiscard]] ProfilerAction operator()(std::int64_t step) const noexcept;
  [[nodiscard]] const ScheduleArguments &arguments() const noexcept { return arguments_; }

private:
  ScheduleArguments arguments_;
};

/// Skips the first `skip_first` steps. Then, in cycles, it waits for `wait` steps, warms up for
/// `warmup` steps, and records `active` steps, of which the last saves. It ends after `repeat`
/// cycles; 0 means never. Unless `skip_first_wait` is 0, the first cycle does not wait.
///
///     const auto steps = graphprof::schedule(1, 1, 2, 1); // wait, warmup, active, repeat
///     steps(0); // NONE
///     steps(1); // WARMUP
///     steps(2); // RECORD
///     steps(3); // RECORD_AND_SAVE
///     steps(4); // NONE, for ever
///
///     graphprof::schedule({.wait = 10, .warmup = 1, .active = 5}) // by name, from C++20 on
///
/// Throws std::invalid_argument if `active` is below 1 or another one below 0. torch.profiler
/// asserts here, too. (GRAPHPROF_SCHEDULE with such values is a message on stderr.) Warns on stderr
/// if `warmup` is 0, as torch.profiler does.
///
/// Source: torch.profiler.schedule; the rules are those of PyTorch, checked against it.
[[nodiscard]] GRAPHPROF_API Schedule schedule(int wait, int warmup, int active, int repeat = 0,
                                              int skip_first = 0, int skip_first_wait = 0);
[[nodiscard]] GRAPHPROF_API Schedule schedule(const ScheduleArguments &arguments);

} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_SCHEDULE_H
