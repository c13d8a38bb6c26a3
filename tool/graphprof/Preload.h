// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds libgraphprof_preload.so.

#ifndef GRAPHPROF_TOOL_GRAPHPROF_PRELOAD_H
#define GRAPHPROF_TOOL_GRAPHPROF_PRELOAD_H

#include <string>

namespace graphprof::tool {

struct Preload {
  std::string path;
  std::string library; ///< libgraphprof.so, beside it
  std::string why;     ///< the reason why it cannot be used; empty: it can
};
/// Looks for the library relative to this command, in an installation or in the build tree.
Preload findPreload();

} // namespace graphprof::tool

#endif // GRAPHPROF_TOOL_GRAPHPROF_PRELOAD_H
