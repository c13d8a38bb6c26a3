// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where libgraphprof_preload.so is.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_PRELOAD_H
#define GRAPHPROF_TOOL_GRAPHPROF_PRELOAD_H

#include <string>

namespace graphprof::tool {

struct Preload {
  std::string path;
  std::string library; ///< libgraphprof.so, beside it
  std::string why;     ///< it cannot be used; empty: it can
};
/// Beside this command, as installed or as built.
Preload findPreload();

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_PRELOAD_H
