// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "LauncherOptions.h"

#include "nvcc/Quoting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace graphprof::launcher {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Options of graphprof-instrument that make sense for a single compile command and take a value.
constexpr llvm::StringLiteral ToolOptions[] = {"--auto",          "--select",  "--exclude",
                                               "--header-filter", "--project", "--cuda-path"};

/// Reads our words; what is left stands behind them.
llvm::Error read(llvm::ArrayRef<std::string> &Words, LauncherOptions &Into) {
  while (!Words.empty() && llvm::StringRef(Words[0]).starts_with("-")) {
    llvm::StringRef Word = Words[0];
    Words = Words.drop_front();
    if (Word == "--")
      return llvm::Error::success();
    const auto [Name, Joined] = Word.split('=');
    const bool HasValue = Word.contains('=');

    if (Word == "--no-memory" || Word == "--no-headers" || Word == "--allow-unredirected") {
      Into.AllowUnredirected |= Word == "--allow-unredirected";
      Into.ForTool.push_back(Word.str());
      continue;
    }
    if (!HasValue && (Name == "--strict" || Name == "--keep" || Name == "--verbose" ||
                      Name == "--help" || Name == "--version")) {
      Into.Strict |= Name == "--strict";
      Into.Keep |= Name == "--keep";
      Into.Verbose |= Name == "--verbose";
      Into.Help |= Name == "--help";
      Into.Version |= Name == "--version";
      continue;
    }
    if (!llvm::is_contained(ToolOptions, Name) && Name != "--like")
      return llvm::createStringError("unknown option '%s'; see graphprof-cc --help",
                                     Word.str().c_str());
    std::string Value = Joined.str();
    if (!HasValue) {
      if (Words.empty())
        return llvm::createStringError("option '%s' lacks its value", Word.str().c_str());
      Value = Words[0];
      Words = Words.drop_front();
    }
    if (Name != "--like") {
      Into.ForTool.push_back(Name.str() + "=" + Value);
      continue;
    }
    Into.Like = nvcc::compilerOf(Value);
    if (!Into.Like)
      return llvm::createStringError("--like=%s: say nvcc, g++ or clang++", Value.c_str());
  }
  return llvm::Error::success();
}

bool isOn(const char *Variable) {
  const auto Value = llvm::sys::Process::GetEnv(Variable);
  return Value && !Value->empty() && *Value != "0";
}

std::string below(llvm::StringRef Directory, llvm::StringRef Relative) {
  llvm::SmallString<256> Path(Directory);
  path::append(Path, Relative);
  path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

} // namespace

llvm::Expected<LauncherOptions> readOptions(llvm::ArrayRef<std::string> Words,
                                            const std::string &Self) {
  LauncherOptions Read;
  if (const auto Value = llvm::sys::Process::GetEnv("GRAPHPROF_CC_OPTIONS")) {
    const std::vector<std::string> More = nvcc::splitShell(*Value);
    llvm::ArrayRef<std::string> Rest = More;
    if (llvm::Error Problem = read(Rest, Read))
      return llvm::createStringError("GRAPHPROF_CC_OPTIONS: %s",
                                     llvm::toString(std::move(Problem)).c_str());
    if (!Rest.empty())
      return llvm::createStringError("GRAPHPROF_CC_OPTIONS: '%s' is not an option",
                                     Rest[0].c_str());
  }
  if (llvm::Error Problem = read(Words, Read))
    return Problem;
  Read.Command.assign(Words.begin(), Words.end());
  Read.Strict |= isOn("GRAPHPROF_STRICT");
  Read.Keep |= isOn("GRAPHPROF_KEEP");

  const llvm::StringRef Home = path::parent_path(Self);
  Read.Instrument = below(Home, "graphprof-instrument");
  if (const auto Value = llvm::sys::Process::GetEnv("GRAPHPROF_INSTRUMENT"))
    Read.Instrument = *Value;
  if (!fs::can_execute(Read.Instrument))
    Read.Instrument.clear();
  Read.Include = below(Home, GRAPHPROF_INCLUDE_FROM_BIN);
  if (!fs::exists(below(Read.Include, "graphprof/graphprof.h")))
    Read.Include.clear();
  return Read;
}

llvm::StringRef helpText() {
  return "graphprof-cc [options] [--] <compiler, or a launcher such as ccache> <arguments>\n"
         "\n"
         "Runs a compile command on sources that graphprof-instrument has rewritten. Every other\n"
         "command runs as it is.\n"
         "\n"
         "  cmake -DCMAKE_CUDA_COMPILER_LAUNCHER=graphprof-cc ...\n"
         "  make NVCC=\"graphprof-cc nvcc\"\n"
         "\n"
         "  --strict              a source that cannot be instrumented is an error; otherwise a\n"
         "                        warning, and the source is compiled as it is "
         "(GRAPHPROF_STRICT=1)\n"
         "  --allow-unredirected  also compile a source as it is, with a warning, where it "
         "changes\n"
         "                        graphs and results may change\n"
         "  --keep                leave the copies in <object>.graphprof/ (GRAPHPROF_KEEP=1)\n"
         "  --verbose             say what is instrumented and run\n"
         "  --like=nvcc|g++       how to read the command of a compiler with another name\n"
         "  --auto=, --select=, --exclude=, --project=, --header-filter=, --cuda-path=\n"
         "  --no-headers, --no-memory\n"
         "                        as for graphprof-instrument\n"
         "  --help, --version\n"
         "\n"
         "GRAPHPROF_CC_OPTIONS holds more options; GRAPHPROF_INSTRUMENT names another tool than\n"
         "the one beside this program.\n";
}

} // namespace graphprof::launcher
