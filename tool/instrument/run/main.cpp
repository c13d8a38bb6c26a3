// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-instrument: runs the jobs of a command line in parallel. Only this file writes files.

#include "run/Diff.h"
#include "run/Inputs.h"
#include "run/Instrument.h"
#include "run/Jobs.h"
#include "run/Options.h"
#include "run/Outputs.h"
#include "run/Project.h"
#include "run/Report.h"
#include "run/Results.h"
#include "run/Summary.h"
#include "source/Prelude.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"

using namespace graphprof::instrument;

namespace {

/// Which headers to rewrite. The result refers to both parameters.
HeaderChoice headers(const Options &Asked, const Project &Around) {
  HeaderChoice Result;
  Result.ByDefault = !Asked.HeaderFilter;
  Result.For = Asked.NoHeaders         ? HeaderChoice::Use::Unwanted
               : Asked.OutFile.empty() ? HeaderChoice::Use::Rewritten
                                       : HeaderChoice::Use::NoPlace;
  if (Asked.HeaderFilter)
    Result.Matches = [&](llvm::StringRef Path) { return Asked.HeaderFilter->match(Path); };
  else
    Result.Matches = [&](llvm::StringRef Path) { return Around.holds(Path); };
  return Result;
}

/// Parses and rewrites one source. Units only share data that they read.
Outcome instrumentSource(const Options &Asked, const Project &Around, const Job &Next) {
  auto Files = fileSystemWithPrelude();
  if (!Next.Directory.empty())
    (void)Files->setCurrentWorkingDirectory(Next.Directory); // makeJobs has checked that it exists
  Request Wanted{.ShownPath = Next.Given,
                 .Command = Next.Command,
                 .Strict = Asked.Strict,
                 .Verify = Asked.Verify,
                 .Colors = llvm::sys::Process::StandardErrHasColors(),
                 .Headers = headers(Asked, Around),
                 .AllowUnredirected = Asked.AllowUnredirected};
  Wanted.Auto = automatic(Asked);
  Wanted.Memory = !Asked.NoMemory;
  Wanted.DropAnnotations = Asked.DropAnnotations;
  Wanted.Broken = Asked.Broken;
  Wanted.Kept = Asked.Kept;
  return instrument(Wanted, std::move(Files));
}

/// The flag for the source's own directory, for quoted includes.
std::string directoryFlag(llvm::StringRef Source) {
  const llvm::StringRef Directory = llvm::sys::path::parent_path(Source);
  return ("-I" + (Directory.empty() ? "." : Directory)).str();
}

class Run {
public:
  explicit Run(const Options &Asked) : Asked(Asked), Made(Asked), Log(Asked) {}

  int operator()(llvm::ArrayRef<Job> Jobs);

private:
  /// Fails if the output is a file that the run reads, unless it is `Itself`.
  [[nodiscard]] llvm::Error checkOutput(llvm::StringRef Output, llvm::StringRef Itself = "") const;
  /// Writes a file's output, if any, and reports the result.
  void finish(FileResult File);
  llvm::Error write(const FileResult &File) const;
  void addIncludeFlags(llvm::ArrayRef<Job> Jobs);
  bool writeForPrograms();

