// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof demo: what graphprof shows, for readers who have nothing to show yet. Records a small
// program (demo/Program.h) by the same `graphprof run` as any other, on the GPU or, without one, on
// the simulated driver, and makes a page of the recording.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include "Child.h"
#include "CommandLine.h"
#include "Commands.h"
#include "Driver.h"
#include "demo/Program.h"
#include "html/Page.h"
#include "output/MakeOutput.h"
#include "output/Overwriting.h"
#include "output/io/File.h"

namespace graphprof::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view demoCommand = "graphprof demo";
constexpr int programFailed = 1;
constexpr const char *recordingFile = "graphprof-demo.gprof", *traceFile = "graphprof-demo.json",
                     *pageFile = "graphprof-demo.html";

void sayOfDemo(std::string_view text) { sayOf(demoCommand, text); }

struct DemoRequest {
  std::string folder;
  bool open = false, simulated = false, program = false, force = false;
};

std::optional<int> parseRequest(const std::vector<std::string> &arguments, DemoRequest &request) {
  CLI::App app{
      "Shows what graphprof shows: records a small program of its own, a model's layers in "
      "a CUDA graph, and prints the table, writes a trace and makes a page for the browser. "
      "Without a GPU the program runs on a simulated driver, whose times are made up.",
      std::string(demoCommand)};
  app.footer("Exit status: 0 shown; 1 the program failed; 2 a file cannot be written, or called "
             "wrongly; 125 there is neither a GPU nor the simulated driver.");
  app.add_option("-o,--output", request.folder,
                 "write the files into this folder, and make it if it does not exist (usually the "
                 "current one)")
      ->type_name("DIR");
  app.add_flag("--open", request.open, "open the page in a browser");
  app.add_flag("--simulated", request.simulated, "use the simulated driver even if there is a GPU");
  app.add_flag("--program", request.program,
               "only run the program, for graphprof run to record it");
  app.add_flag("--force", request.force, "overwrite files that no demo wrote");
  return parse(app, arguments);
}

// Why the program cannot be recorded on the first GPU; empty: it can. `name`: of the GPU.
std::string whyNoGpu(std::string &name) {
  Driver driver;
  if (!driver.whyMissing().empty())
    return fmt::format("there is no CUDA driver ({})", driver.whyMissing());
  if (driver.isTooOld())
    return fmt::format("the driver is for CUDA {}, and graphprof needs 12.3 or later",
                       driver.versionText());
  if (const int error = driver.init(); error != 0)
    return fmt::format("the driver cannot be used (cuInit returns {})", error);
  if (driver.deviceCount() == 0)
    return "the driver finds no GPU";
  const Device first = driver.device(0);
  if (first.name.starts_with("cudasim"))
    return "libcuda.so.1 is that driver already";
  constexpr int oldestMajor = 7;
  if (first.major < oldestMajor)
    return fmt::format("{} has compute capability {}.{}, and the demo needs 7.0", first.name,
                       first.major, first.minor);
  name = driver.deviceCount() == 1
             ? first.name
             : fmt::format("{}, the first of {} GPUs", first.name, driver.deviceCount());
  return {};
}

// Makes the folder the current one, so that the files' names have nothing in them that means
// something in a list of outputs. Returns why not.
std::string enter(const std::string &folder) {
  std::error_code error;
  if (folder.empty())
    return {};
  fs::create_directories(folder, error);
  if (!error)
    fs::current_path(folder, error);
  return error ? fmt::format("-o {}: {}", folder, error.message()) : std::string();
}

// Before anything runs: why one of the files cannot or must not be written; empty: all can.
std::string whyNotWritten(bool force) {
  const Overwriting recording{.force = force, .records = true}, page{.force = force};
  for (const char *const file : {recordingFile, traceFile})
    if (const std::string why = graphprof::whyNotWritten(file, recording); !why.empty())
      return fmt::format("{}: {}", file, why);
  if (const std::string why = page.whyNot(pageFile, isPage); !why.empty())
    return fmt::format("{}: {}", pageFile, why);
  return WholeFile(pageFile).check();
}

