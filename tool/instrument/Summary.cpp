// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Summary.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::instrument {
namespace {

std::string counted(unsigned Number, llvm::StringRef What) {
  return std::to_string(Number) + " " + What.str() + (Number == 1 ? "" : "s");
}

} // namespace

void Summary::tell(const FileResult &Done) {
  for (const Diagnosis &Each : Done.Diagnoses)
    if (!Each.Printed.empty())
      llvm::errs() << Each.Printed;
    else if (Each.Level == Severity::Error)
      complain() << Each.Message << "\n";
    else
      llvm::errs() << "graphprof-instrument: " << Each.Message << "\n";
  if (Done.Status == FileStatus::Failed)
    llvm::errs() << "graphprof-instrument: " << Done.Name << ": not instrumented\n";
  else if (Done.Status == FileStatus::Instrumented)
    tellCounts(Done);
}

void Summary::tellCounts(const FileResult &Done) {
  llvm::raw_ostream &Out = llvm::errs();
  Out << "graphprof-instrument: " << Done.Name;
  if (!Asked.InPlace && !Asked.DryRun)
    Out << " -> " << (Done.Output == "-" ? "stdout" : Done.Output);
  Out << ": " << counted(Done.Did.Regions, "region") << ", ";
  if (Done.Did.Steps > 0)
    Out << counted(Done.Did.Steps, "step") << ", ";
  Out << counted(Done.Did.Calls, "redirected call");
  if (Done.Did.Ignored > 0)
    Out << ", " << counted(Done.Did.Ignored, "ignored construct");
  if (Done.Warnings > 0)
    Out << ", " << counted(Done.Warnings, "warning");
  if (!Asked.InPlace && !Done.IsHeader && Done.changed()) {
    const llvm::StringRef Directory = llvm::sys::path::parent_path(Done.Name);
    Out << "; compile it with -I" << (Directory.empty() ? "." : Directory);
  }
  Out << "\n";
}

void Summary::tellDirectories(llvm::ArrayRef<std::string> Directories) {
  if (Directories.empty())
    return;
  llvm::errs() << "graphprof-instrument: headers were rewritten; compile the copies with";
  for (const std::string &Each : Directories)
    llvm::errs() << " -I" << Each;
  llvm::errs() << " before other -I flags\n";
}

} // namespace graphprof::instrument
