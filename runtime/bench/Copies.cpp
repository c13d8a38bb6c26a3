// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Copies.h"

#include <algorithm>
#include <numeric>

#include "bench/Fault.h"
#include "cuda/Driver.h"

namespace graphprof::bench_detail {

namespace {

// The least alignment of CUDA's own allocations. A copy has the same offset from a multiple of it
// as its original, so that kernels use loads of the same width.
constexpr std::size_t alignment = 512;

std::size_t roundedUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::size_t offsetOf(const device_ranges::Range &range) { return range.begin % alignment; }

std::size_t spaceOf(const device_ranges::Range &range) {
  return roundedUp(offsetOf(range) + (range.end - range.begin), alignment);
}

} // namespace

Rotation rotationOf(std::size_t bytes, std::size_t l2Bytes, int perGraph) {
  const std::size_t needed = 5 * l2Bytes;
  if (bytes == 0 || bytes >= needed)
    return {};
  const auto calls = static_cast<std::size_t>(perGraph);
  std::size_t copies = std::max<std::size_t>(2, (needed + bytes - 1) / bytes + 1);
  // Each call of a graph uses another copy, and the next graph continues with the next copy.
  // Rounded up, so that the last call uses the last copy.
  if (copies > calls)
    copies = roundedUp(copies, calls);
  return {static_cast<int>(copies), static_cast<int>(std::lcm(copies, calls) / calls)};
}

std::size_t Copies::bytesOf(const device_ranges &ranges, int count) {
  std::size_t each = 0;
  for (const device_ranges::Range &range : ranges.all())
    each += spaceOf(range);
  return each * static_cast<std::size_t>(count - 1);
}

Copies::Copies(Gpu &gpu, const device_ranges &ranges, int count) {
  if (count < 2)
    return;
  memory_ = Memory(bytesOf(ranges, count));
  driver::DevicePointer next = memory_.address();
  for (int copy = 1; copy < count; ++copy) {
    std::vector<std::uintptr_t> bases;
    for (const device_ranges::Range &range : ranges.all()) {
      const driver::DevicePointer base = next + offsetOf(range);
      bases.push_back(static_cast<std::uintptr_t>(base));
      check(driver::cu().memcpyDtoDAsync(base, range.begin, range.end - range.begin, gpu.stream()),
            "copy an argument");
      next += spaceOf(range);
    }
    moves_.emplace_back(ranges, std::move(bases));
  }
}

} // namespace graphprof::bench_detail
