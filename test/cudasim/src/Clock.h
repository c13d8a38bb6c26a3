// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The virtual time of the host. Each thread has its own: were there one for all, a background
// thread that polls an event would move the times at which the main thread's work starts, and no
// two runs would be alike. Threads meet where they must: what one thread has seen completed is
// completed for all. Every member is called under the device's lock. Knows no stream and no event.
//
// With CUDASIM_REAL_TIME=1 it is never behind the machine's clock, either: a time line of the
// program then has launches and what they led to at the same place.

#ifndef CUDASIM_SRC_CLOCK_H
#define CUDASIM_SRC_CLOCK_H

#include <cstdint>

namespace cudasim {

class Clock {
public:
  // Time begins at one second: 0 stays free for "not written".
  static constexpr std::uint64_t kStartNs = 1'000'000'000;

  std::uint64_t now();
  void spend(std::uint64_t ns);

  // The calling thread blocks until the device has reached that time.
  void waitUntil(std::uint64_t deviceNs);

  // Whether the device has reached that time, as the calling thread can know.
  bool reached(std::uint64_t deviceNs);

  void reset();

private:
  std::uint64_t &threadNow();
  static std::uint64_t leastNow(); // by the machine's clock, where that counts

  std::uint64_t seen_ = kStartNs;   // the latest completion that any thread has seen
  std::uint64_t latest_ = kStartNs; // the furthest thread: a new thread starts there
  std::uint64_t epoch_ = 1;
};

} // namespace cudasim

#endif // CUDASIM_SRC_CLOCK_H
