// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How far a replay in flight has come, by the stamps that are there.

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "clock/StampClock.h"

namespace graphprof {

std::uint64_t StampRing::firstStampBefore(std::uint64_t sequence) const {
  std::uint64_t *const entry = memory_.host + entryOffset(sequence - 1);
  return wordOf(entry, wordBegin) == sequence - 1 ? wordOf(entry, wordStamps) : 0;
}

// Where stamps go to device memory, the entry there is that of the newest replay that has begun,
// and its control block tells which that is.
ReplayBuffer::Progress StampRing::look(std::uint64_t sequence, std::span<std::int64_t> times,
                                       Deadline &deadline) {
  std::uint64_t *const entry = memory_.host + entryOffset(sequence);
  const std::atomic_ref<std::uint64_t> begin(entry[wordBegin]), end(entry[wordEnd]);
  const auto hasFinished = [&] {
    return begin.load(std::memory_order_acquire) > sequence ||
           end.load(std::memory_order_acquire) > sequence ||
           (end.load(std::memory_order_relaxed) == sequence && showsLastStamp(entry));
  };
  if (hasFinished())
    return Progress::Finished;

  std::vector<std::uint64_t> stamps(times.size());
  std::uint64_t begun = begin.load(std::memory_order_relaxed);
  if (entry_.address) {
    const driver::DevicePointer control = device_.controls().address(control_.index);
    if (!device_.peek().read(control, {&begun, 1}, deadline) ||
        !device_.peek().read(entry_.address + wordStamps * sizeof(std::uint64_t), stamps, deadline))
      return Progress::Unknown;
    if (hasFinished())
      return Progress::Finished; // and the next may have begun
  } else {
    for (std::size_t k = 0; k < stamps.size(); ++k)
      stamps[k] = wordOf(entry, wordStamps + k);
    if (hasFinished())
      return Progress::Finished;
  }
  // Until the first stamp of this replay is there, all stamps are of an earlier one.
  if (begun < sequence || stamps.empty() || stamps[0] <= firstStampBefore(sequence))
    return Progress::NotBegun;
  const Alignment::StampAxis axis = device_.alignment().stampAxis();
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] = stamps[k] < stamps[0] ? unreached : axis.toHost(stamps[k]);
  return Progress::Begun;
}

} // namespace graphprof
