// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Overlap.h"

#include <algorithm>

namespace graphprof {

namespace {

bool beginsBefore(std::int64_t ns, const StreamTime &time) { return ns < time.beginNs; }

} // namespace

void Overlap::add(const StreamTime &computing) {
  if (computing.endNs <= computing.beginNs)
    return;
  OfDevice &device = devices_[computing.device];
  auto &times = device.computing;
  if (times.empty() || times.back().beginNs <= computing.beginNs) // almost always
    times.push_back(computing);
  else
    times.insert(std::upper_bound(times.begin(), times.end(), computing.beginNs, beginsBefore),
                 computing);
  device.longestNs = std::max(device.longestNs, computing.endNs - computing.beginNs);
  if (times.size() > most_)
    times.pop_front();
}

std::int64_t Overlap::overlappedNs(const StreamTime &copy) const {
  const auto device = devices_.find(copy.device);
  if (device == devices_.end())
    return 0;
  const auto &[times, longestNs] = device->second;
  std::int64_t overlapped = 0, countedTo = copy.beginNs;
  auto next =
      std::upper_bound(times.begin(), times.end(), copy.beginNs - longestNs - 1, beginsBefore);
  for (; next != times.end() && next->beginNs < copy.endNs; ++next) {
    if (next->stream == copy.stream)
      continue;
    const std::int64_t begin = std::max(next->beginNs, countedTo);
    const std::int64_t end = std::min(next->endNs, copy.endNs);
    overlapped += std::max<std::int64_t>(end - begin, 0);
    countedTo = std::max(countedTo, end);
  }
  return overlapped;
}

} // namespace graphprof
