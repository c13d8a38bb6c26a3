// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Preload.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace graphprof::tool {

Preload findPreload() {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path here = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const char *const folder : {"../" GRAPHPROF_LIBDIR, "../runtime"}) {
    const fs::path library = fs::weakly_canonical(here / folder / "libgraphprof_preload.so", none);
    if (!fs::exists(library, none))
      continue;
    if (library.native().find_first_of(" :\t\n") != std::string::npos)
      return {
          {},
          {},
          fmt::format("{}: the loader takes no path with spaces or colons in LD_PRELOAD; install "
                      "graphprof in another folder",
                      library.native())};
    return {library.native(), library.parent_path() / GRAPHPROF_SONAME, {}};
  }
  return {
      {},
      {},
      fmt::format(
          "libgraphprof_preload.so is not in {}; install the command and its libraries together",
          (here / "../" GRAPHPROF_LIBDIR).lexically_normal().native())};
}

} // namespace graphprof::tool
