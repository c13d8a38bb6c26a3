// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof run: sets up the environment and replaces itself by the program, so that exit status,
// signals, terminal and input are the program's own.

#include <cerrno>
#include <charconv>
#include <chrono>
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

#include "Commands.h"
#include "Preload.h"
#include "Program.h"
#include "output/io/NearMiss.h"

namespace graphprof::tool {
namespace {

void say(std::string_view text) {
  fmt::print(stderr, "graphprof run: {}\n", text);
  (void)std::fflush(stderr);
}

// Options with a text, and the library's variable (docs/output.md) that each one sets.
struct Text {
  const char *name, *shortened, *variable, *type, *help;
  std::string value;
};
// Options that turn something on or off, and their variables.
struct Switch {
  const char *name, *variable, *help;
  bool unlessSet; // the value if neither option nor variable is given
  bool on = false;
};

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

} // namespace

int run(const std::vector<std::string> &arguments) {
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
  Text texts[] = {
      {"output",
       "-o,",
       "GRAPHPROF_OUTPUT",
       "OUTPUTS",
       "What is written, by commas: table (the default), replays, FILE.json, FILE.csv, FILE.db and "
       "more",
       {}},
      {"schedule",
       "",
       "GRAPHPROF_SCHEDULE",
       "SCHEDULE",
       "Record some steps only: wait=10,warmup=1,active=5",
       {}},
      {"step",
       "",
       "GRAPHPROF_STEP",
       "STEP",
       "What a step is: marked (by the program; the default), launches, or launches:GRAPH",
       {}},
      {"regions",
       "",
       "GRAPHPROF_REGIONS",
       "GLOBS",
       "Of NVTX ranges only those with these names",
       {}},
      {"domain",
       "",
       "GRAPHPROF_DOMAINS",
       "GLOBS",
       "Of NVTX ranges only those of these domains",
       {}},
      {"clock", "", "GRAPHPROF_CLOCK", "CLOCK", "auto, stamp or event; auto by default", {}},
      {"max-execs",
       "",
       "GRAPHPROF_MAX_EXECS",
       "N",
       "How many execs are timed at once, each with memory of its own; 0 by default: any number",
       {}},
  };
  Switch switches[] = {
      {"nodes", "GRAPHPROF_NODES", "Time every kernel, copy and memset; on by default", true},
      {"host-spans", "GRAPHPROF_HOST_SPANS", "Record what threads do; off by default", false},
      {"memory", "GRAPHPROF_MEMORY", "Record allocations and frees; off by default", false},
  };
  for (Text &each : texts)
    app.add_option(fmt::format("{}--{}", each.shortened, each.name), each.value,
                   fmt::format("{} ({})", each.help, each.variable))
        ->type_name(each.type);
  for (Switch &each : switches)
    app.add_flag(fmt::format("--{0},!--no-{0}", each.name), each.on,
                 fmt::format("{} ({}=1, or 0)", each.help, each.variable));
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp &) {
    fmt::print("{}", helpOf(app));
    return 0;
  } catch (const CLI::Error &error) {
    say(fmt::format("{}; see graphprof run --help", error.what()));
    return cannotRun;
  }
  std::vector<std::string> program = app.remaining();
  const bool afterDashes = !program.empty() && program.front() == "--";
  if (afterDashes)
    program.erase(program.begin());
  if (program.empty()) {
    say("no program given; write graphprof run [options] -- PROGRAM [ARGUMENTS]");
    return cannotRun;
  }
  if (!afterDashes && program.front().starts_with("-")) {
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
      for (const std::string &name : option->get_lnames())
        names.push_back("--" + name);
    const std::string_view word = program.front();
    say(fmt::format("unknown option {}{}; see graphprof run --help", word,
                    didYouMean(word.substr(0, word.find('=')),
                               std::vector<std::string_view>(names.begin(), names.end()))));
    return cannotRun;
  }

  if (const Refusal refusal = checkProgram(program.front()); refusal.status != 0) {
    say(refusal.why);
    return refusal.status;
  }
  const Preload preload = findPreload();
  if (!preload.why.empty()) {
    say(preload.why);
    return cannotRun;
  }
  if (!dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL))
    say(fmt::format("no CUDA driver here ({}); nothing is timed unless the program brings one",
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
  for (const Text &each : texts)
    if (app.count(fmt::format("--{}", each.name)) > 0)
      set(each.variable, each.value);
  for (const Switch &each : switches)
    if (app.count(fmt::format("--{}", each.name)) > 0)
      set(each.variable, each.on ? "1" : "0");
    else if (each.unlessSet && !getenv(each.variable))
      set(each.variable, "1");

  std::vector<char *> words;
  words.reserve(program.size() + 1);
  for (std::string &word : program)
    words.push_back(word.data());
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const int error = errno;
  say(fmt::format("{}: {}", program.front(), std::strerror(error)));
  return error == ENOENT ? notFound : notExecutable;
}

} // namespace graphprof::tool
