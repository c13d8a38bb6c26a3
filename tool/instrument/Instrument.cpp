// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Instrument.h"

#include "Attributes.h"
#include "Constructs.h"
#include "EarlyDefines.h"
#include "GraphCalls.h"
#include "LaunchBrackets.h"
#include "Launches.h"
#include "Plan.h"
#include "Reporter.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {
namespace {

std::string counted(unsigned Number, llvm::StringRef What) {
  return std::to_string(Number) + " " + What.str() + (Number == 1 ? "" : "s");
}

class Consumer : public ASTConsumer {
public:
  Consumer(CompilerInstance &Compiler, const Request &Asked, llvm::vfs::FileSystem &Files,
           Reporter &Reports, Outcome &Result)
      : Compiler(Compiler), Asked(Asked), Files(Files), Reports(Reports), Result(Result),
        Tokens(Compiler.getPreprocessor()) {
    Preprocessor &PP = Compiler.getPreprocessor();
    PP.addPPCallbacks(std::make_unique<instrument::EarlyDefines>(PP, EarlyDefines));
    PP.addPPCallbacks(findHidden(PP, Result.Hidden));
    if (Asked.Chosen)
      PP.addPPCallbacks(recordIncludes(PP, Result.Includes));
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (Reports.failed())
      return;
    if (Context.getLangOpts().CUDAIsDevice)
      llvm::report_fatal_error("the device's side was parsed instead of the host's");

    Unit Parsed(Context.getSourceManager(), Context.getLangOpts(), Tokens,
                [&](llvm::StringRef Name) {
                  return Asked.Chosen && Asked.Chosen(pathOf(Compiler.getFileManager(), Name));
                });
    auto Annotations = recordAnnotations(Parsed, Compiler.getPreprocessor());
    recordConstructs(Parsed, Context);
    recordLaunches(Parsed, Context, Asked.Auto);
    const auto Calls = recordGraphCalls(Parsed, Context, Compiler.getPreprocessor(), Asked.Memory);
    for (const auto &File : Parsed.files())
      recordLastId(*File);

    // From here on, warnings are ours.
    Compiler.getDiagnostics().setIgnoreAllWarnings(false);
    Compiler.getDiagnostics().setSuppressSystemWarnings(false);
    Reports.parsed();
    for (const auto &File : Parsed.files())
      File->Known.InC = !Context.getLangOpts().CPlusPlus;
    for (const auto &File : Parsed.files().drop_front())
      planHeader(*File);
    for (const auto &File : Parsed.filesOnlyRead())
      useKernelsOf(*File, Annotations);
    reportOtherHeaders(Annotations, Calls);
    rewriteSource(Parsed.source());
  }

private:
  void report(Severity Level, SourceLocation At, llvm::StringRef Message) {
    DiagnosticsEngine &Engine = Compiler.getDiagnostics();
    const unsigned Id = Engine.getCustomDiagID(
        Level == Severity::Error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning, "%0");
    Engine.Report(At, Id) << Message;
  }

  /// Guards of an earlier run keep their ids.
  static void recordLastId(Unit::File &File) {
    if (!File.Source.text().contains("GRAPHPROF_"))
      return;
    const auto Tokens = File.Source.spelled();
    for (size_t I = 0; I + 2 < Tokens.size(); ++I) {
      unsigned Id = 0;
      if (Tokens[I].text(File.Source.sources()).starts_with("GRAPHPROF_") &&
          Tokens[I + 1].kind() == tok::l_paren &&
          !Tokens[I + 2].text(File.Source.sources()).getAsInteger(10, Id))
        File.Known.LastId = std::max(File.Known.LastId, Id);
    }
  }

  /// Annotated kernels need no rewriting of their header, only annotations that can be used.
  void useKernelsOf(const Unit::File &File, std::vector<SourceLocation> &WithoutEffect) {
    for (const Finding &Each : File.Known.Findings)
      report(Severity::Warning, File.Source.locationOf(Each.At), Each.Message);
    for (const auto &[At, Kernel] : File.Kernels) {
      const auto Note = llvm::find_if(File.Known.Annotations,
                                      [At = At](const Annotation &A) { return A.At == At; });
      llvm::erase(WithoutEffect, File.Source.locationOf(Note->Text.Begin));
    }
  }

