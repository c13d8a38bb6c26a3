// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Instrument.h"

#include "Attributes.h"
#include "Constructs.h"
#include "GraphCalls.h"
#include "Plan.h"

#include "clang/Basic/DiagnosticParse.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Prints diagnostics. Clang rejects some of what nvcc accepts, and an error somewhere must not
/// cost the calls that did parse: unless asked to be strict, clang's own errors are shown as
/// warnings, the first few of them.
class Reporter : public DiagnosticConsumer {
public:
  explicit Reporter(bool Strict) : Strict(Strict), Printer(llvm::errs(), Options) {
    Options.ShowColors = llvm::sys::Process::StandardErrHasColors();
  }

  void BeginSourceFile(const LangOptions &Language, const Preprocessor *PP) override {
    Printer.BeginSourceFile(Language, PP);
  }
  void EndSourceFile() override { Printer.EndSourceFile(); }

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
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
    Failed |= Level >= DiagnosticsEngine::Error;
    Warnings += Level == DiagnosticsEngine::Warning;
    if (Showing)
      Printer.HandleDiagnostic(Level, Info);
    else if (ParseErrors == ShownErrors + 1)
      llvm::errs() << "graphprof-instrument: further errors of clang's are not shown\n";
  }

  bool Failed = false;
  unsigned Warnings = 0;
  unsigned ParseErrors = 0;

private:
  bool Strict;
  bool Showing = true; ///< the last diagnostic, to which notes belong
  DiagnosticOptions Options;
  TextDiagnosticPrinter Printer;
};

/// The macros that configure CUDA's and the C library's headers. Where the file defines one before
/// it includes CUDA, the include in front of the copy must not come too early for it.
class EarlyDefines : public PPCallbacks {
public:
  EarlyDefines(const SourceManager &Sources, const LangOptions &Language,
               std::vector<std::string> &Into)
      : Sources(Sources), Language(Language), Into(Into) {}

  void FileChanged(SourceLocation Location, FileChangeReason, SrcMgr::CharacteristicKind,
                   FileID) override {
    CudaSeen |= llvm::sys::path::filename(Sources.getFilename(Location)) == "cuda_runtime_api.h";
  }

  void MacroDefined(const clang::Token &Name, const MacroDirective *Directive) override {
    const MacroInfo *Info = Directive->getMacroInfo();
    if (CudaSeen || !Info->isObjectLike() || !Sources.isWrittenInMainFile(Name.getLocation()) ||
        !configures(Name.getIdentifierInfo()->getName()))
      return;
    const auto Range =
        CharSourceRange::getTokenRange(Info->getDefinitionLoc(), Info->getDefinitionEndLoc());
    const llvm::StringRef Text = Lexer::getSourceText(Range, Sources, Language);
    if (!Text.contains('\n'))
      Into.push_back(("#define " + Text).str());
  }

private:
  static bool configures(llvm::StringRef Name) {
    constexpr llvm::StringLiteral Prefixes[] = {"CUDA",
                                                "__CUDA",
                                                "_GNU_SOURCE",
                                                "_POSIX_C_SOURCE",
                                                "_XOPEN_SOURCE",
                                                "_FILE_OFFSET_BITS",
                                                "_USE_MATH_DEFINES",
                                                "_GLIBCXX_",
                                                "__STDC_",
                                                "_FORTIFY_SOURCE"};
    return llvm::any_of(Prefixes, [=](llvm::StringRef Prefix) { return Name.starts_with(Prefix); });
  }

  const SourceManager &Sources;
  const LangOptions &Language;
  std::vector<std::string> &Into;
  bool CudaSeen = false;
};

std::string counted(unsigned Number, llvm::StringRef What) {
  return std::to_string(Number) + " " + What.str() + (Number == 1 ? "" : "s");
}

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &Compiler, const Request &Asked, const Reporter &Reports,
           Outcome &Result)
      : Compiler(Compiler), Asked(Asked), Reports(Reports), Result(Result),
        Collector(Compiler.getPreprocessor()) {
    Compiler.getPreprocessor().addPPCallbacks(std::make_unique<EarlyDefines>(
        Compiler.getSourceManager(), Compiler.getLangOpts(), Known.EarlyDefines));
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    syntax::TokenBuffer Tokens = std::move(Collector).consume();
    if (Reports.Failed)
      return;
    if (Context.getLangOpts().CUDAIsDevice)
      llvm::report_fatal_error("the device's side was parsed instead of the host's");

    const SourceText Source(Context.getSourceManager(), Context.getLangOpts(), Tokens);
    const std::vector<size_t> Next = recordAnnotations(Source, Compiler.getPreprocessor(), Known);
    recordConstructs(Source, Context, Next, Known);
    const auto CallsInHeaders =
        recordGraphCalls(Source, Context, Compiler.getPreprocessor(), Known);
    recordLastId(Source);

    // From here on, warnings are ours.
    Compiler.getDiagnostics().setIgnoreAllWarnings(false);
    Compiler.getDiagnostics().setSuppressSystemWarnings(false);
    const SourceManager &Sources = Context.getSourceManager();
    const llvm::StringRef Text = Sources.getBufferData(Sources.getMainFileID());
    const Plan Planned = makePlan(Known, Text);
    for (const Finding &Each : Planned.Findings)
      report(Each.Level, Source.locationOf(Each.At), Each.Message);
    reportHeaders(Sources, annotationsInHeaders(Source), CallsInHeaders);
    if (Reports.Failed)
      return;
    edit(Planned, Text);
  }

