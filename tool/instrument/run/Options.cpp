// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Options.h"

#include "graphprof/version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"

namespace graphprof::instrument {
namespace {

namespace cl = llvm::cl;

cl::OptionCategory Category("graphprof-instrument");
cl::list<std::string> Sources(cl::Positional, cl::desc("<source>..."), cl::cat(Category));
cl::opt<std::string>
    OutDir("out-dir", cl::desc("Directory for the instrumented copies; graphprof-out if not given"),
           cl::value_desc("dir"), cl::init("graphprof-out"), cl::cat(Category));
cl::opt<std::string> OutFile("o", cl::desc("File for the one instrumented copy; '-' for stdout"),
                             cl::value_desc("file"), cl::cat(Category));
cl::opt<std::string> Root("root",
                          cl::desc("Directory whose layout the copies keep; the working directory "
                                   "if not given"),
                          cl::value_desc("dir"), cl::init("."), cl::cat(Category));
cl::opt<bool> InPlace("i", cl::desc("Rewrite the sources themselves"), cl::cat(Category));
cl::opt<bool> DryRun("dry-run", cl::desc("Only say what would be done"), cl::cat(Category));
cl::opt<bool> Diff("diff",
                   cl::desc("Write to stdout what -i would change, for patch -p1 or git apply; "
                            "change nothing"),
                   cl::cat(Category));
cl::opt<std::string> Fixes("export-fixes",
                           cl::desc("Write to this file what -i would change, for "
                                    "clang-apply-replacements; change nothing else"),
                           cl::value_desc("file"), cl::cat(Category));
cl::opt<bool> Strict("strict",
                     cl::desc("Fail where clang rejects the source, even if the rest "
                              "could be rewritten"),
                     cl::cat(Category));
cl::opt<bool> Verify("verify",
                     cl::desc("Parse each result at once; one with errors is not written. The "
                              "types in annotations are checked if the compile flags lead to "
                              "graphprof's headers"),
                     cl::cat(Category));
cl::opt<std::string> HeaderFilter("header-filter",
                                  cl::desc("Rewrite the headers whose absolute path this matches, "
                                           "instead of those below the project's directory; '.' "
                                           "for all but the system's"),
                                  cl::value_desc("regex"), cl::cat(Category));
cl::opt<std::string> Project("project",
                             cl::desc("The project's directory: headers below it are rewritten "
                                      "with the sources. If not given: what is under version "
                                      "control with the source, else the working directory"),
                             cl::value_desc("dir"), cl::cat(Category));
cl::opt<bool> NoHeaders("no-headers", cl::desc("Rewrite no header"), cl::cat(Category));
cl::opt<bool> AllowUnredirected(
    "allow-unredirected",
    cl::desc("Only warn of calls that change, update or destroy graphs and cannot be redirected, "
             "though results may change"),
    cl::cat(Category));
enum class AutoMode { None, Launches, Functions };
cl::opt<AutoMode>
    Auto("auto", cl::desc("Time without annotations:"),
         cl::values(clEnumValN(AutoMode::None, "none", "nothing"),
                    clEnumValN(AutoMode::Launches, "launches", "every launch of a kernel"),
                    clEnumValN(AutoMode::Functions, "functions",
                               "every host function that gives work to the GPU")),
         cl::init(AutoMode::None), cl::cat(Category));
cl::opt<std::string> Select("select",
                            cl::desc("With --auto: only kernels or functions whose qualified name "
                                     "this matches"),
                            cl::value_desc("regex"), cl::cat(Category));
cl::opt<std::string> Exclude("exclude", cl::desc("With --auto: no such kernels or functions"),
                             cl::value_desc("regex"), cl::cat(Category));
cl::opt<bool> NoMemory("no-memory",
                       cl::desc("Leave copies and allocations as they are: copies in steps are "
                                "not timed, allocations not counted"),
                       cl::cat(Category));
cl::opt<bool>
    DropAnnotations("drop-annotations",
                    cl::desc("Remove annotations and time nothing for them; redirect calls "
                             "all the same"),
                    cl::cat(Category));
cl::list<std::string>
    Without("without",
            cl::desc("Leave out what would be added at this line and does not compile, for this "
                     "reason; an empty place means all"),
            cl::value_desc("file:line:reason"), cl::Hidden, cl::cat(Category));
cl::opt<std::string> CacheDir("cache-dir",
                              cl::desc("Folder that keeps the parse of the toolkit's headers for "
                                       "later runs (GRAPHPROF_CACHE_DIR); if not given, graphprof "
                                       "in your cache folder"),
                              cl::value_desc("dir"), cl::cat(Category));
cl::opt<bool> NoCache("no-cache",
                      cl::desc("Parse the toolkit's headers anew, and keep nothing "
                               "(GRAPHPROF_CACHE_DIR=)"),
                      cl::cat(Category));
cl::opt<std::string> CudaPath("cuda-path", cl::desc("The CUDA toolkit"), cl::value_desc("dir"),
                              cl::cat(Category));
cl::opt<std::string> ReportFile("report",
                                cl::desc("Write what was done as JSON to this file; '-' for "
                                         "stdout"),
                                cl::value_desc("file"), cl::cat(Category));
cl::opt<unsigned> Threads("j",
                          cl::desc("How many sources at a time; as many as there are "
                                   "processors if not given"),
                          cl::value_desc("number"), cl::Prefix, cl::cat(Category));
cl::opt<std::string> BuildPath("p",
                               cl::desc("Take the flags from this compile_commands.json, or from "
                                        "the one in this directory; without sources, do all CUDA "
                                        "sources in it"),
                               cl::value_desc("path"), cl::cat(Category));

cl::list<std::string> ExtraBefore("extra-arg-before",
                                  cl::desc("A compile flag to put in front of each source's own"),
                                  cl::value_desc("flag"), cl::cat(Category));
cl::list<std::string> Extra("extra-arg", cl::desc("A compile flag to put behind each source's own"),
                            cl::value_desc("flag"), cl::cat(Category));

/// Reads a regular expression. Returns false and reports it if it is invalid.
bool readRegex(const cl::opt<std::string> &Option, std::optional<llvm::Regex> &Into) {
  if (Option.empty())
    return true;
  Into.emplace(Option);
  std::string Problem;
  if (Into->isValid(Problem))
    return true;
  complain() << "--" << Option.ArgStr << " '" << Option << "': " << Problem << "\n";
  return false;
}

constexpr llvm::StringLiteral Overview =
    R"(graphprof-instrument: instruments CUDA C++ sources for graphprof

[[graphprof::time]] becomes a timed region, and CUDA graph calls, copies and allocations go through graphprof,
in the sources and in the project's headers that they include. The instrumented copies are written below graphprof-out/ in the sources' own layout, unless -o, --out-dir or -i say otherwise.

