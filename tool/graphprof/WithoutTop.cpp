// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof top, where graphprof was built without ncurses.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "Commands.h"

namespace graphprof::tool {

int top(const std::vector<std::string> & /*arguments*/) {
  fmt::print(stderr, "graphprof top: graphprof was built without ncurses; install libncurses-dev "
                     "(Debian) and build graphprof again\n");
  return cannotRun;
}

} // namespace graphprof::tool