private:
  void report(Severity Level, SourceLocation At, llvm::StringRef Message) {
    DiagnosticsEngine &Engine = Compiler.getDiagnostics();
    const unsigned Id = Engine.getCustomDiagID(
        Level == Severity::Error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning, "%0");
    Engine.Report(At, Id) << Message;
  }

  /// Guards of an earlier run keep their ids.
  void recordLastId(const SourceText &Source) {
    const auto Tokens = Source.spelled();
    for (size_t I = 0; I + 2 < Tokens.size(); ++I) {
      unsigned Id = 0;
      if (Tokens[I].text(Source.sources()) == "GRAPHPROF_SCOPE" &&
          Tokens[I + 1].kind() == tok::l_paren &&
          !Tokens[I + 2].text(Source.sources()).getAsInteger(10, Id))
        Known.LastId = std::max(Known.LastId, Id);
    }
  }

  /// One warning a header, where its first annotation or call is.
  void reportHeaders(const SourceManager &Sources, llvm::ArrayRef<SourceLocation> Annotations,
                     llvm::ArrayRef<SourceLocation> Calls) {
    struct Header {
      SourceLocation First;
      unsigned Annotations = 0;
      unsigned Calls = 0;
    };
    std::map<FileID, Header> Headers;
    for (const SourceLocation Location : Annotations) {
      Header &Found = Headers[Sources.getFileID(Location)];
      ++Found.Annotations;
      Found.First = Found.First.isValid() ? std::min(Found.First, Location) : Location;
    }
    for (const SourceLocation Location : Calls) {
      Header &Found = Headers[Sources.getFileID(Location)];
      ++Found.Calls;
      Found.First = Found.First.isValid() ? std::min(Found.First, Location) : Location;
    }
    for (const auto &[File, Found] : Headers)
      report(Severity::Warning, Found.First,
             "headers are not rewritten: " + counted(Found.Annotations, "annotation") + " and " +
                 counted(Found.Calls, "CUDA graph call") + " in this one have no effect");
  }

  void edit(const Plan &Planned, llvm::StringRef Text) {
    auto Edited = applyEdits(Text, Planned.Edits);
    if (!Edited) {
      report(Severity::Error, {}, llvm::toString(Edited.takeError()));
      return;
    }
    Result.Text = Planned.Regions + Planned.Calls > 0 && !hasPreamble(Text)
                      ? addPreamble(*Edited, Asked.ShownPath, Known.EarlyDefines)
                      : std::move(*Edited);
    Result.Changed = Result.Text != Text;
    Result.Regions = Planned.Regions;
    Result.Calls = Planned.Calls;
    Result.Ignored = Planned.Ignored;
    Result.Done = true;
  }

  CompilerInstance &Compiler;
  const Request &Asked;
  const Reporter &Reports;
  Outcome &Result;
  syntax::TokenCollector Collector;
  Facts Known;
};

class Action : public ASTFrontendAction {
public:
  Action(const Request &Asked, const Reporter &Reports, Outcome &Result)
      : Asked(Asked), Reports(Reports), Result(Result) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    return std::make_unique<Consumer>(Compiler, Asked, Reports, Result);
  }

private:
  const Request &Asked;
  const Reporter &Reports;
  Outcome &Result;
};

} // namespace

Outcome instrument(const Request &Asked, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  Outcome Result;
  Reporter Reports(Asked.Strict);
  auto Manager = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), std::move(Files));
  tooling::ToolInvocation Invocation(
      Asked.Command, std::make_unique<Action>(Asked, Reports, Result), Manager.get());
  Invocation.setDiagnosticConsumer(&Reports);
  Invocation.run();
  if (Reports.Failed)
    Result.Done = false;
  Result.Warnings = Reports.Warnings;
  return Result;
}

} // namespace graphprof::instrument