  graphprof-instrument src/*.cu -- -std=c++17 -arch=sm_90     with compile flags as for nvcc or clang
  graphprof-instrument -p build src/a.cu src/b.cu             with those of build/compile_commands.json
  graphprof-instrument -p build                               all CUDA sources that it compiles
  graphprof-instrument --diff src/a.cu -- -std=c++17          what -i would change

A word @FILE stands for the words in that file.

Exit status: 0  all done
             1  some file could not be done: nothing of it is written, the others are
             2  the command line makes no sense: nothing is done
)";

/// The words of the command line, with response files expanded. Words behind `--` are for the
/// compiler.
struct CommandLine {
  explicit CommandLine(llvm::ArrayRef<const char *> Given) {
    const auto Dashes = [](llvm::StringRef Word) { return Word == "--"; };
    const auto Written = llvm::find_if(Given, Dashes);
    Words.assign(Given.begin(), Written);
    cl::ExpandResponseFiles(Saver, cl::TokenizeGNUCommandLine, Words);
    // A response file may contain `--` and compile flags, too.
    const auto InFile = llvm::find_if(Words, Dashes);
    HasFlags = Written != Given.end() || InFile != Words.end();
    if (InFile != Words.end())
      Flags.assign(InFile + 1, Words.end());
    if (Written != Given.end())
      Flags.insert(Flags.end(), Written + 1, Given.end());
    Words.erase(InFile, Words.end());
  }

  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver{Memory};
  llvm::SmallVector<const char *> Words;
  std::vector<std::string> Flags;
  bool HasFlags = false;
};

/// What a compiler takes and this tool does not, which would be read as one of its options that
/// looks alike.
bool isCompilersFlag(llvm::StringRef Word) {
  constexpr llvm::StringLiteral Begins[] = {
      "-std=",    "--std=",   "-I",       "-D",
      "-U",       "-f",       "-W",       "-O",
      "-arch",    "-gpu",     "-gencode", "-Xcompiler",
      "-isystem", "-include", "--expt-",  "--extended-lambda"};
  return Word == "-x" || Word == "-c" || Word == "-g" ||
         llvm::any_of(Begins, [&](llvm::StringRef Each) { return Word.starts_with(Each); });
}

// Null: there is none. `--extra-arg -DX` hands the flag on.
const char *compilersFlagAmong(llvm::ArrayRef<const char *> Words) {
  for (std::size_t I = 1; I < Words.size(); ++I) {
    const llvm::StringRef Before = llvm::StringRef(Words[I - 1]).ltrim('-');
    if (isCompilersFlag(Words[I]) && Before != "extra-arg" && Before != "extra-arg-before")
      return Words[I];
  }
  return nullptr;
}

std::string absolutePath(llvm::StringRef Path) {
  llvm::SmallString<256> Whole(Path);
  if (!Path.empty())
    (void)llvm::sys::fs::make_absolute(Whole);
  return Whole.str().str();
}

bool isUsable(const Options &Read, bool HasFlags) {
  const auto Wrong = [](llvm::StringRef Message) {
    complain() << Message << "\n";
    return false;
  };
  if (Read.Sources.empty() && Read.Database.empty())
    return Wrong("no source given; see --help");
  if (Read.Database.empty() && !HasFlags)
    return Wrong("no compile flags; write them behind '--' as for nvcc or clang, or name a build "
                 "directory with -p:\n  graphprof-instrument " +
                 Read.Sources.front() + " -- -std=c++17");
  const bool Shown = Diff || !Fixes.empty();
  if (InPlace + (OutFile.getNumOccurrences() > 0) + (OutDir.getNumOccurrences() > 0) + Shown > 1)
    return Wrong(Shown ? "--diff and --export-fixes write no source, so they exclude -i, -o and "
                         "--out-dir"
                       : "-i, -o and --out-dir exclude each other");
  if ((OutFile == "-") + (Read.Report == "-") + (Read.Fixes == "-") + Read.Diff > 1)
    return Wrong("only one of -o, --report, --diff and --export-fixes can go to stdout");
  if (Read.HeaderFilter && !Read.OutFile.empty())
    return Wrong("-o names one file, and --header-filter writes several; use --out-dir");
  if (Read.HeaderFilter && Read.NoHeaders)
    return Wrong("--header-filter and --no-headers exclude each other");
  if (!Read.Project.empty() && !llvm::sys::fs::is_directory(Read.Project))
    return Wrong("--project: no such directory: '" + Read.Project + "'");
  if ((Read.Select || Read.Exclude) && Auto == AutoMode::None)
    return Wrong("--select and --exclude choose among what --auto finds; add --auto launches or "
                 "--auto functions");
  return true;
}

BrokenPlace brokenPlace(llvm::StringRef Given) {
  BrokenPlace Result;
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  if (llvm::Regex("^([^:]*):([0-9]+):(.*)$").match(Given, &Parts) &&
      !Parts[2].getAsInteger(10, Result.Line)) {
    Result.File = Parts[1].empty() ? "" : absolutePath(Parts[1]);
    Result.Reason = Parts[3];
  }
  return Result;
}

} // namespace

llvm::raw_ostream &complain() {
  return llvm::WithColor::error(llvm::errs(), "graphprof-instrument");
}

std::optional<Options> readOptions(int Count, const char **Words) {
  CommandLine Given(llvm::ArrayRef(Words, Count));
  if (const char *const Flag = compilersFlagAmong(Given.Words)) {
    complain() << "'" << Flag << "' is a flag for the compiler; write those behind '--', as in\n"
               << "  graphprof-instrument src/a.cu -- " << Flag << "\n";
    return std::nullopt;
  }
  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](llvm::raw_ostream &Out) {
    Out << "graphprof-instrument " GRAPHPROF_VERSION_STRING ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  if (!cl::ParseCommandLineOptions(static_cast<int>(Given.Words.size()), Given.Words.data(),
                                   Overview, &llvm::errs()))
    return std::nullopt;

  Options Read;
  Read.Sources.assign(Sources.begin(), Sources.end());
  Read.Compile.Flags = std::move(Given.Flags);
  Read.Compile.CudaPath = CudaPath;
  Read.ExtraBefore.assign(ExtraBefore.begin(), ExtraBefore.end());
  Read.Extra.assign(Extra.begin(), Extra.end());
  Read.Database = BuildPath;
  if (llvm::sys::fs::is_directory(BuildPath))
    Read.Database += "/compile_commands.json";
  Read.OutDir = OutDir;
  Read.OutFile = OutFile;
  Read.Root = Root;
  Read.Diff = Diff;
  Read.Fixes = Fixes;
  Read.InPlace = InPlace || Diff || !Fixes.empty();
  Read.DryRun = DryRun || Diff || !Fixes.empty();
  Read.Strict = Strict;
  Read.Verify = Verify;
  Read.Project = Project;
  Read.NoHeaders = NoHeaders;
  Read.AllowUnredirected = AllowUnredirected;
  Read.Report = ReportFile;
  Read.Threads = Threads;
  Read.AutoLaunches = Auto == AutoMode::Launches;
  Read.NoMemory = NoMemory;
  Read.DropAnnotations = DropAnnotations;
  for (const std::string &Each : Without)
    Read.Broken.push_back(brokenPlace(Each));
  std::string Problem;
  Read.Kept = HeaderCacheSettings::fromEnvironment(Problem);
  if (!Problem.empty())
    llvm::WithColor::warning(llvm::errs(), "graphprof-instrument") << Problem << "\n";
  if (CacheDir.getNumOccurrences() > 0)
    Read.Kept.Folder = absolutePath(CacheDir);
  if (NoCache)
    Read.Kept.Folder.clear();
  Read.AutoFunctions = Auto == AutoMode::Functions;
  if (!readRegex(HeaderFilter, Read.HeaderFilter) || !readRegex(Select, Read.Select) ||
      !readRegex(Exclude, Read.Exclude) || !isUsable(Read, Given.HasFlags))
    return std::nullopt;
  return Read;
}

Automatic automatic(const Options &Asked) {
  Automatic Result;
  Result.Launches = Asked.AutoLaunches;
  Result.Functions = Asked.AutoFunctions;
  if (Asked.Select || Asked.Exclude)
    Result.Selected = [&Asked](llvm::StringRef Name) {
      return (!Asked.Select || Asked.Select->match(Name)) &&
             !(Asked.Exclude && Asked.Exclude->match(Name));
    };
  return Result;
}

} // namespace graphprof::instrument
