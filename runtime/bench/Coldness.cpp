// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Coldness.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "bench/Fault.h"
#include "cuda/Driver.h"

namespace graphprof::bench_detail {

using driver::cu;
using driver::ok;

namespace {

// More graphs have no benefit: their copies would be small, and one flush does the same.
constexpr int mostGraphs = 128;
// The share of the free memory that copies may take.
constexpr double mostMemory = 0.9;

std::size_t freeMemory() {
  std::size_t free = 0, total = 0;
  check(cu().memGetInfo(&free, &total), "tell how much memory is free");
  return free;
}

// Is an argument a bare pointer to device memory of unknown size?
bool hasBarePointer(const Work &work) {
  return std::any_of(work.pointers.begin(), work.pointers.end(), [&](const void *pointer) {
    unsigned type = 0;
    return pointer &&
           ok(cu().pointerGetAttribute(&type, driver::pointerMemoryType,
                                       reinterpret_cast<driver::DevicePointer>(pointer))) &&
           type != static_cast<unsigned>(driver::MemoryType::Host) &&
           !work.ranges.contains(pointer);
  });
}

Coldness flush(std::string why) { return {cold_l2::flush, {}, std::move(why)}; }

// `reserved`: the memory that copies of other candidates will take, to which it adds its own.
Coldness coldnessOf(const Gpu &gpu, const Work &work, const bench_options &options, int calls,
                    std::size_t &reserved) {
  if (options.cold_method == cold_l2::flush)
    return flush({});
  const bool must = options.cold_method == cold_l2::rotation;
  const std::size_t bytes = work.ranges.bytes();
  if (bytes == 0 && must)
    throw bench_error(
        bench_fault::options,
        fmt::format("graphprof: no argument of {} is device memory with a size, so "
                    "there is nothing to rotate; give DeviceSpan arguments, or choose "
                    "cold_l2::flush",
                    work.name));
  const bool pointer = hasBarePointer(work);
  if (bytes == 0)
    return flush(pointer ? "its arguments are bare pointers; DeviceSpan gives them a size"
                         : "no argument is device memory; what a callable holds itself cannot "
                           "be rotated");
  if (pointer && !must)
    return flush("an argument is a bare device pointer; DeviceSpan gives it a size");
  const Rotation rotation = rotationOf(bytes, gpu.l2Bytes(), calls);
  if (rotation.graphs > mostGraphs && !must)
    return flush(fmt::format("{} copies of its {} bytes would be needed", rotation.copies, bytes));
  const std::size_t needed = Copies::bytesOf(work.ranges, rotation.copies), all = freeMemory(),
                    free = all - std::min(all, reserved);
  if (static_cast<double>(needed) > mostMemory * static_cast<double>(free)) {
    if (must)
      throw bench_error(
          bench_fault::memory,
          fmt::format("graphprof: {} copies of the arguments of {} take {} bytes, and "
                      "{} are free; choose cold_l2::flush, or cold_l2_cache = false",
                      rotation.copies, work.name, needed, free));
    return flush(fmt::format("the copies take {} bytes, and {} are free", needed, free));
  }
  reserved += needed;
  return {cold_l2::rotation, rotation, {}};
}

} // namespace

std::vector<Coldness> coldnessOf(const Gpu &gpu, const std::vector<const Work *> &works,
                                 const bench_options &options, int calls) {
  std::vector<Coldness> all(works.size());
  if (!options.cold_l2_cache)
    return all;
  std::size_t reserved = 0;
  for (std::size_t i = 0; i < works.size(); ++i)
    all[i] = coldnessOf(gpu, *works[i], options, calls, reserved);
  const auto flushed =
      std::find_if(all.begin(), all.end(), [](const Coldness &each) { return each.flushes(); });
  if (flushed == all.end())
    return all;
  const std::string_view first = works[static_cast<std::size_t>(flushed - all.begin())]->name;
  for (Coldness &each : all)
    if (!each.flushes())
      each = flush(fmt::format("{}, with which it is compared, is flushed", first));
  return all;
}

} // namespace graphprof::bench_detail