  /// One warning a header, where its first annotation or call is.
  void reportOtherHeaders(llvm::ArrayRef<SourceLocation> Annotations,
                          llvm::ArrayRef<SourceLocation> Calls) {
    struct Header {
      SourceLocation First;
      unsigned Annotations = 0;
      unsigned Calls = 0;
    };
    const SourceManager &Sources = Compiler.getSourceManager();
    std::map<FileID, Header> Headers;
    const auto Note = [&](SourceLocation Location) -> Header & {
      Header &Found = Headers[Sources.getFileID(Location)];
      Found.First = Found.First.isValid() ? std::min(Found.First, Location) : Location;
      return Found;
    };
    for (const SourceLocation Location : Annotations)
      ++Note(Location).Annotations;
    for (const SourceLocation Location : Calls)
      ++Note(Location).Calls;
    for (const auto &[File, Found] : Headers)
      report(Severity::Warning, Found.First,
             "this header is not rewritten, so " + counted(Found.Annotations, "annotation") +
                 " and " + counted(Found.Calls, "CUDA graph call") +
                 " in it have no effect; choose it with --header-filter");
  }

  /// A file's own text. The parser may have seen it with the brackets of launches joined.
  [[nodiscard]] std::string ownText(const Unit::File &File) const {
    const llvm::StringRef Seen = File.Source.text();
    if (const auto Entry = Compiler.getSourceManager().getFileEntryRefForID(File.Source.file()))
      if (const auto Own = Files.getBufferForFile(Entry->getName());
          Own && (*Own)->getBufferSize() == Seen.size())
        return (*Own)->getBuffer().str();
    return Seen.str();
  }

  /// Hands a header's facts on, for whoever has those of all units.
  void planHeader(Unit::File &File) {
    ChosenHeader Header;
    const auto Entry = Compiler.getSourceManager().getFileEntryRefForID(File.Source.file());
    Header.Path = pathOf(Compiler.getFileManager(), Entry->getName());
    Header.Text = ownText(File);
    const Plan Planned = makePlan(File.Known, Header.Text);
    for (const Finding &Each : Planned.Findings) {
      report(Each.Level, File.Source.locationOf(Each.At), Each.Message);
      Header.Failed |= Each.Level == Severity::Error;
    }
    Header.Known = std::move(File.Known);
    Result.Headers.push_back(std::move(Header));
    if (!Result.Headers.back().Failed)
      note(Planned);
  }

  /// What the unit needs from the runtime: a header's calls are compiled where it is included.
  void note(const Plan &Planned) {
    NeedsRuntime |= Planned.Did.Regions + Planned.Did.Steps + Planned.Did.Calls +
                        Planned.Did.Launches + Planned.Did.Functions >
                    0;
    NeedsDriver |= Planned.CallsDriver;
  }

  void rewriteSource(const Unit::File &File) {
    const std::string Text = ownText(File);
    Plan Planned = makePlan(File.Known, Text);
    Result.Before = Text;
    bool Failed = false;
    for (const Finding &Each : Planned.Findings) {
      report(Each.Level, File.Source.locationOf(Each.At), Each.Message);
      Failed |= Each.Level == Severity::Error;
    }
    if (Failed)
      return;
    auto Edited = applyEdits(Text, Planned.Edits);
    if (!Edited) {
      report(Severity::Error, {}, llvm::toString(Edited.takeError()));
      return;
    }
    note(Planned);
    llvm::SmallVector<RuntimeHeader, 2> Headers;
    if (NeedsRuntime)
      Headers.push_back(File.Known.InC ? RuntimeHeader::C : RuntimeHeader::Cuda);
    if (NeedsDriver && !File.Known.InC)
      Headers.push_back(RuntimeHeader::CudaDriver);
    Result.Text = std::move(*Edited);
    Result.Edits = std::move(Planned.Edits);
    if (NeedsRuntime) {
      Edit Preamble = preamble(Text, Asked.ShownPath, Headers, EarlyDefines);
      Result.Text.insert(Preamble.Range.Begin, Preamble.Text);
      Result.Edits.push_back(std::move(Preamble));
    }
    Result.Changed = Result.Text != Text;
    Result.Sites = std::move(Planned.Sites);
    Result.Calls = std::move(Planned.Calls);
    Result.Did = Planned.Did;
    Result.Done = true;
  }

