// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof sim: compiles, instruments and runs programs on the simulated CUDA runtime, which is
// installed in a folder of its own. Becomes graphprof-cc, which instruments, in front of that
// folder's nvcc, which compiles; or `graphprof run` with that folder's driver.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "Child.h"
#include "CommandLine.h"
#include "Commands.h"

namespace graphprof::tool {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A compile option that looks like one of graphprof's would be taken for it, so there are none but
// these.
constexpr std::string_view help =
    "usage: graphprof sim [compile options] SOURCE... [-- ARGUMENTS]\n"
    "       graphprof sim cc ARGUMENTS\n"
    "       graphprof sim run [options] [--] PROGRAM [ARGUMENTS]\n"
    "       graphprof sim path\n"
    "\n"
    "Compiles and runs CUDA programs on a simulated CUDA runtime, without a GPU and a toolkit.\n"
    "Streams, captures, graphs, events and copies follow CUDA's rules. Kernels take made-up times\n"
    "and compute nothing.\n"
    "\n"
    "With sources: instruments, compiles and runs them, with the arguments behind --. The exit\n"
    "status is the program's. cc is a compiler in nvcc's place that instruments and links\n"
    "libgraphprof: make NVCC=\"graphprof sim cc\". run is graphprof run on the simulated driver, "
    "for\n"
    "programs that load libcuda.so.1. path prints the folder that stands in for a CUDA toolkit.\n"
    "\n"
    "Options:\n"
    "  -o FILE    Keep the program as FILE; otherwise it is removed when it has run\n"
    "  --help     Print this and exit\n"
    "\n"
    "All other options are nvcc's. GRAPHPROF_CC_OPTIONS holds options of graphprof-cc.\n";

constexpr std::string_view simCommand = "graphprof sim";

void tell(std::string_view text) { sayOf(simCommand, text); }

// The folder of this program, in an installation or the build tree.
fs::path commandFolder() {
  std::error_code none;
  return fs::read_symlink("/proc/self/exe", none).parent_path();
}

fs::path simulation() {
  return (commandFolder() / ".." / GRAPHPROF_SIMULATION_DIR).lexically_normal();
}

// Where this program's other parts are. Only the driver is in every installation.
struct Parts {
  fs::path simulation, cc, include, libraries;
  std::string why; // what is missing; empty: nothing
};

Parts findParts() {
  std::error_code none;
  const fs::path here = commandFolder();
  Parts parts;
  parts.simulation = simulation();
  parts.cc = here / "graphprof-cc";
  parts.include = (here / ".." / GRAPHPROF_INCLUDEDIR).lexically_normal();
  for (const char *const folder : {"../" GRAPHPROF_LIBDIR, "../runtime"})
    if (fs::exists(here / folder / "libgraphprof.so", none))
      parts.libraries = (here / folder).lexically_normal();
  if (parts.libraries.empty())
    parts.why = fmt::format("libgraphprof.so is not in {}; install the command and its libraries "
                            "together",
                            (here / "../" GRAPHPROF_LIBDIR).lexically_normal().native());
  for (const fs::path &needed :
       {parts.simulation / "bin/nvcc", parts.simulation / "lib64/libcudasim.so", parts.cc})
    if (!fs::exists(needed, none))
      parts.why = fmt::format("{} does not exist; install the package graphprof-dev (the wheel has "
                              "only the simulated driver, for sim run), or build graphprof with "
                              "GRAPHPROF_BUILD_TOOL and "
                              "GRAPHPROF_BUILD_SIMULATION",
                              needed.native());
  return parts;
}

// The simulation's compiler takes the C++ library and the linker of g++. Empty: there is one.
std::string whyNoCompiler() {
  std::error_code none;
  if (fs::is_directory("/usr/include/c++", none) && !fs::is_empty("/usr/include/c++", none))
    return {};
  const char *const path = getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::exists(fs::path(folder) / "g++", none))
      return {};
  return "there is no g++ here, whose C++ library and linker the simulation takes; install it "
         "(Debian's package is g++)";
}

