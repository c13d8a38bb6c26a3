// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-instrument: the command line, and the only place that reads or writes files.

#include "CompileArgs.h"
#include "Instrument.h"
#include "Outputs.h"
#include "Prelude.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace graphprof::instrument;
namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

enum ExitStatus { AllDone = 0, SomeFailed = 1, BadUsage = 2 };

cl::OptionCategory Category("graphprof-instrument");
cl::list<std::string> Sources(cl::Positional, cl::desc("<source>..."), cl::cat(Category));
cl::opt<std::string> OutDir("out-dir", cl::desc("Directory for the instrumented copies"),
                            cl::value_desc("dir"), cl::init("graphprof-out"), cl::cat(Category));
cl::opt<std::string> OutFile("o", cl::desc("File for the one instrumented copy; '-' for stdout"),
                             cl::value_desc("file"), cl::cat(Category));
cl::opt<bool> InPlace("i", cl::desc("Rewrite the sources themselves"), cl::cat(Category));
cl::opt<bool> DryRun("dry-run", cl::desc("Only say what would be done"), cl::cat(Category));
cl::opt<bool> Strict("strict",
                     cl::desc("Fail where clang rejects the source, even if the rest "
                              "could be rewritten"),
                     cl::cat(Category));
cl::opt<std::string> CudaPath("cuda-path", cl::desc("The CUDA toolkit"), cl::value_desc("dir"),
                              cl::cat(Category));
cl::opt<std::string> BuildPath("p",
                               cl::desc("Take the flags from this compile_commands.json's "
                                        "directory"),
                               cl::value_desc("dir"), cl::cat(Category));

constexpr llvm::StringLiteral Overview =
    "Instruments CUDA C++ sources for graphprof: [[graphprof::time]] becomes a timed region, and "
    "CUDA graph calls go through graphprof.\n\n"
    "  graphprof-instrument src/*.cu -- -std=c++17 -arch=sm_90      flags as for nvcc or clang\n";

llvm::raw_ostream &complain() {
  return llvm::WithColor::error(llvm::errs(), "graphprof-instrument");
}

/// One source to do, with everything about it but its compile flags.
struct Job {
  std::string Given;  ///< as on the command line
  std::string Real;   ///< the file itself, without links
  std::string Output; ///< "-" for stdout
};

std::string realPath(llvm::StringRef Path) {
  llvm::SmallString<256> Real;
  return fs::real_path(Path, Real) ? std::string() : Real.str().str();
}

/// The sources, each once; nothing where the command line makes no sense.
std::optional<std::vector<Job>> makeJobs() {
  std::vector<Job> Jobs;
  llvm::StringSet<> Seen;
  llvm::StringMap<std::string> Outputs;
  for (const std::string &Source : Sources) {
    Job Next{Source, realPath(Source), ""};
    if (Next.Real.empty() || fs::is_directory(Next.Real)) {
      complain() << "no such file: '" << Source << "'\n";
      return std::nullopt;
    }
    if (!Seen.insert(Next.Real).second)
      continue;
    if (!OutFile.empty() && !Jobs.empty()) {
      complain() << "-o is for one source; use --out-dir for several\n";
      return std::nullopt;
    }
    if (InPlace)
      Next.Output = Source;
    else if (!OutFile.empty())
      Next.Output = OutFile;
    else
      Next.Output = outputPath(Source, OutDir);

    if (!InPlace && Next.Output != "-" && realPath(Next.Output) == Next.Real) {
      complain() << "'" << Source << "' would be overwritten; say -i for that\n";
      return std::nullopt;
    }
    if (const auto [Other, New] = Outputs.try_emplace(Next.Output, Source);
        !New && Next.Output != "-") {
      complain() << "'" << Source << "' and '" << Other->second << "' would both become '"
                 << Next.Output << "'\n";
      return std::nullopt;
    }
    Jobs.push_back(std::move(Next));
  }
  return Jobs;
}

void summarize(const Job &Done, const Outcome &Result) {
  const auto Count = [](unsigned Number, llvm::StringRef What) {
    return std::to_string(Number) + " " + What.str() + (Number == 1 ? "" : "s");
  };
  llvm::raw_ostream &Out = llvm::errs();
  Out << "graphprof-instrument: " << Done.Given;
  if (!InPlace && !DryRun)
    Out << " -> " << (Done.Output == "-" ? "stdout" : Done.Output);
  Out << ": " << Count(Result.Regions, "region") << ", " << Count(Result.Calls, "redirected call");
  if (Result.Ignored > 0)
    Out << ", " << Count(Result.Ignored, "ignored construct");
  if (Result.Warnings > 0)
    Out << ", " << Count(Result.Warnings, "warning");
  if (!InPlace && Result.Changed) {
    const llvm::StringRef Directory = path::parent_path(Done.Given);
    Out << "; compile it with -I" << (Directory.empty() ? "." : Directory);
  }
  Out << "\n";
}

