// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-instrument: runs the jobs of a command line, and is the only place that writes files.

#include "Edits.h"
#include "Headers.h"
#include "Instrument.h"
#include "Jobs.h"
#include "Options.h"
#include "Outputs.h"
#include "Prelude.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace graphprof::instrument;
namespace path = llvm::sys::path;

namespace {

std::string counted(unsigned Number, llvm::StringRef What) {
  return std::to_string(Number) + " " + What.str() + (Number == 1 ? "" : "s");
}

/// A path as one would write it here.
std::string fromHere(llvm::StringRef Path) {
  llvm::SmallString<256> Here;
  llvm::StringRef Below = Path;
  if (llvm::sys::fs::current_path(Here) || !Below.consume_front(Here))
    return Path.str();
  return Below.empty() ? "." : Below.consume_front("/") ? Below.str() : Path.str();
}

class Run {
public:
  explicit Run(const Options &Asked) : Asked(Asked) {
    Colors = llvm::sys::Process::StandardErrHasColors();
  }

  /// Instruments one source and writes the result; false where either fails, which has then been
  /// reported.
  bool doSource(const Job &Next);

  /// Writes the headers that the sources chose, once all sources are done.
  bool doHeaders(llvm::ArrayRef<Job> Sources);

private:
  bool write(llvm::StringRef Path, llvm::StringRef Text, llvm::StringRef Model) const {
    return Asked.DryRun || said(writeFile(Path, Text, Model));
  }
  static bool said(llvm::Error Problem) {
    const bool None = !Problem;
    if (!None)
      complain() << llvm::toString(std::move(Problem)) << "\n";
    return None;
  }
  void summarize(const Job &Done, const Outcome &Result) const;

  [[nodiscard]] std::string copyOf(llvm::StringRef Path) const {
    return outputPath(Path, Asked.OutDir, Asked.Root);
  }
  bool writeInPlace(const std::map<std::string, Headers::Rewritten> &Rewritten);
  bool writeMirror(const std::map<std::string, Headers::Rewritten> &Rewritten,
                   llvm::ArrayRef<Job> Sources);