// The commas of a path would separate values of -Xlinker.
Words compileCommand(const Parts &parts, const Words &arguments) {
  Words command{parts.cc.native(), "--", parts.simulation / "bin/nvcc"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  // A folder where compilers look of themselves would come before the C++ library's, whose headers
  // include the next of the same name.
  if (parts.include != "/usr/include" && parts.include != "/usr/local/include")
    command.insert(command.end(), {"-isystem", parts.include.native()});
  for (std::string word :
       {"-L" + parts.libraries.native(), std::string("-lgraphprof"), std::string("-Xlinker"),
        std::string("-rpath"), std::string("-Xlinker"), parts.libraries.native()})
    command.push_back(std::move(word));
  return command;
}

void sayWhatIsSimulated() {
  tell("kernels take made-up times and compute nothing");
  const char *const kernels = getenv("GRAPHPROF_KERNELS");
  if (kernels && *kernels && std::string_view(kernels) != "off")
    tell("GRAPHPROF_KERNELS: what happens inside kernels is recorded on a GPU only");
}

int compileAndRun(const Parts &parts, const Words &arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  Words options(arguments.begin(), dashes);
  const Words behind(dashes == arguments.end() ? dashes : dashes + 1, arguments.end());
  std::string source, program;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string &word = options[i];
    if (word == "-c" || word == "-dc" || word == "-E" || word == "-M") {
      tell(fmt::format("{} makes no program to run; write graphprof sim cc {} ...", word, word));
      return usageError;
    }
    if (word == "-o" && i + 1 < options.size())
      program = options[i + 1];
    else if (source.empty() && !word.starts_with('-') && fs::path(word).extension() != "" &&
             fs::is_regular_file(word))
      source = word;
  }
  if (source.empty()) {
    const bool named = !options.empty() && !options.front().starts_with("-");
    tell(named ? fmt::format("no file {} to compile; see graphprof sim --help", options.front())
               : "no source given; see graphprof sim --help");
    return usageError;
  }
  int waited = 0;
  {
    const ScratchFolder scratch; // removed before this process ends as the program did
    if (program.empty()) {
      if (scratch.path().empty()) {
        tell("cannot make a folder for the program; set TMPDIR to one that can be written");
        return cannotRun;
      }
      program = scratch.path() / fs::path(source).stem();
      options.insert(options.end(), {"-o", program});
    }
    waited = waitFor(simCommand, compileCommand(parts, options));
    if (waited == 0) {
      sayWhatIsSimulated();
      Words words{fs::absolute(program)};
      words.insert(words.end(), behind.begin(), behind.end());
      waited = waitFor(simCommand, std::move(words));
    }
  }
  return statusOf(waited);
}

int runProgram(const Words &arguments) {
  const std::string driver = simulation() / "driver";
  std::error_code none;
  if (!fs::exists(driver + "/libcuda.so.1", none)) {
    tell(fmt::format("{}/libcuda.so.1 does not exist; install the command and its libraries "
                     "together, or build graphprof with GRAPHPROF_BUILD_SIMULATION",
                     driver));
    return cannotRun;
  }
  if (std::ranges::find(arguments, "--help") == arguments.end())
    sayWhatIsSimulated();
  const char *const others = getenv("LD_LIBRARY_PATH");
  setenv("LD_LIBRARY_PATH", others && *others ? (driver + ":" + others).c_str() : driver.c_str(),
         1);
  Words words{"/proc/self/exe", "run"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return become(simCommand, std::move(words));
}

} // namespace

int sim(const std::vector<std::string> &arguments) {
  if (arguments.empty()) {
    fmt::print(stderr, "{}", help);
    return usageError;
  }
  const std::string &first = arguments.front();
  if (first == "--help" || first == "-h") {
    fmt::print("{}", help);
    return 0;
  }
  const Words rest(arguments.begin() + 1, arguments.end());
  if (first == "run")
    return runProgram(rest);
  const Parts parts = findParts();
  if (!parts.why.empty()) {
    tell(parts.why);
    return cannotRun;
  }
  if (first == "path") {
    fmt::print("{}\n", parts.simulation.native());
    return 0;
  }
  if (const std::string why = whyNoCompiler(); !why.empty()) {
    tell(why);
    return cannotRun;
  }
  if (first == "cc")
    return become(simCommand, compileCommand(parts, rest));
  return compileAndRun(parts, arguments);
}

} // namespace graphprof::tool
