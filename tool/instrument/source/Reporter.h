// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which diagnostics of a parse the user sees, and whether it failed.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_REPORTER_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_REPORTER_H

#include "facts/Diagnosis.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::instrument {

/// Collects diagnostics. Clang rejects some of what nvcc accepts, and an error somewhere
/// must not cost the calls that did parse: unless asked to be strict, clang's own errors are shown
/// as warnings, the first few of them.
class Reporter : public clang::DiagnosticConsumer {
public:
  /// `Colors`: as for a terminal.
  Reporter(bool Strict, bool Colors) : Strict(Strict), Out(Text), Printer(Out, Options) {
    Options.ShowPresumedLoc = true; // as compilers count, behind a #line
    Options.ShowColors = Colors;
    Out.enable_colors(Colors);
  }

  void BeginSourceFile(const clang::LangOptions &Language, const clang::Preprocessor *PP) override {
    Printer.BeginSourceFile(Language, PP);
  }
  void EndSourceFile() override { Printer.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;

  /// Errors of clang's that are not to be reported, because an earlier parse has.
  void ignore(llvm::StringSet<> Errors) { Known = std::move(Errors); }
  /// All errors of clang's, for another parse to ignore.
  [[nodiscard]] const llvm::StringSet<> &rejected() const { return Rejected; }

  /// From now on errors are ours, about one file of several: they are shown and do not make the
  /// parse a failed one.
  void parsed() { Parsed = true; }

  [[nodiscard]] bool failed() const { return Failed; }
  [[nodiscard]] unsigned warnings() const { return Warnings; }
  /// Errors of clang's that cost less than the file.
  [[nodiscard]] unsigned parseErrors() const { return ParseErrors; }
  [[nodiscard]] std::vector<Diagnosis> take() { return std::exchange(Told, {}); }

private:
  void add(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info);

  llvm::StringSet<> Known;
  llvm::StringSet<> Rejected;
  bool Strict;
  bool Parsed = false;
  bool Failed = false;
  bool Showing = true; ///< the last diagnostic, to which notes belong
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;
  std::vector<Diagnosis> Told;
  std::string Text; ///< what the printer has just printed
  llvm::raw_string_ostream Out;
  clang::DiagnosticOptions Options;
  clang::TextDiagnosticPrinter Printer;
};

} // namespace graphprof::instrument

#endif
