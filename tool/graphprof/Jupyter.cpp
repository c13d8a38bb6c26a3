// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof jupyter: becomes the Python package's command of that name, which knows this program by
// GRAPHPROF_COMMAND.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "CommandLine.h"
#include "Commands.h"

namespace graphprof::tool {

namespace {

constexpr std::string_view usage =
    "usage: graphprof jupyter install [--name NAME] [--prefix FOLDER]\n"
    "    writes a kernel's specification: notebooks then have a kernel \"Python (graphprof)\", "
    "whose\n"
    "    CUDA graphs are timed. Needs the Python package graphprof.\n"
    "    --name NAME      the kernel's folder (usually graphprof)\n"
    "    --prefix FOLDER  for an environment, such as sys.prefix, instead of for the user\n";

constexpr const char *program = R"(
import sys
try:
    from graphprof._command import main
except ImportError:
    sys.exit("graphprof jupyter: this python3 has no package graphprof, which makes the kernel; "
             "install it (pip install graphprof), or name its folder in PYTHONPATH")
sys.exit(main(["jupyter", *sys.argv[1:]]))
)";

} // namespace

int jupyter(const std::vector<std::string> &arguments) {
  const bool asked = !arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h");
  if (arguments.empty() || asked) {
    fmt::print(asked ? stdout : stderr, "{}", usage);
    return asked ? 0 : usageError;
  }
  std::error_code none;
  setenv("GRAPHPROF_COMMAND", std::filesystem::read_symlink("/proc/self/exe", none).c_str(), 1);
  std::vector<std::string> words = {"python3", "-c", program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  execvp(words[0].c_str(), pointersTo(words).data());
  sayOf("graphprof jupyter", fmt::format("python3 cannot be run: {}; install Python 3, in whose "
                                         "notebooks the kernel is shown",
                                         std::strerror(errno)));
  return cannotRun;
}

} // namespace graphprof::tool