// When the recording was written; nothing: never.
std::optional<fs::file_time_type> recorded() {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(recordingFile, error);
  return error ? std::nullopt : std::optional(time);
}

// `graphprof run`, with nothing set that would change what the demo shows.
std::vector<std::string> recordingCommand(bool simulated, bool force) {
  std::vector<std::string> set;
  for (char **variable = environ; *variable; ++variable)
    if (const std::string_view text = *variable; text.starts_with("GRAPHPROF_"))
      set.emplace_back(text.substr(0, text.find('=')));
  for (const std::string &variable : set)
    unsetenv(variable.c_str());
  std::error_code none;
  const std::string self = fs::read_symlink("/proc/self/exe", none);
  std::vector<std::string> words{self, "run"};
  if (simulated)
    words.insert(words.begin() + 1, "sim");
  if (force)
    words.emplace_back("--force");
  words.insert(words.end(), {"-o", fmt::format("table,{},{}", recordingFile, traceFile), "--", self,
                             "demo", "--program"});
  return words;
}

// In the background, with a browser's messages thrown away.
void openInBrowser(const std::string &page) {
  const char *const chosen = getenv("BROWSER");
  const std::string browser = chosen && *chosen ? chosen : "xdg-open";
  std::vector<std::string> words{browser, page};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, browser.c_str(), &actions, nullptr, pointersTo(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    sayOfDemo(fmt::format("--open: {} cannot be run: {}; set BROWSER, or open the page yourself",
                          browser, std::generic_category().message(error)));
}

void sayWhatIsNext(const DemoRequest &request) {
  const auto at = [&](const char *file) { return (fs::path(request.folder) / file).native(); };
  const std::array files{at(pageFile), at(traceFile), at(recordingFile)};
  const std::array<std::string, 3> uses{
      "the page: open it in a browser", "the trace: open it in https://ui.perfetto.dev",
      "the recording, of which graphprof report shows the figures"};
  std::size_t width = 0;
  for (const std::string &file : files)
    width = std::max(width, file.size());
  fmt::print("\n");
  for (std::size_t i = 0; i < files.size(); ++i)
    printLine("    {:{}}  {}", files[i], width, uses[i]);
  fmt::print("\n"
             "The same of your own program, here in Python:\n"
             "\n"
             "    graphprof run -o before.gprof -- python3 program.py\n"
             "    graphprof html before.gprof\n"
             "    graphprof diff before.gprof -- after.gprof\n");
}

} // namespace

int demo(const std::vector<std::string> &arguments) {
  DemoRequest request;
  if (const auto status = parseRequest(arguments, request))
    return *status;
  if (request.program)
    return graphprof::demo::runProgram();
  std::string wrong = enter(request.folder);
  if (wrong.empty())
    wrong = whyNotWritten(request.force);
  if (!wrong.empty()) {
    if (request.folder.empty())
      wrong += " (-o DIR chooses another folder)";
    sayOfDemo(wrong);
    return usageError;
  }

  std::string gpu;
  const std::string why = request.simulated ? "--simulated was given" : whyNoGpu(gpu);
  const bool simulated = !why.empty();
  printLine("On {}{}.", simulated ? "a simulated driver: " : "", simulated ? why : gpu);
  (void)std::fflush(stdout);
  const std::optional<fs::file_time_type> before = recorded();
  if (const int status = statusOf(waitFor(demoCommand, recordingCommand(simulated, request.force)));
      status != 0) {
    if (!simulated)
      sayOfDemo("to see it without the GPU: graphprof demo --simulated");
    return status == cannotRun ? cannotRun : programFailed;
  }
  if (recorded() == before) {
    sayOfDemo("nothing was recorded");
    return programFailed;
  }
  if (const int status = html({"--force", "-o", pageFile, recordingFile}); status != 0)
    return status;
  sayWhatIsNext(request);
  if (simulated)
    fmt::print("\nAll times of this demo are made up: nothing ran on a GPU.\n");
  (void)std::fflush(stdout);
  if (request.open)
    openInBrowser(fs::absolute(pageFile));
  return 0;
}

} // namespace graphprof::tool
