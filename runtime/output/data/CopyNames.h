// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How outputs recognize the copies of steps (graphprof/copies.h): regions without a source file.

#ifndef GRAPHPROF_OUTPUT_DATA_COPYNAMES_H
#define GRAPHPROF_OUTPUT_DATA_COPYNAMES_H

#include <string_view>

#include "graphprof/record.h"
#include "graphprof/site.h"

namespace graphprof {

inline bool isCopyOfStep(Kind kind, const Site *site, std::string_view name) {
  return kind == Kind::Region && site && site->line == 0 &&
         (name == "h2d" || name == "d2h" || name == "d2d");
}
inline bool isCopyOfStep(const Record &record) {
  return isCopyOfStep(record.kind, record.site, record.name);
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_COPYNAMES_H
