// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/CommandLists.h"

namespace graphprof {

void CommandLists::begun(driver::Stream stream) noexcept {
  replaceOne(nullptr, stream);
  open.fetch_add(1, std::memory_order_release);
}

// A list whose begin was not seen is not counted.
void CommandLists::ended(driver::Stream stream) noexcept {
  if (!take(stream))
    return;
  replaceOne(stream, nullptr);
  open.fetch_sub(1, std::memory_order_release);
}

void CommandLists::replaceOne(driver::Stream from, driver::Stream to) noexcept {
  for (auto &slot : streams)
    if (driver::Stream expected = from; slot.compare_exchange_strong(expected, to))
      return;
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
