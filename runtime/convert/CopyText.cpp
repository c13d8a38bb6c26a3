// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Does what api/Scope.cpp does in the library, for programs that consist of the outputs alone.
// Without a session, a text that was lost for lack of memory is not counted.

#include "graphprof/value.h"

namespace graphprof {

void detail::copyText(std::string &copy, std::string_view text) noexcept {
  try {
    copy = text;
  } catch (...) {
    copy.clear();
  }
}

} // namespace graphprof
