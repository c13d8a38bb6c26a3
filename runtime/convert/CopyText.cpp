// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the library does in api/Scope.cpp, for programs that are made of the outputs alone: there is
// no session that would count a text for which there was no memory.

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
