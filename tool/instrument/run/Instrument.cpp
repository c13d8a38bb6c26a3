// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Instrument.h"

#include "facts/GraphFunctions.h"
#include "run/UnitConsumer.h"
#include "source/DeepStack.h"
#include "source/LaunchBrackets.h"
#include "source/Prelude.h"
#include "source/Reporter.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

class Action : public ASTFrontendAction {
public:
  Action(const Request &Asked, Bodies Read, llvm::vfs::FileSystem &Files, const HeaderFacts &Before,
         Reporter &Reports, Outcome &Result)
      : Asked(Asked), Read(Read), Files(Files), Before(Before), Reports(Reports), Result(Result) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef) override {
    return consumeUnit(Compiler, Asked, Read, Files, Before, Reports, Result);
  }

private:
  const Request &Asked;
  const Bodies Read;
  llvm::vfs::FileSystem &Files;
  const HeaderFacts &Before;
  Reporter &Reports;
  Outcome &Result;
};

} // namespace

/// Runs an action. Whatever the flags ask for, clang itself writes no file: neither diagnostics nor
/// dependencies. The compiler will.
class Parse : public tooling::FrontendActionFactory {
public:
  explicit Parse(std::unique_ptr<FrontendAction> Once, Bodies Read = Bodies::All,
                 HeaderCache *Headers = nullptr)
      : Once(std::move(Once)), Read(Read), Headers(Headers) {}

  std::unique_ptr<FrontendAction> create() override { return std::move(Once); }

  bool runInvocation(std::shared_ptr<CompilerInvocation> Invocation, FileManager *Files,
                     std::shared_ptr<PCHContainerOperations> Containers,
                     DiagnosticConsumer *Diagnostics) override {
    Invocation->getDependencyOutputOpts() = {};
    Invocation->getDiagnosticOpts().DiagnosticSerializationFile.clear();
    Invocation->getDiagnosticOpts().DiagnosticLogFile.clear();
    FrontendOptions &Frontend = Invocation->getFrontendOpts();
    Frontend.OutputFile.clear();
    Frontend.StatsFile.clear();
    Frontend.ModuleOutputPath.clear();
    Frontend.SkipFunctionBodies = Read != Bodies::All;
    if (Headers)
      Headers->use(*Invocation, *Files);
    return FrontendActionFactory::runInvocation(std::move(Invocation), Files, std::move(Containers),
                                                Diagnostics);
  }

private:
  std::unique_ptr<FrontendAction> Once;
  const Bodies Read;
  HeaderCache *Headers;
};

/// Parses the result. If clang rejects something in it but not in the source, that file fails.
static void verify(const Request &Asked, Outcome &Result, const llvm::StringSet<> &Known,
                   llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  auto Texts = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  const auto Add = [&](llvm::StringRef Path, llvm::StringRef Text) {
    llvm::SmallString<256> Whole(Path);
    (void)Files->makeAbsolute(
        Whole); // cannot fail: the unit has been parsed, so the working directory is known
    Texts->addFile(Whole, 0, llvm::MemoryBuffer::getMemBufferCopy(Text));
  };
  Add(Asked.Command.back(), Result.Source.After);
  llvm::StringSet<> Used;
  for (const GraphCall &Each : Result.Source.Made.Calls)
    Used.insert(Each.Name);
  for (const ChosenHeader &Header : Result.Headers)
    for (const GraphCall &Each : Header.Known.Calls)
      Used.insert(Each.Name);
  addStandIns(*Texts, Used);
  for (const ChosenHeader &Each : Result.Headers) {
    auto Text = applyEdits(Each.Text, Each.Made.Edits);
    if (!Text)
      llvm::consumeError(Text.takeError());
    else if (!Each.Failed)
      Add(Each.Path, Each.Made.Names.empty()
                         ? *Text
                         : addPreamble(*Text, Each.Path, RuntimeHeader::Named, Each.Made.Names));
  }
  auto Overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(Files));
  Overlay->pushOverlay(Texts);

  Reporter Reports(/*Strict=*/true, Asked.Colors);
  Reports.ignore(Known);
  auto Manager = llvm::makeIntrusiveRefCnt<FileManager>(
      FileSystemOptions(), withJoinedLaunchBrackets(std::move(Overlay)));
  Parse Again(std::make_unique<SyntaxOnlyAction>());
  tooling::ToolInvocation Invocation(Asked.Command, &Again, Manager.get(),
                                     std::make_shared<PCHContainerOperations>());
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
      Result.Source.Status = FileStatus::Failed;
    Result.Source.Diagnoses.push_back(std::move(Each));
  }
  Result.Source.Diagnoses.push_back(Diagnosis::ofTool(
      Severity::Warning, Asked.ShownPath + ": the errors are those of its instrumented text"));
}