/// Instruments one source and writes the result; false where either fails, which has then been
/// reported.
bool work(const Job &Next, const CompileFlags &Flags, llvm::StringRef Directory,
          llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  // Under a database's directory the path as given would mean something else.
  auto Command = clangCommand(Directory.empty() ? Next.Given : Next.Real, Flags);
  if (!Command) {
    complain() << Next.Given << ": " << llvm::toString(Command.takeError()) << "\n";
    return false;
  }
  const Outcome Result = instrument({Next.Given, *Command, Strict}, std::move(Files));
  if (!Result.Done) {
    llvm::errs() << "graphprof-instrument: " << Next.Given << ": not instrumented\n";
    return false;
  }
  const bool Needed = Result.Changed || !InPlace;
  if (!DryRun && Next.Output == "-") {
    llvm::outs() << Result.Text;
  } else if (!DryRun && Needed) {
    if (llvm::Error Problem = writeFile(Next.Output, Result.Text, Next.Given)) {
      complain() << llvm::toString(std::move(Problem)) << "\n";
      return false;
    }
  }
  summarize(Next, Result);
  return true;
}

} // namespace

int main(int Count, const char **Words) {
  // What follows `--` is for a compiler; no option of ours.
  const char **const End = Words + Count;
  const char **const Dashes = std::find_if(Words, End, [](llvm::StringRef W) { return W == "--"; });
  CompileFlags Given;
  if (Dashes != End)
    Given.Flags.assign(Dashes + 1, End);

  cl::HideUnrelatedOptions(Category);
  cl::SetVersionPrinter([](llvm::raw_ostream &Out) {
    Out << "graphprof-instrument " GRAPHPROF_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  if (!cl::ParseCommandLineOptions(static_cast<int>(Dashes - Words), Words, Overview,
                                   &llvm::errs()))
    return BadUsage;
  Given.CudaPath = CudaPath;

  if (Sources.empty()) {
    complain() << "no source given; see --help\n";
    return BadUsage;
  }
  if (InPlace + (OutFile.getNumOccurrences() > 0) + (OutDir.getNumOccurrences() > 0) > 1) {
    complain() << "-i, -o and --out-dir exclude each other\n";
    return BadUsage;
  }
  const auto Jobs = makeJobs();
  if (!Jobs)
    return BadUsage;

  std::unique_ptr<clang::tooling::CompilationDatabase> Database;
  if (!BuildPath.empty()) {
    std::string Problem;
    // Not by directory: that would guess the flags of sources that the database does not have.
    Database = clang::tooling::JSONCompilationDatabase::loadFromFile(
        BuildPath + "/compile_commands.json", Problem,
        clang::tooling::JSONCommandLineSyntax::AutoDetect);
    if (!Database) {
      complain() << "'" << BuildPath << "/compile_commands.json': " << Problem << "\n";
      return BadUsage;
    }
  } else if (Dashes == End) {
    complain() << "no compile flags; write them behind '--' as for nvcc or clang, or name a build "
                  "directory with -p:\n"
                  "  graphprof-instrument "
               << Sources.front() << " -- -std=c++17\n";
    return BadUsage;
  }

  bool Failed = false;
  for (const Job &Next : *Jobs) {
    CompileFlags Flags = Given;
    std::string Directory;
    if (Database) {
      const auto Commands = Database->getCompileCommands(Next.Real);
      if (Commands.empty()) {
        complain() << "'" << BuildPath << "' does not compile '" << Next.Given << "'\n";
        Failed = true;
        continue;
      }
      Directory = Commands.front().Directory;
      Flags.Flags.assign(Commands.front().CommandLine.begin() + 1,
                         Commands.front().CommandLine.end());
      Flags.Flags.insert(Flags.Flags.end(), Given.Flags.begin(), Given.Flags.end());
    }
    auto Files = fileSystemWithPrelude();
    if (!Directory.empty())
      if (const std::error_code Code = Files->setCurrentWorkingDirectory(Directory)) {
        complain() << "'" << Directory << "', where '" << BuildPath << "' compiles '" << Next.Given
                   << "': " << Code.message() << "\n";
        Failed = true;
        continue;
      }
    Failed |= !work(Next, Flags, Directory, std::move(Files));
  }
  return Failed ? SomeFailed : AllDone;
}
