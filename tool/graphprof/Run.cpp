// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof run: sets up the environment and replaces itself by the program, so that exit status,
// signals, terminal and input are the program's own.

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include "CommandLine.h"
#include "Commands.h"
#include "Preload.h"
#include "Program.h"
#include "output/MakeOutput.h"
#include "output/io/Foreign.h"
#include "output/io/ReadText.h"

namespace graphprof::tool {
namespace {

void say(std::string_view text) { sayOf("graphprof run", text); }

// An option, and the library's variable that it sets: a row of options.def.
struct RunOption {
  const char *variable, *names, *type, *help, *unlessSet;
  std::string value;
  bool on = false;

  [[nodiscard]] bool isSwitch() const { return *type == '\0'; }
};

std::vector<RunOption> runOptions() {
  return {
#define GRAPHPROF_OPTION(...)
#define GRAPHPROF_OPTION_OF_RUN(NAME, type, field, initial, read, values, usual, ...)              \
  {"GRAPHPROF_" #NAME, __VA_ARGS__, {}},
#include "services/options.def"
  };
}

// CLI11 shows the value that an option such as --no-nodes sets.
class HelpLine : public CLI::Formatter {
  std::string make_option_name(const CLI::Option *option, bool isPositional) const override {
    std::string names = CLI::Formatter::make_option_name(option, isPositional);
    for (std::size_t brace = names.find('{'); brace != std::string::npos; brace = names.find('{'))
      names.erase(brace, names.find('}', brace) + 1 - brace);
    return names;
  }
};

// CLI11's usage line does not know that a program and its arguments follow.
std::string helpOf(const CLI::App &app) {
  std::string help = app.help();
  const std::size_t line = help.find("Usage:");
  if (line != std::string::npos)
    help.replace(line, help.find('\n', line) - line,
                 "usage: graphprof run [options] [--] PROGRAM [ARGUMENTS]");
  return help;
}

// A run inside a run belongs to the outer one's family.
std::int64_t familyBeganNs() {
  const char *const given = getenv("GRAPHPROF_RUN");
  const std::string_view outer = given ? given : "";
  std::int64_t began = 0;
  if (const std::size_t colon = outer.find(':'); colon != std::string_view::npos)
    std::from_chars(outer.data() + colon + 1, outer.data() + outer.size(), began);
  return began > 0 ? began
                   : std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
}

void set(const char *variable, const std::string &value) { setenv(variable, value.c_str(), 1); }

/// What the command line says. `program` is empty where the command ends with `status`.
struct RunRequest {
  std::vector<std::string> program;
  std::vector<std::pair<const char *, std::string>> variables;
  bool force = false; // outputs may overwrite any file
  int status = 0;
};

RunRequest refused(const std::string &why) {
  say(why);
  return {{}, {}, false, cannotRun};
}

RunRequest requestOf(const std::vector<std::string> &arguments) {
  CLI::App app{
      "Times the CUDA graphs of a program as it is, and of the processes that it starts: every "
      "kernel, copy and memset by name. Each option sets the environment variable in "
      "parentheses; without the option the variable keeps its value.",
      "graphprof run"};
  app.footer(
      "Exit status: the program's; 125 where graphprof cannot run it, 126 where it cannot be "
      "executed, 127 where it does not exist.");
  app.formatter(std::make_shared<HelpLine>());
  app.prefix_command();
  std::vector<RunOption> options = runOptions();
  std::vector<const CLI::Option *> given;
  given.reserve(options.size());
  for (RunOption &each : options)
    given.push_back(each.isSwitch()
                        ? app.add_flag(each.names, each.on,
                                       fmt::format("{} ({}=1, or 0)", each.help, each.variable))
                        : app.add_option(each.names, each.value,
                                         fmt::format("{} ({})", each.help, each.variable))
                              ->type_name(each.type));
  RunRequest request;
  app.add_flag("--force", request.force,
               "Also overwrite files that are none of an earlier run's outputs");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp &) {
    fmt::print("{}", helpOf(app));
    return {};
  } catch (const CLI::Error &error) {
    return refused(fmt::format("{}; see graphprof run --help", error.what()));
  }
  request.program = app.remaining();
  const bool afterDashes = !request.program.empty() && request.program.front() == "--";
  if (afterDashes)
    request.program.erase(request.program.begin());
  if (request.program.empty())
    return refused("no program given; write graphprof run [options] -- PROGRAM [ARGUMENTS]");
  if (!afterDashes && request.program.front().starts_with("-"))
    return refused(unknownOption(app, request.program.front()) + "; see graphprof run --help");
  for (std::size_t i = 0; i < options.size(); ++i) {
    const RunOption &each = options[i];
    if (given[i]->count() > 0)
      request.variables.emplace_back(each.variable,
                                     each.isSwitch() ? (each.on ? "1" : "0") : each.value);
    else if (*each.unlessSet && !getenv(each.variable))
      request.variables.emplace_back(each.variable, each.unlessSet);
  }
  return request;
}

// Why an output that -o names cannot or must not be written; empty: all can. Here, before anything
// runs; what the library says of it comes when the program has run.
std::string whyNotWritten(const RunRequest &request) {
  const Overwriting allowed{.force = request.force, .records = true};
  for (const auto &[variable, list] : request.variables)
    if (variable == std::string_view("GRAPHPROF_OUTPUT"))
      for (std::string_view rest = list; !rest.empty();) {
        const std::string_view item = takeItem(rest);
        if (folderOf(pathOf(item)).find("{cycle}") != std::string::npos)
          continue; // one for each cycle
        if (std::string why = graphprof::whyNotWritten(item, allowed); !why.empty())
          return fmt::format("-o {}: {}", item, why);
      }
  return {};
}

// Makes the driver's calls of programs to come pass through `preload`, and says what is in its way.
void insert(const Preload &preload) {
  if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
    say(fmt::format("no CUDA driver here ({}); nothing is timed unless the program brings one. "
                    "Install NVIDIA's driver, or try graphprof sim run, which needs no GPU",
                    dlerror()));
  const char *const others = getenv("LD_PRELOAD");
  if (const std::string other = conflictIn(others ? others : ""); !other.empty())
    say(fmt::format("{}, which is preloaded too, also stands in for the driver's functions; "
                    "graphprof's are called first. If graphs are missing, run without the other",
                    other));
  set("LD_PRELOAD", others && *others ? preload.path + ":" + others : preload.path);
  // NVTX allows one tool. libgraphprof.so, which is that tool, is beside the preload library.
  if (const char *const tool = getenv("NVTX_INJECTION64_PATH"); !tool || !*tool)
    set("NVTX_INJECTION64_PATH", preload.library);
  else if (preload.library != tool)
    say(fmt::format("NVTX ranges do not become regions: NVTX_INJECTION64_PATH sends them to {}; "
                    "unset it to get regions",
                    tool));
  // Tells the library which process `run` became, and since when its processes are a family, whose
  // files none of them replaces.
  set("GRAPHPROF_RUN", fmt::format("{}:{}", getpid(), familyBeganNs()));
}

// Returns only if it fails.
int execute(std::vector<std::string> program) {
  execvp(program[0].c_str(), pointersTo(program).data());
  const int error = errno;
  say(fmt::format("{}: {}", program.front(), std::strerror(error)));
  return error == ENOENT ? notFound : notExecutable;
}

} // namespace

int run(const std::vector<std::string> &arguments) {
  const RunRequest request = requestOf(arguments);
  if (request.program.empty())
    return request.status;
  if (const Refusal refusal = checkProgram(request.program.front()); refusal.status != 0) {
    say(refusal.why);
    return refusal.status;
  }
  if (const std::string why = whyNotWritten(request); !why.empty()) {
    say(why);
    return cannotRun;
  }
  const Preload preload = findPreload();
  if (!preload.why.empty()) {
    say(preload.why);
    return cannotRun;
  }
  insert(preload);
  for (const auto &[variable, value] : request.variables)
    set(variable, value);
  return execute(request.program);
}

} // namespace graphprof::tool