  CompilerInstance &Compiler;
  const Request &Asked;
  llvm::vfs::FileSystem &Files;
  Reporter &Reports;
  Outcome &Result;
  UnitTokens Tokens;
  std::vector<std::string> EarlyDefines;
  bool NeedsRuntime = false;
  bool NeedsDriver = false;
};

class Action : public ASTFrontendAction {
public:
  Action(const Request &Asked, llvm::vfs::FileSystem &Files, Reporter &Reports, Outcome &Result)
      : Asked(Asked), Files(Files), Reports(Reports), Result(Result) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    return std::make_unique<Consumer>(Compiler, Asked, Files, Reports, Result);
  }

private:
  const Request &Asked;
  llvm::vfs::FileSystem &Files;
  Reporter &Reports;
  Outcome &Result;
};

} // namespace

/// Parses the result. What clang rejects in it but not in the source fails the file where it is.
static void verify(const Request &Asked, Outcome &Result, const llvm::StringSet<> &Known,
                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  auto Texts = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto Add = [&](llvm::StringRef Path, llvm::StringRef Text) {
    llvm::SmallString<256> Whole(Path);
    (void)Files->makeAbsolute(Whole); // the working directory is known: the unit has been parsed
    Texts->addFile(Whole, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  };
  Add(Asked.Command.back(), Result.Text);
  for (const ChosenHeader &Each : Result.Headers)
    if (auto Text = applyEdits(Each.Text, makePlan(Each.Known, Each.Text).Edits);
        Text && !Each.Failed)
      Add(Each.Path, *Text);
    else
      llvm::consumeError(Text.takeError());
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(Files));
  Overlay->pushOverlay(Texts);

  Reporter Reports(/*Strict=*/true, Asked.Colors);
  Reports.ignore(Known);
  auto Manager = llvm::makeIntrusiveRefCnt<FileManager>(
      FileSystemOptions(), withJoinedLaunchBrackets(std::move(Overlay)));
  tooling::ToolInvocation Invocation(Asked.Command, std::make_unique<SyntaxOnlyAction>(),
                                     Manager.get());
  Invocation.setDiagnosticConsumer(&Reports);
  Invocation.run();
  if (!Reports.failed())
    return;
  for (Diagnosis &Each : Reports.take()) {
    const auto Header = llvm::find_if(
        Result.Headers, [&](const ChosenHeader &File) { return File.Path == Each.Path; });
    if (Each.Level == Severity::Error && Header != Result.Headers.end())
      Header->Failed = true;
    else if (Each.Level == Severity::Error)
      Result.Done = false;
    Result.Diagnoses.push_back(std::move(Each));
  }
  Result.Diagnoses.push_back(Diagnosis::ofTool(
      Severity::Warning, Asked.ShownPath + ": the errors are those of its instrumented text"));
}

std::string Outcome::messages() const {
  std::string Result;
  for (const Diagnosis &Each : Diagnoses)
    Result += Each.Printed;
  return Result;
}

Outcome instrument(const Request &Asked, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  Outcome Result;
  Reporter Reports(Asked.Strict, Asked.Colors);
  auto Manager =
      llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), withJoinedLaunchBrackets(Files));
  tooling::ToolInvocation Invocation(
      Asked.Command, std::make_unique<Action>(Asked, *Files, Reports, Result), Manager.get());
  Invocation.setDiagnosticConsumer(&Reports);
  Invocation.run();
  Result.Done = Result.Done && !Reports.failed();
  Result.Diagnoses = Reports.take();
  Result.Warnings = Reports.warnings();
  Result.ParseErrors = Reports.parseErrors();
  if (Asked.Verify && Result.Done && (Result.Changed || !Result.Headers.empty()))
    verify(Asked, Result, Reports.rejected(), std::move(Files));
  return Result;
}

} // namespace graphprof::instrument