/// Whether a source that could not be parsed, or a project header that was read for it, names
/// functions that change graphs.
static bool mentionsChange(const Outcome &Result, llvm::StringRef Source,
                           llvm::vfs::FileSystem &Files) {
  const auto Mentions = [&](const llvm::Twine &Path) {
    const auto Text = Files.getBufferForFile(Path);
    return Text && !mentionedChange((*Text)->getBuffer()).empty();
  };
  const auto IsCudas = [&](llvm::StringRef Path) {
    // Headers that declare CUDA's functions name them all, and so do graphprof's headers.
    const llvm::StringRef Directory = llvm::sys::path::parent_path(Path);
    return Files.exists(Directory + "/cuda_runtime_api.h") ||
           Files.exists(Directory + "/crt/host_defines.h") ||
           llvm::sys::path::filename(Directory) == "graphprof";
  };
  return Mentions(Source) || llvm::any_of(Result.Includes.Files, [&](const auto &Each) {
           return !IsCudas(Each.getKey()) && Mentions(Each.getKey());
         });
}

std::string Outcome::messages() const {
  std::string Result;
  for (const Diagnosis &Each : Source.Diagnoses)
    Result += Each.Printed;
  return Result;
}

static Outcome instrumentHere(const Request &Asked,
                              llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files,
                              const HeaderCacheSettings &Kept, Bodies Read) {
  Outcome Result;
  Reporter Reports(Asked.Strict, Asked.Colors);
  HeaderCache Headers(Kept);
  auto Manager = llvm::makeIntrusiveRefCnt<FileManager>(
      FileSystemOptions(), Headers.withHeader(withJoinedLaunchBrackets(Files)));
  Parse Once(std::make_unique<Action>(Asked, Read, *Files, Headers.facts(), Reports, Result), Read,
             &Headers);
  tooling::ToolInvocation Invocation(Asked.Command, &Once, Manager.get(),
                                     std::make_shared<PCHContainerOperations>());
  Invocation.setDiagnosticConsumer(&Reports);
  Invocation.run();
  FileResult &Source = Result.Source;
  Source.Headed = Headers.used();
  Source.Diagnoses = Reports.take();
  Source.Warnings = Reports.warnings();
  Source.ParseErrors = Reports.parseErrors();
  Result.Rejected = Reports.failed() || Reports.parseErrors() > 0;
  Result.Read.add(*Manager);
  if (Reports.failed()) {
    Source.Status = FileStatus::Failed;
    Source.ChangesGraphs |= mentionsChange(Result, Asked.Command.back(), *Files);
  }
  if (Asked.Verify && Source.Status == FileStatus::Instrumented &&
      (Source.changed() || !Result.Headers.empty()))
    verify(Asked, Result, Reports.rejected(), std::move(Files));
  return Result;
}

Outcome instrument(const Request &Asked, llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  Outcome Result;
  const auto Run = [&](const HeaderCacheSettings &Kept, Bodies Read) {
    return runOnDeepStack([&] { Result = instrumentHere(Asked, Files, Kept, Read); });
  };
  bool Ran = Run(Asked.Kept, Bodies::OfProject);
  if (Ran && Result.NeedsAllBodies)
    Ran = Run(Asked.Kept, Bodies::All);
  if (Ran && !Result.Rejected)
    return Result;
  // Whatever goes wrong with what was left out, the user sees what happens without that.
  HeaderUse Headed = Ran ? std::move(Result.Source.Headed) : HeaderUse();
  if (Run({}, Bodies::All)) {
    if (Headed.Came != HeaderUse::How::Parsed || (!Ran && !Asked.Kept.Folder.empty()))
      Headed = {HeaderUse::How::Parsed, "clang rejects something in the source"};
    Result.Source.Headed = std::move(Headed);
    return Result;
  }
  Outcome Crashed;
  Crashed.Source.fail(Asked.ShownPath + ": clang crashed on this source; it may nest too deeply");
  Crashed.Source.ChangesGraphs = mentionsChange(Crashed, Asked.Command.back(), *Files);
  return Crashed;
}

} // namespace graphprof::instrument