  const Options &Asked;
  Results Made;
  Summary Log;
  Inputs Read; ///< the inputs of all units
  RunResult All;
};

int Run::operator()(llvm::ArrayRef<Job> Jobs) {
  const Project Around(Asked, Jobs);
  llvm::DefaultThreadPool Threads(llvm::hardware_concurrency(Asked.Threads));
  std::vector<Outcome> Outcomes(Jobs.size());
  std::vector<std::shared_future<void>> Ready;
  Ready.reserve(Jobs.size());
  for (size_t I = 0; I < Jobs.size(); ++I)
    Ready.push_back(Threads.async([&, I] {
      if (Jobs[I].Problem.empty())
        Outcomes[I] = instrumentSource(Asked, Around, Jobs[I]);
    }));
  // Writes nothing before everything is read, because an output may be a file that another source
  // includes.
  std::vector<FileResult> Done;
  Done.reserve(Jobs.size());
  for (size_t I = 0; I < Jobs.size(); ++I) {
    Log.showProgress(I, Jobs.size(), Jobs[I].Given);
    Ready[I].wait();
    Outcome Unit = std::exchange(Outcomes[I], {});
    Read.add(Unit.Read);
    Done.push_back(Jobs[I].Problem.empty() ? Made.ofSource(Jobs[I], std::move(Unit))
                                           : Made.ofProblem(Jobs[I]));
  }
  std::vector<FileResult> Headers = Made.ofHeaders(Jobs);
  Made.followDirectives(Done, Headers);
  for (auto *Files : {&Done, &Headers})
    for (FileResult &Each : *Files)
      finish(std::move(Each));
  Log.showHeaders(Made.headerDirectories(), Made.quoteDirectories(), Made.forcedCopies());

  addIncludeFlags(Jobs);
  const bool AllWell = llvm::none_of(
      All.Files, [](const FileResult &Each) { return Each.Status == FileStatus::Failed; });
  All.ExitStatus = AllWell ? AllDone : SomeFailed;
  const bool Written = writeForPrograms();
  Log.showFailures(All.Files);
  return Written ? All.ExitStatus : SomeFailed;
}

void Run::finish(FileResult File) {
  if (File.Status != FileStatus::Failed)
    if (llvm::Error Problem = write(File))
      File.fail(llvm::toString(std::move(Problem)));
  Log.showFile(File);
  if (Asked.Diff && File.Status != FileStatus::Failed) {
    llvm::outs().enable_colors(llvm::sys::Process::StandardOutHasColors());
    writeDiff(llvm::outs(), File);
  }
  All.Files.push_back(std::move(File));
}

llvm::Error Run::checkOutput(llvm::StringRef Output, llvm::StringRef Itself) const {
  const std::string Lost = Read.at(Output, Itself);
  return Lost.empty() ? llvm::Error::success()
                      : llvm::createStringError("cannot write '%s': that is '%s', which this run "
                                                "reads; name another place for what it writes",
                                                Output.str().c_str(), Lost.c_str());
}

llvm::Error Run::write(const FileResult &File) const {
  if (llvm::Error Problem = checkOutput(File.Output, Asked.InPlace ? File.Source : ""))
    return Problem;
  if (Asked.DryRun)
    return llvm::Error::success();
  if (!File.LinkTo.empty())
    return writeLink(File.Output, File.LinkTo);
  if (Asked.InPlace && !File.changed())
    return llvm::Error::success();
  return writeFile(File.Output, File.After, Asked.InPlace ? File.Output : File.Source);
}

void Run::addIncludeFlags(llvm::ArrayRef<Job> Jobs) {
  if (Asked.InPlace)
    return;
  for (const std::string &Each : Made.quoteDirectories())
    All.IncludeFlags.push_back("-iquote" + Each);
  for (const std::string &Each : Made.headerDirectories())
    All.IncludeFlags.push_back("-I" + Each);
  All.ForcedIncludes = Made.forcedCopies().vec();
  for (const Job &Each : Jobs)
    if (std::string Flag = directoryFlag(Each.Given); !llvm::is_contained(All.IncludeFlags, Flag))
      All.IncludeFlags.push_back(std::move(Flag));
}

bool Run::writeForPrograms() {
  bool AllWell = true;
  const auto Write = [&](llvm::StringRef Path, llvm::StringRef Text) {
    llvm::Error Problem = checkOutput(Path);
    if (!Problem)
      Problem = writeFile(Path, Text, "");
    if (!Problem)
      return;
    AllWell = false;
    complain() << llvm::toString(std::move(Problem)) << "\n";
  };
  if (!Asked.Fixes.empty()) {
    if (auto Fixes = exportFixes(All.Files)) {
      Write(Asked.Fixes, *Fixes);
    } else {
      AllWell = false;
      complain() << llvm::toString(Fixes.takeError()) << "\n";
    }
  }
  // Writes the report last, because it says how the run ended.
  if (!AllWell)
    All.ExitStatus = SomeFailed;
  if (!Asked.Report.empty())
    Write(Asked.Report, report(All));
  return AllWell;
}

} // namespace

int main(int Count, const char **Words) {
  const auto Asked = readOptions(Count, Words);
  if (!Asked)
    return BadUsage;
  const auto Jobs = makeJobs(*Asked);
  if (!Jobs)
    return BadUsage;
  return Run(*Asked)(*Jobs);
}
