// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Summary.h"

#include "facts/Counted.h"
#include "plan/LaunchPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::instrument {
namespace {

/// The location and text of a file's first error, in the format of compilers.
std::string firstError(const FileResult &File) {
  const auto Error = llvm::find_if(
      File.Diagnoses, [](const Diagnosis &Each) { return Each.Level == Severity::Error; });
  if (Error == File.Diagnoses.end())
    return File.Name; // reported with another file that includes it
  if (Error->Line == 0)
    return llvm::StringRef(Error->Message).starts_with(File.Name)
               ? Error->Message
               : File.Name + ": " + Error->Message;
  return Error->File + ":" + std::to_string(Error->Line) + ":" + std::to_string(Error->Column) +
         ": " + Error->Message;
}

} // namespace

Summary::Summary(const Options &Asked)
    : Asked(Asked), OnTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Summary::wipe() {
  if (std::exchange(Showing, false))
    llvm::errs() << "\r\033[K";
}

void Summary::showProgress(size_t Done, size_t Total, llvm::StringRef Next) {
  constexpr size_t Many = 20;
  if (Total < Many || (!OnTerminal && Done % (Total / 10) != 0))
    return;
  wipe();
  llvm::raw_ostream &Out = llvm::errs();
  Out << "[" << Done + 1 << "/" << Total << "] ";
  if (!OnTerminal) {
    Out << Next << "\n";
    return;
  }
  // A wrapped line could not be erased, so the path is shortened at its beginning.
  const size_t Columns = std::max(llvm::sys::Process::StandardErrColumns(), 40U);
  constexpr size_t Counter = 20;
  Out << Next.take_back(Columns - Counter);
  Showing = true;
}

void Summary::showFailures(llvm::ArrayRef<FileResult> Files) {
  const auto IsFailed = [](const FileResult &Each) { return Each.Status == FileStatus::Failed; };
  const unsigned Failed = llvm::count_if(Files, IsFailed);
  llvm::raw_ostream &Out = llvm::errs();
  if (Failed > 0 && Files.size() > 1) {
    Out << "graphprof-instrument: " << Failed << " of " << counted(Files.size(), "file")
        << (Failed == 1 ? " was" : " were") << " not instrumented:\n";
    for (const FileResult &Each : llvm::make_filter_range(Files, IsFailed))
      Out << "  " << firstError(Each) << "\n";
  }
  if (Asked.DryRun)
    Out << "graphprof-instrument: no source was changed and no copy written\n";
}

void Summary::showFile(const FileResult &Done) {
  wipe();
  for (const Diagnosis &Each : Done.Diagnoses)
    if (!Each.Printed.empty())
      llvm::errs() << Each.Printed;
    else if (Each.Level == Severity::Error)
      complain() << Each.Message << "\n";
    else
      llvm::WithColor::warning(llvm::errs(), "graphprof-instrument") << Each.Message << "\n";
  if (Done.Status == FileStatus::Failed)
    llvm::errs() << "graphprof-instrument: " << Done.Name << ": not instrumented"
                 << (Done.ChangesGraphs ? "; it changes graphs, so if it is compiled as it is, "
                                          "results may change"
                                        : "")
                 << "\n";
  else if (Done.Status == FileStatus::Instrumented)
    tellCounts(Done);
  else if (Asked.DryRun)
    llvm::errs() << "graphprof-instrument: " << Done.Name << " -> " << Done.Output << ": "
                 << (Done.LinkTo.empty() ? "copied" : "linked") << "\n";
}

void Summary::tellCounts(const FileResult &Done) {
  const Counts &Did = Done.Made.Did;
  llvm::raw_ostream &Out = llvm::errs();
  Out << "graphprof-instrument: " << Done.Name;
  if (!Asked.InPlace)
    Out << " -> " << (Done.Output == "-" ? "stdout" : Done.Output);
  Out << ": " << counted(Did.Regions, "region") << ", ";
  if (Did.Steps > 0)
    Out << counted(Did.Steps, "step") << ", ";
  if (Did.Graphs > 0)
    Out << counted(Did.Graphs, "graph name") << ", ";
  Out << counted(Did.Calls, "redirected call") << launchSummary(Did);
  if (Did.Scopes > 0)
    Out << ", " << counted(Did.Scopes, "region") << " inside " << counted(Did.Twins, "kernel");
  if (Did.Ignored > 0)
    Out << ", " << counted(Did.Ignored, "ignored construct");
  if (Done.Warnings > Done.ParseErrors)
    Out << ", " << counted(Done.Warnings - Done.ParseErrors, "warning");
  if (Done.ParseErrors > 0)
    Out << ", " << counted(Done.ParseErrors, "parse error");
  if (!Asked.InPlace && !Done.IsHeader && Done.changed()) {
    showDirectory(Done);
  }
  Out << "\n";
}

/// Uses -I, which all compilers accept.
void Summary::showDirectory(const FileResult &Done) {
  llvm::StringRef Directory = llvm::sys::path::parent_path(Done.Name);
  if (Directory.empty())
    Directory = ".";
  llvm::raw_ostream &Out = llvm::errs() << "; compile it with ";
  if (Done.Hidden.empty())
    Out << "-I" << Directory;
  else
    Out << "-iquote " << Directory << " (nvcc: -Xcompiler=-iquote," << Directory << "); -I"
        << Directory << " would hide <" << Done.Hidden << ">";
}

void Summary::showHeaders(llvm::ArrayRef<std::string> Directories,
                          llvm::ArrayRef<std::string> Quoted, llvm::ArrayRef<ForcedCopy> Forced) {
  if (Directories.empty() && Quoted.empty() && Forced.empty())
    return;
  llvm::raw_ostream &Out = llvm::errs();
  Out << "graphprof-instrument: headers were rewritten; compile the copies with";
  for (const std::string &Each : Quoted)
    Out << " -iquote" << Each;
  for (const std::string &Each : Directories)
    Out << " -I" << Each;
  if (!Directories.empty())
    Out << " before other -I flags" << (Forced.empty() ? "" : ", and with");
  for (const ForcedCopy &Each : Forced)
    Out << (&Each == Forced.begin() ? "" : ",") << " -include " << Each.Output << " for -include "
        << Each.Given;
  Out << "\n";
}

} // namespace graphprof::instrument
