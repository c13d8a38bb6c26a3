// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof exporter: becomes graphprof-exporter, which is a program of its own because it needs
// prometheus-cpp.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "CommandLine.h"
#include "Commands.h"
#include "ExporterUsage.h"

namespace graphprof::tool {

int exporter(const std::vector<std::string> &arguments) {
  if (arguments == std::vector<std::string>{"--help"} ||
      arguments == std::vector<std::string>{"-h"}) {
    fmt::print("{}", exporterUsage);
    return 0;
  }
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path program =
      fs::read_symlink("/proc/self/exe", none).parent_path() / "graphprof-exporter";
  if (!fs::exists(program, none)) {
    fmt::print(
        stderr,
        "graphprof exporter: {} does not exist: graphprof was built without prometheus-cpp, "
        "or its package is not installed. Install the package graphprof-exporter; or install "
        "prometheus-cpp-dev (Debian) and build graphprof again\n",
        program.native());
    return cannotRun;
  }
  std::vector<std::string> words = {program.native()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ::execv(words[0].c_str(), pointersTo(words).data());
  sayOf("graphprof exporter", fmt::format("{}: {}", program.native(), std::strerror(errno)));
  return notExecutable;
}

} // namespace graphprof::tool
