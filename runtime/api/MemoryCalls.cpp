// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/detail/memory_calls.h: the tally of allocations, and the one site of copies.

#include "graphprof/detail/memory_calls.h"

#include "api/Lifetime.h"
#include "graphprof/step.h"
#include "session/Session.h"

namespace graphprof::detail {

const Site &copySite() noexcept {
  static const Site site{"h2d", "", 0, ""};
  return site;
}

// Without memory for the tally there is none: the program's call has been made.
void memoryAllocated(const void *address, std::size_t bytes) noexcept try {
  used();
  Session::instance().allocations.allocated(address, bytes, currentStep() >= 0);
} catch (...) {
  return;
}

std::size_t memoryFreeing(const void *address) noexcept {
  return Session::instance().allocations.freeing(address);
}

void memoryFreed(std::size_t bytes) noexcept { Session::instance().allocations.freed(bytes); }

void memoryKept(const void *address, std::size_t bytes) noexcept try {
  Session::instance().allocations.kept(address, bytes);
} catch (...) {
  return;
}

} // namespace graphprof::detail
