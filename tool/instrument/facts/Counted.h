// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Numbers of things, for messages.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_FACTS_COUNTED_H
#define GRAPHPROF_TOOL_INSTRUMENT_FACTS_COUNTED_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <string>

namespace graphprof::instrument {

/// "1 call", "2 calls".
inline std::string counted(std::size_t Number, llvm::StringRef What) {
  return std::to_string(Number) + " " + What.str() + (Number == 1 ? "" : "s");
}

} // namespace graphprof::instrument

#endif
