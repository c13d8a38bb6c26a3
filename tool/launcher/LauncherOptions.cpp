// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "LauncherOptions.h"

#include "nvcc/Quoting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::launcher {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// An option. It takes a value if `Value` names one.
struct Option {
  llvm::StringLiteral Name, Value, Help;
  bool ForTool = false;                    ///< pass it to graphprof-instrument
  bool LauncherOptions::*Switch = nullptr; ///< what it sets
};

constexpr llvm::StringLiteral AsTheTool = "as graphprof-instrument's";

/// All options, for reading and for --help. Those of graphprof-instrument are here if they make
/// sense for a single compile command.
constexpr Option Options[] = {
    {"--strict", "",
     "a source that cannot be instrumented is an error; otherwise a warning, and the source is "
     "compiled as it is (GRAPHPROF_STRICT=1)",
     false, &LauncherOptions::Strict},
    {"--allow-unredirected", "",
     "also compile a source as it is, with a warning, where it changes graphs and results may "
     "change",
     true, &LauncherOptions::AllowUnredirected},
    {"--keep", "", "leave the copies in <object>.graphprof/ (GRAPHPROF_KEEP=1)", false,
     &LauncherOptions::Keep},
    {"--verbose", "", "say what is instrumented and run", false, &LauncherOptions::Verbose},
    {"--like", "nvcc|g++|clang++", "how to read the command of a compiler with another name"},
    {"--auto", "launches|functions", AsTheTool, true},
    {"--select", "regex", AsTheTool, true},
    {"--exclude", "regex", AsTheTool, true},
    {"--project", "dir", AsTheTool, true},
    {"--header-filter", "regex", AsTheTool, true},
    {"--cuda-path", "dir", AsTheTool, true},
    {"--no-headers", "", AsTheTool, true},
    {"--no-memory", "", AsTheTool, true},
    {"--cache-dir", "dir", AsTheTool, true},
    {"--no-cache", "", AsTheTool, true},
    {"--help", "", "show this", false, &LauncherOptions::Help},
    {"--version", "", "show the version", false, &LauncherOptions::Version},
};

/// The end of a message about an option that does not exist: the one that was meant, or nothing.
std::string didYouMean(llvm::StringRef Name) {
  const Option *Nearest = nullptr;
  unsigned Least = static_cast<unsigned>(Name.size()) / 3 + 1;
  for (const Option &Each : Options)
    if (const unsigned Away = Name.edit_distance(Each.Name, true, Least); Away < Least) {
      Least = Away;
      Nearest = &Each;
    }
  return Nearest ? (" (did you mean " + Nearest->Name + "?)").str() : std::string();
}

/// Reads graphprof-cc's options and removes them from Words.
llvm::Error read(llvm::ArrayRef<std::string> &Words, LauncherOptions &Into) {
  while (!Words.empty() && llvm::StringRef(Words[0]).starts_with("-")) {
    const llvm::StringRef Word = Words[0];
    Words = Words.drop_front();
    if (Word == "--")
      return llvm::Error::success();
    const auto [Name, Joined] = Word.split('=');
    const bool HasValue = Word.contains('=');
    const auto *const Found =
        llvm::find_if(Options, [Name = Name](const Option &Each) { return Each.Name == Name; });
    if (Found == std::end(Options) || (HasValue && Found->Value.empty()))
      return llvm::createStringError("unknown option '%s'%s; see graphprof-cc --help",
                                     Word.str().c_str(),
                                     Found == std::end(Options) ? didYouMean(Name).c_str() : "");
    if (Found->Switch)
      Into.*(Found->Switch) = true;
    std::string Value = Joined.str();
    if (!Found->Value.empty() && !HasValue) {
      if (Words.empty())
        return llvm::createStringError("option '%s' lacks its value; write '%s=<%s>'",
                                       Word.str().c_str(), Word.str().c_str(), Found->Value.data());
      Value = Words[0];
      Words = Words.drop_front();
    }
    if (Found->ForTool)
      Into.ForTool.push_back(Found->Value.empty() ? Name.str() : Name.str() + "=" + Value);
    if (Name != "--like")
      continue;
    Into.Like = nvcc::compilerOf(Value);
    if (!Into.Like)
      return llvm::createStringError("--like=%s: unknown compiler; write nvcc, g++ or clang++",
                                     Value.c_str());
  }
  return llvm::Error::success();
}

/// Wraps the text at 80 columns. `Line` begins the first line.
std::string wrapped(llvm::StringRef Text, std::string Line, std::size_t Indent) {
  std::string Lines;
  if (Line.size() + 2 > Indent) {
    Lines = Line + "\n";
    Line.clear();
  }
  Line.resize(Indent, ' ');
  llvm::SmallVector<llvm::StringRef> Words;
  Text.split(Words, ' ');
  for (llvm::StringRef Word : Words) {
    if (Line.size() > Indent && Line.size() + Word.size() > 80) {
      Lines += llvm::StringRef(Line).rtrim().str() + "\n";
      Line.assign(Indent, ' ');
    }
    Line += Word.str() + " ";
  }
  return Lines + llvm::StringRef(Line).rtrim().str() + "\n";
}

bool isOn(const char *Variable) {
  const auto Value = llvm::sys::Process::GetEnv(Variable);
  if (!Value || Value->empty() || *Value == "0")
    return false;
  if (*Value != "1")
    llvm::WithColor::warning(llvm::errs(), "graphprof-cc")
        << Variable << "=" << *Value << ": must be 0 or 1; using 0\n";
  return *Value == "1";
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

std::string helpText() {
  std::string Text =
      "usage: graphprof-cc [options] [--] <compiler, or a launcher such as ccache> <arguments>\n"
      "\n"
      "Runs a compile command on sources that graphprof-instrument has rewritten. Every other\n"
      "command runs as it is.\n"
      "\n"
      "  cmake -DCMAKE_CUDA_COMPILER_LAUNCHER=graphprof-cc ...\n"
      "  make NVCC=\"graphprof-cc nvcc\"\n"
      "\n"
      "Options:\n";
  for (const Option &Each : Options) {
    std::string Heading = "  " + Each.Name.str();
    if (!Each.Value.empty())
      Heading += "=<" + Each.Value.str() + ">";
    Text += wrapped(Each.Help, std::move(Heading), 24);
  }
  return Text + "\n"
                "GRAPHPROF_CC_OPTIONS holds more options; GRAPHPROF_INSTRUMENT names another tool "
                "than\n"
                "the one beside this program.\n";
}

} // namespace graphprof::launcher
