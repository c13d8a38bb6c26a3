// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "L2.h"

#include <algorithm>

namespace cudasim {

// Removes these bytes from the cache; returns how many were there.
std::size_t L2::take(std::uintptr_t begin, std::uintptr_t end) {
  std::size_t found = 0;
  for (auto at = lines_.begin(); at != lines_.end();) {
    const Lines lines = *at;
    const std::uintptr_t first = std::max(begin, lines.begin), last = std::min(end, lines.end);
    if (first >= last) {
      ++at;
      continue;
    }
    found += last - first;
    if (lines.begin < first)
      lines_.insert(at, {lines.begin, first});
    if (last < lines.end)
      lines_.insert(at, {last, lines.end});
    at = lines_.erase(at);
  }
  return found;
}

std::size_t L2::use(const void *data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t end = begin + bytes;
  const std::size_t found = take(begin, end);
  const std::size_t kept = std::min(bytes, capacity_);
  if (kept > 0)
    lines_.push_front({end - kept, end});
  std::size_t room = capacity_;
  for (auto at = lines_.begin(); at != lines_.end();) {
    const std::size_t size = at->end - at->begin;
    if (room == 0) {
      at = lines_.erase(at);
      continue;
    }
    if (size > room)
      at->begin = at->end - room;
    room -= std::min(size, room);
    ++at;
  }
  return bytes - found;
}

} // namespace cudasim
