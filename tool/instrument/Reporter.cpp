// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Reporter.h"

#include "clang/Basic/DiagnosticParse.h"

using namespace clang;

namespace graphprof::instrument {

void Reporter::HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) {
  constexpr unsigned ShownErrors = 5;
  if (Level == DiagnosticsEngine::Note) {
    if (Showing)
      Printer.HandleDiagnostic(Level, Info);
    return;
  }
  const bool OfClang = Info.getID() < diag::DIAG_UPPER_LIMIT;
  Showing = true;
  if (OfClang && Level == DiagnosticsEngine::Error) {
    // `[[graphprof::time]]` above `#pragma unroll` is where it belongs.
    if (Info.getID() == diag::err_attributes_not_allowed) {
      Showing = false;
      return;
    }
    const bool Recoverable = !Strict && Info.hasSourceManager() && Info.getLocation().isValid();
    if (Recoverable) {
      Level = DiagnosticsEngine::Warning;
      Showing = ++ParseErrors <= ShownErrors;
    }
  }
  Failed |= Level >= DiagnosticsEngine::Error && !Parsed;
  Warnings += Level == DiagnosticsEngine::Warning;
  if (Showing)
    Printer.HandleDiagnostic(Level, Info);
  else if (ParseErrors == ShownErrors + 1)
    Out << "graphprof-instrument: further errors of clang's are not shown\n";
}

} // namespace graphprof::instrument
