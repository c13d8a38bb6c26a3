// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What to do with what is thrown. graphprof's own code throws only where memory or threads are
// short; the program's, which it calls, may throw anything. Nothing of it reaches the program.

#ifndef GRAPHPROF_THROWN_H
#define GRAPHPROF_THROWN_H

#include <exception>

namespace graphprof {

/// In a handler: what it handles, in words. Valid until the handler ends.
[[nodiscard]] inline const char *whatWasThrown() noexcept {
  try {
    throw;
  } catch (const std::exception &thrown) {
    const char *const what = thrown.what();
    return *what ? what : "an exception without a text";
  } catch (...) {
    return "something other than a std::exception";
  }
}

/// Runs `work`. Returns false if that threw: who calls this counts what is lost.
template <class Work> [[nodiscard]] bool survived(Work work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    return false;
  }
}

} // namespace graphprof

#endif // GRAPHPROF_THROWN_H
