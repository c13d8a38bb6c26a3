// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/Reporter.h"

#include "source/Includes.h"

#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace graphprof::instrument {

namespace {

/// Identifies a diagnostic in a file and in its instrumented copy. Columns may differ.
std::string lineAndMessage(const Diagnostic &Info) {
  llvm::SmallString<128> Message;
  Info.FormatDiagnostic(Message);
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
    return Message.str().str();
  const PresumedLoc Place = Info.getSourceManager().getPresumedLoc(
      Info.getSourceManager().getExpansionLoc(Info.getLocation()));
  return (llvm::Twine(Place.isValid() ? Place.getFilename() : "") + ":" +
          llvm::Twine(Place.isValid() ? Place.getLine() : 0) + ":" + Message)
      .str();
}

/// Errors of clang about code that nvcc accepts, and that do not affect how the rest of the file is
/// parsed.
bool isAcceptable(unsigned Error) {
  switch (Error) {
  case diag::err_attributes_not_allowed: // `[[graphprof::time]]` above `#pragma unroll`
  case diag::err_shared_var_init:        // `__shared__` of a class with a constructor: a warning
  case diag::err_cuda_extern_shared:     // `extern __shared__ float x;` and no array: a warning
    return true;
  default:
    return false;
  }
}

/// Clang's CUDA header includes one of cuRAND's headers, which nvcc does not include by itself. A
/// macro from the command line may break it. If the source included it, the source would not
/// compile, so such an error can be ignored.
bool isInForcedHeader(const Diagnostic &Info) {
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
    return false;
  const SourceManager &Sources = Info.getSourceManager();
  return llvm::sys::path::filename(Sources.getFilename(
             Sources.getExpansionLoc(Info.getLocation()))) == "curand_mtgp32_kernel.h";
}

} // namespace

void Reporter::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  constexpr unsigned ShownErrors = 5;
  if (Level == DiagnosticsEngine::Note) {
    if (Showing && !Diagnoses.empty()) {
      Printer.HandleDiagnostic(Level, Info);
      Diagnoses.back().Printed += std::exchange(Text, {});
    }
    return;
  }
  const bool OfClang = Info.getID() < diag::DIAG_UPPER_LIMIT;
  Showing = true;
  if (OfClang && Level == DiagnosticsEngine::Error) {
    if (isAcceptable(Info.getID()) || isInForcedHeader(Info)) {
      Showing = false;
      return;
    }
    if (Info.getID() == diag::err_constexpr_if_condition_expression_is_not_constant) {
      Conditions.push_back(Info.getLocation());
      Showing = false;
      return;
    }
    const std::string What = lineAndMessage(Info);
    Rejected.insert(What);
    if (Known.contains(What)) {
      Showing = false;
      return;
    }
    const bool HasPlace = Info.hasSourceManager() && Info.getLocation().isValid();
    if (HasPlace && !Strict) {
      Level = DiagnosticsEngine::Warning;
      Showing = ++ParseErrors <= ShownErrors;
    }
    if (HasPlace && !Conditions.empty())
      Doubtful.push_back({Info.getLocation(), What, Showing ? Diagnoses.size() : NotShown});
  }
  Failures += Level >= DiagnosticsEngine::Error && !Parsed;
  Warnings += Level == DiagnosticsEngine::Warning;
  if (Showing)
    add(Level, Info);
  else if (ParseErrors == ShownErrors + 1)
    Diagnoses.push_back(
        Diagnosis::ofTool(Severity::Warning, "more errors from clang are not shown"));
}

void Reporter::forgive(llvm::function_ref<bool(SourceLocation)> IsInBranch) {
  std::vector<size_t> Gone;
  for (const DoubtfulError &Each : Doubtful) {
    if (!IsInBranch(Each.At))
      continue;
    Rejected.erase(Each.What);
    if (Strict) {
      --Failures;
    } else {
      --ParseErrors;
      --Warnings;
    }
    if (Each.Shown != NotShown)
      Gone.push_back(Each.Shown);
  }
  for (const size_t Each : llvm::reverse(Gone))
    Diagnoses.erase(Diagnoses.begin() + static_cast<std::ptrdiff_t>(Each));
  Doubtful.clear();
  Showing = false;
}

void Reporter::add(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  Diagnosis Result;
  Result.Level = Level >= DiagnosticsEngine::Error ? Severity::Error : Severity::Warning;
  if (Info.hasSourceManager() && Info.getLocation().isValid()) {
    const SourceManager &Sources = Info.getSourceManager();
    const SourceLocation Use = Sources.getExpansionLoc(Info.getLocation());
    const PresumedLoc Shown = Sources.getPresumedLoc(Use);
    if (Shown.isValid()) {
      Result.File = Shown.getFilename();
      Result.Path = pathOf(Sources.getFileManager(), Sources.getFilename(Use));
      Result.Line = Shown.getLine();
      Result.Column = Shown.getColumn();
    }
    Result.Elsewhere = Sources.getFileID(Use) != Sources.getMainFileID();
  }
  llvm::SmallString<128> Message;
  Info.FormatDiagnostic(Message);
  Result.Message = Message.str();
  Printer.HandleDiagnostic(Level, Info);
  Result.Printed = std::exchange(Text, {});
  Diagnoses.push_back(std::move(Result));
}

} // namespace graphprof::instrument
