// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"

namespace graphprof::instrument {
namespace {

namespace cl = llvm::cl;

cl::OptionCategory Category("graphprof-instrument");
cl::list<std::string> Sources(cl::Positional, cl::desc("<source>..."), cl::cat(Category));
cl::opt<std::string> OutDir("out-dir", cl::desc("Directory for the instrumented copies"),
                            cl::value_desc("dir"), cl::init("graphprof-out"), cl::cat(Category));
cl::opt<std::string> OutFile("o", cl::desc("File for the one instrumented copy; '-' for stdout"),
                             cl::value_desc("file"), cl::cat(Category));
cl::opt<std::string> Root("root",
                          cl::desc("Directory whose layout the copies keep; the working directory "
                                   "if not given"),
                          cl::value_desc("dir"), cl::init("."), cl::cat(Category));
cl::opt<bool> InPlace("i", cl::desc("Rewrite the sources themselves"), cl::cat(Category));
cl::opt<bool> DryRun("dry-run", cl::desc("Only say what would be done"), cl::cat(Category));
cl::opt<bool> Strict("strict",
                     cl::desc("Fail where clang rejects the source, even if the rest "
                              "could be rewritten"),
                     cl::cat(Category));
cl::opt<std::string> HeaderFilter("header-filter",
                                  cl::desc("Rewrite the headers too whose absolute path this "
                                           "matches, each once; '.' for all of the project's"),
                                  cl::value_desc("regex"), cl::cat(Category));
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
                               cl::desc("Take the flags from this compile_commands.json's "
                                        "directory"),
                               cl::value_desc("dir"), cl::cat(Category));

constexpr llvm::StringLiteral Overview =
    "Instruments CUDA C++ sources for graphprof: [[graphprof::time]] becomes a timed region, and "
    "CUDA graph calls go through graphprof.\n\n"
    "  graphprof-instrument src/*.cu -- -std=c++17 -arch=sm_90      flags as for nvcc or clang\n";

} // namespace

llvm::raw_ostream &complain() {
  return llvm::WithColor::error(llvm::errs(), "graphprof-instrument");
}

std::optional<Options> readOptions(int Count, const char **Words) {
  // What follows `--` is for a compiler; no option of ours.
  const char **const End = Words + Count;
  const char **const Dashes = std::find_if(Words, End, [](llvm::StringRef W) { return W == "--"; });

  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](llvm::raw_ostream &Out) {
    Out << "graphprof-instrument " GRAPHPROF_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  if (!cl::ParseCommandLineOptions(static_cast<int>(Dashes - Words), Words, Overview,
                                   &llvm::errs()))
    return std::nullopt;

  Options Read;
  Read.Sources.assign(Sources.begin(), Sources.end());
  if (Dashes != End)
    Read.Compile.Flags.assign(Dashes + 1, End);
  Read.Compile.CudaPath = CudaPath;
  Read.BuildPath = BuildPath;
  Read.OutDir = OutDir;
  Read.OutFile = OutFile;
  Read.Root = Root;
  Read.InPlace = InPlace;
  Read.DryRun = DryRun;
  Read.Strict = Strict;
  Read.Report = ReportFile;
  Read.Threads = Threads;

  if (Read.Sources.empty()) {
    complain() << "no source given; see --help\n";
    return std::nullopt;
  }
  if (InPlace + (OutFile.getNumOccurrences() > 0) + (OutDir.getNumOccurrences() > 0) > 1) {
    complain() << "-i, -o and --out-dir exclude each other\n";
    return std::nullopt;
  }
  if (OutFile == "-" && ReportFile == "-") {
    complain() << "-o and --report cannot both go to stdout\n";
    return std::nullopt;
  }
  if (!HeaderFilter.empty()) {
    Read.HeaderFilter.emplace(HeaderFilter);
    if (std::string Problem; !Read.HeaderFilter->isValid(Problem)) {
      complain() << "--header-filter '" << HeaderFilter << "': " << Problem << "\n";
      return std::nullopt;
    }
    if (!Read.OutFile.empty()) {
      complain() << "-o is for one file, and --header-filter makes more; use --out-dir\n";
      return std::nullopt;
    }
  }
  if (Read.BuildPath.empty() && Dashes == End) {
    complain() << "no compile flags; write them behind '--' as for nvcc or clang, or name a build "
                  "directory with -p:\n"
                  "  graphprof-instrument "
               << Read.Sources.front() << " -- -std=c++17\n";
    return std::nullopt;
  }
  return Read;
}

} // namespace graphprof::instrument