  const Options &Asked;
  bool Colors;
  Told HeaderProblems;
  Headers Chosen;
};

bool Run::doSource(const Job &Next) {
  if (!Next.Problem.empty()) {
    complain() << Next.Problem << "\n";
    return false;
  }
  auto Files = fileSystemWithPrelude();
  if (!Next.Directory.empty())
    Files->setCurrentWorkingDirectory(Next.Directory);
  Request Wanted{Next.Given, Next.Command, Asked.Strict, Colors, {}, &HeaderProblems};
  if (Asked.HeaderFilter)
    Wanted.Chosen = [this](llvm::StringRef Path) { return Asked.HeaderFilter->match(Path); };
  Outcome Result = instrument(Wanted, std::move(Files));
  llvm::errs() << Result.Messages;
  Chosen.add(Result);
  if (!Result.Done) {
    llvm::errs() << "graphprof-instrument: " << Next.Given << ": not instrumented\n";
    return false;
  }
  if (!Asked.DryRun && Next.Output == "-")
    llvm::outs() << Result.Text;
  else if ((Result.Changed || !Asked.InPlace) && !write(Next.Output, Result.Text, Next.Given))
    return false;
  summarize(Next, Result);
  return true;
}

void Run::summarize(const Job &Done, const Outcome &Result) const {
  llvm::raw_ostream &Out = llvm::errs();
  Out << "graphprof-instrument: " << Done.Given;
  if (!Asked.InPlace && !Asked.DryRun)
    Out << " -> " << (Done.Output == "-" ? "stdout" : Done.Output);
  Out << ": " << counted(Result.Did.Regions, "region") << ", ";
  if (Result.Did.Steps > 0)
    Out << counted(Result.Did.Steps, "step") << ", ";
  Out << counted(Result.Did.Calls, "redirected call");
  if (Result.Did.Ignored > 0)
    Out << ", " << counted(Result.Did.Ignored, "ignored construct");
  if (Result.Warnings > 0)
    Out << ", " << counted(Result.Warnings, "warning");
  if (!Asked.InPlace && Result.Changed) {
    const llvm::StringRef Directory = path::parent_path(Done.Given);
    Out << "; compile it with -I" << (Directory.empty() ? "." : Directory);
  }
  Out << "\n";
}

bool Run::doHeaders(llvm::ArrayRef<Job> Sources) {
  const auto Rewritten = Chosen.rewrite();
  bool AllWell = true;
  for (const auto &[Path, Header] : Rewritten) {
    if (!Header.Failed)
      continue;
    AllWell = false;
    if (!Header.Problem.empty())
      complain() << Header.Name << ": " << Header.Problem << "\n";
    llvm::errs() << "graphprof-instrument: " << Header.Name << ": not instrumented\n";
  }
  return (Asked.InPlace ? writeInPlace(Rewritten) : writeMirror(Rewritten, Sources)) && AllWell;
}

bool Run::writeInPlace(const std::map<std::string, Headers::Rewritten> &Rewritten) {
  bool AllWell = true;
  for (const auto &[Path, Header] : Rewritten) {
    if (Header.Failed)
      continue;
    AllWell &= write(Path, Header.Text, Path);
    llvm::errs() << "graphprof-instrument: " << Header.Name << ": "
                 << counted(Header.Did.Regions, "region") << ", "
                 << counted(Header.Did.Calls, "redirected call") << "\n";
  }
  return AllWell;
}

bool Run::writeMirror(const std::map<std::string, Headers::Rewritten> &Rewritten,
                      llvm::ArrayRef<Job> Sources) {
  const IncludeGraph &Includes = Chosen.includes();
  llvm::StringSet<> Changed, AlreadyThere;
  for (const auto &[Path, Header] : Rewritten)
    if (!Header.Failed)
      Changed.insert(Path);
  if (Changed.empty())
    return true;
  for (const Job &Each : Sources)
    AlreadyThere.insert(Each.Real);

  const auto Mirrored = mirror(Includes, Changed, AlreadyThere);
  bool AllWell = true;
  for (const MirroredFile &Each : Mirrored) {
    const std::string Copy = copyOf(Each.Path);
    const IncludeGraph::File &File = Includes.Files.find(Each.Path)->second;
    if (!Each.LinkTo.empty()) {
      AllWell &= Asked.DryRun || said(writeLink(Copy, copyOf(Each.LinkTo)));
      continue;
    }
    if (const auto Done = Rewritten.find(File.Real);
        Done != Rewritten.end() && !Done->second.Failed) {
      const Headers::Rewritten &Header = Done->second;
      AllWell &= write(Copy, addLine(Header.Text, Header.Name), Each.Path);
      llvm::errs() << "graphprof-instrument: " << Header.Name;
      if (!Asked.DryRun)
        llvm::errs() << " -> " << Copy;
      llvm::errs() << ": " << counted(Header.Did.Regions, "region") << ", "
                   << counted(Header.Did.Calls, "redirected call") << "\n";
      continue;
    }
    const auto Original = llvm::MemoryBuffer::getFile(Each.Path);
    if (!Original) {
      complain() << "'" << Each.Path << "': " << Original.getError().message() << "\n";
      AllWell = false;
      continue;
    }
    AllWell &= write(Copy, addLine((*Original)->getBuffer(), File.Name), Each.Path);
  }

  const auto Directories = searchFirst(Includes, Mirrored);
  if (!Directories.empty()) {
    llvm::errs() << "graphprof-instrument: headers were rewritten; compile the copies with";
    for (const SearchDirectory &Each : Directories)
      llvm::errs() << " -I" << (Each.OfCopies ? copyOf(Each.Path) : fromHere(Each.Path));
    llvm::errs() << " before other -I flags\n";
  }
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
  Run Work(*Asked);
  bool AllWell = true;
  for (const Job &Next : *Jobs)
    AllWell &= Work.doSource(Next);
  AllWell &= Work.doHeaders(*Jobs);
  return AllWell ? AllDone : SomeFailed;
}
