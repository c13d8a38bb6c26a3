// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The virtual time of host threads. Each thread has its own time. With a common one, a thread that
// polls an event would shift the times of the main thread's work, and runs would differ. What one
// thread has seen completed is completed for all threads. All members are called under the device's
// lock. Knows no streams or events.
//
// The virtual time is never behind the machine's clock, so that a trace shows replays right behind
// their launches. With CUDASIM_REAL_TIME=0, as in tests, it knows nothing of that clock, and the
// same program always gives the same times.

#ifndef CUDASIM_SRC_CLOCK_H
#define CUDASIM_SRC_CLOCK_H

#include <cstdint>

namespace cudasim {

class Clock {
public:
  // Time begins at one second, so that 0 can mean "not written".
  static constexpr std::uint64_t kStartNs = 1'000'000'000;

  std::uint64_t now();
  void spend(std::uint64_t ns);

  // Advances the calling thread to that device time.
  void waitUntil(std::uint64_t deviceNs);

  // Whether the device has reached that time, as far as the calling thread can know.
  bool reached(std::uint64_t deviceNs);

  void reset();

private:
  std::uint64_t &threadNow();
  static std::uint64_t leastNow(); // the machine's clock, or 0 with CUDASIM_REAL_TIME=0

  std::uint64_t seen_ = kStartNs;   // the latest completion that any thread has seen
  std::uint64_t latest_ = kStartNs; // the time of the furthest thread, where a new thread starts
  std::uint64_t epoch_ = 1;
};

} // namespace cudasim

#endif // CUDASIM_SRC_CLOCK_H
