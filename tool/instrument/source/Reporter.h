// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which diagnostics of a parse the user sees, and whether it failed.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_REPORTER_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_REPORTER_H

#include "facts/Diagnosis.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace graphprof::instrument {

/// Collects diagnostics. Clang rejects some code that nvcc accepts, and such an error must not
/// prevent redirecting the calls that did parse. So, unless strict, the first few of clang's own
/// errors are shown as warnings.
class Reporter : public clang::DiagnosticConsumer {
public:
  /// `Colors`: use the colors of a terminal.
  Reporter(bool Strict, bool Colors) : Strict(Strict), Out(Text), Printer(Out, Options) {
    Options.ShowPresumedLoc = true; // the location after #line, as compilers show it
    Options.ShowColors = Colors;
    Out.enable_colors(Colors);
  }

  void BeginSourceFile(const clang::LangOptions &Language, const clang::Preprocessor *PP) override {
    Printer.BeginSourceFile(Language, PP);
  }
  void EndSourceFile() override { Printer.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;

  /// Clang's errors that an earlier parse has reported, and that are not reported again.
  void ignore(llvm::StringSet<> Errors) { Known = std::move(Errors); }
  /// All of clang's errors, for another parse to ignore.
  [[nodiscard]] const llvm::StringSet<> &rejected() const { return Rejected; }

  /// The conditions of `if constexpr` that clang does not evaluate, though nvcc and gcc do:
  /// `this->member` is one. They are no errors. Clang then looks at both branches.
  [[nodiscard]] llvm::ArrayRef<clang::SourceLocation> conditions() const { return Conditions; }
  /// Takes back the errors in the branches of these.
  void forgive(llvm::function_ref<bool(clang::SourceLocation)> IsInBranch);

  /// From now on errors are the tool's own, about single files. They are shown, but the parse does
  /// not count as failed.
  void parsed() { Parsed = true; }

  [[nodiscard]] bool failed() const { return Failures > 0; }
  [[nodiscard]] unsigned warnings() const { return Warnings; }
  /// The number of clang's errors that did not make the file fail.
  [[nodiscard]] unsigned parseErrors() const { return ParseErrors; }
  [[nodiscard]] std::vector<Diagnosis> take() { return std::exchange(Diagnoses, {}); }

private:
  void add(clang::DiagnosticsEngine::Level Level, const clang::Diagnostic &Info);

  llvm::StringSet<> Known;
  llvm::StringSet<> Rejected;
  bool Strict;
  bool Parsed = false;
  unsigned Failures = 0;
  bool Showing = true; ///< whether the last diagnostic, to which notes belong, is shown
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;
  std::vector<Diagnosis> Diagnoses;
  static constexpr size_t NotShown = ~size_t(0);
  /// An error behind one of Conditions.
  struct DoubtfulError {
    clang::SourceLocation At;
    std::string What;
    size_t Shown; ///< the index of its diagnosis
  };
  std::vector<clang::SourceLocation> Conditions;
  std::vector<DoubtfulError> Doubtful;
  std::string Text; ///< the printer's last output
  llvm::raw_string_ostream Out;
  clang::DiagnosticOptions Options;
  clang::TextDiagnosticPrinter Printer;
};

} // namespace graphprof::instrument

#endif
