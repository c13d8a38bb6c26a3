// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Calls into outputs, which may be anybody's.

#ifndef GRAPHPROF_OUTPUT_FAILURE_H
#define GRAPHPROF_OUTPUT_FAILURE_H

#include <exception>
#include <string>

namespace graphprof {

/// Returns what `call` returns: why it failed, or an empty text. An exception is a failure, too.
template <class Call> std::string failureOf(Call call) noexcept {
  try {
    try {
      return call();
    } catch (const std::exception &error) {
      const std::string what = error.what();
      return what.empty() ? "an exception without a text" : what;
    } catch (...) {
      return "an exception of an unknown kind";
    }
  } catch (...) { // no memory even for the text
    return "no memory";
  }
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FAILURE_H
