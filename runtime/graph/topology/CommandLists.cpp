// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/CommandLists.h"

namespace graphprof {

void CommandLists::begun(driver::Stream stream) noexcept {
  for (auto &slot : streams) {
    driver::Stream free = nullptr;
    if (slot.compare_exchange_strong(free, stream))
      break;
  }
  open.fetch_add(1, std::memory_order_release);
}

// A list whose begin was not seen is not counted.
void CommandLists::ended(driver::Stream stream) noexcept {
  if (!take(stream))
    return;
  for (auto &slot : streams) {
    driver::Stream mine = stream;
    if (slot.compare_exchange_strong(mine, nullptr))
      break;
  }
  open.fetch_sub(1, std::memory_order_release);
}

bool CommandLists::isOpen(driver::Stream stream) noexcept {
  std::size_t known = 0;
  for (const auto &slot : streams) {
    const driver::Stream each = slot.load();
    if (each == stream)
      return true;
    known += each ? 1 : 0;
  }
  return open.load() > known;
}

} // namespace graphprof
