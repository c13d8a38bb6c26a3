// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Calls into outputs, which may be anybody's.

#ifndef GRAPHPROF_OUTPUT_FAILURE_H
#define GRAPHPROF_OUTPUT_FAILURE_H

#include <string>
#include <utility>

#include "Thrown.h"

namespace graphprof {

/// Returns what `call` returns: why it failed, or an empty text. An exception is a failure, too.
template <class Call> std::string failureOf(Call call) noexcept {
  std::string failure;
  const bool said = survived([&] {
    try {
      failure = call();
    } catch (...) {
      failure = whatWasThrown();
    }
  });
  return said ? std::move(failure) : "no memory"; // not even for the text
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FAILURE_H
