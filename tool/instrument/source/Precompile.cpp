// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/Precompile.h"

#include "facts/GraphFunctions.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace graphprof::instrument {

namespace path = llvm::sys::path;

namespace {

/// Where the headers are that are no files.
constexpr llvm::StringLiteral InMemory = "/graphprof-instrument/";

class IncludeWatcher : public PPCallbacks {
public:
  IncludeWatcher(const SourceManager &Sources, std::vector<HeaderFacts::Include> &Into)
      : Sources(Sources), Into(Into) {}

  void InclusionDirective(SourceLocation Hash, const Token &, llvm::StringRef Name, bool IsAngled,
                          CharSourceRange, OptionalFileEntryRef Found, llvm::StringRef SearchPath,
                          llvm::StringRef, const clang::Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    if (!Found || path::is_absolute(Name))
      return;
    const OptionalFileEntryRef By = Sources.getFileEntryRefForID(Sources.getFileID(Hash));
    const bool Beside = !IsAngled && By && By->getDir().getName() == SearchPath;
    if (!Beside && Seen.insert((Name + (IsAngled ? ">" : "\"") + Found->getName()).str()).second)
      Into.push_back({Name.str(), Found->getName().str(), IsAngled});
  }

private:
  const SourceManager &Sources;
  std::vector<HeaderFacts::Include> &Into;
  llvm::StringSet<> Seen;
};

class FirstError : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    if (Level < DiagnosticsEngine::Error || !Message.empty())
      return;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    Message = Text.str();
  }
  std::string Message;
};

/// Leaves out which of the headers' functions have to be looked at when a unit ends: for a warning
/// if nothing uses them, and for errors that depend on which side they are compiled for. Their
/// bodies would be read for each source, which takes longer than to parse a small one.
class ChecksDropper : public ASTConsumer {
public:
  explicit ChecksDropper(CompilerInstance &Compiler) : Compiler(Compiler) {}

  void HandleTranslationUnit(ASTContext &) override {
    Sema &Checks = Compiler.getSema();
    Checks.UnusedFileScopedDecls = {};
    Checks.DeclsToCheckForDeferredDiags.clear();
  }

private:
  CompilerInstance &Compiler;
};

/// Parses the headers, and writes the precompiled header.
class Precompile final : public GeneratePCHAction {
public:
  Precompiled Made;

private:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Compiler,
                                                 llvm::StringRef File) override {
    Compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<IncludeWatcher>(Compiler.getSourceManager(), Made.Facts.Includes));
    auto Writer = GeneratePCHAction::CreateASTConsumer(Compiler, File);
    if (!Writer)
      return nullptr;
    std::vector<std::unique_ptr<ASTConsumer>> InOrder;
    InOrder.push_back(std::make_unique<ChecksDropper>(Compiler));
    InOrder.push_back(std::move(Writer));
    return std::make_unique<MultiplexConsumer>(std::move(InOrder));
  }

  void EndSourceFileAction() override {
    const SourceManager &Sources = getCompilerInstance().getSourceManager();
    llvm::StringSet<> Seen;
    for (unsigned I = 1; I < Sources.local_sloc_entry_size(); ++I) {
      const SrcMgr::SLocEntry &Entry = Sources.getLocalSLocEntry(I);
      if (!Entry.isFile())
        continue;
      const FileID Id = Sources.getFileID(SourceLocation::getFromRawEncoding(Entry.getOffset()));
      const OptionalFileEntryRef File = Sources.getFileEntryRefForID(Id);
      if (!File || File->getName().starts_with(InMemory) || !Seen.insert(File->getName()).second)
        continue;
      add(*File, SrcMgr::isSystem(Entry.getFile().getFileCharacteristic()));
      if (const auto Text = Sources.getBufferDataOrNone(Id);
          Text && !mentionedChange(*Text).empty())
        Made.Facts.MentionChanges.push_back(File->getName().str());
    }
    GeneratePCHAction::EndSourceFileAction();
  }

  void add(FileEntryRef File, bool IsSystems) {
    const llvm::StringRef Name = path::filename(File.getName());
    Made.Facts.DeclareRuntime |= Name == "cuda_runtime_api.h";
    Made.Facts.DeclareDriver |= Name == "cuda.h";
    const auto Now = HeaderInput::at(File.getName());
    if (!IsSystems || !path::is_absolute(File.getName()))
      Made.Why = (File.getName() + " is not the system's").str(); // recording has to see it
    else if (!Now || Now->Bytes != File.getSize() ||
             Now->ModifiedNs / 1'000'000'000 != File.getModificationTime())
      Made.Why = (File.getName() + " changes").str();
    else
      Made.Inputs.push_back(*Now);
  }
};

} // namespace

std::optional<HeaderInput> HeaderInput::at(llvm::StringRef Path) {
  llvm::sys::fs::file_status There;
  if (llvm::sys::fs::status(Path, There))
    return std::nullopt;
  return HeaderInput{Path.str(), static_cast<std::int64_t>(There.getSize()),
                     There.getLastModificationTime().time_since_epoch().count()};
}

Precompiled precompile(const CompilerInvocation &Common, const FileManager &Files,
                       const std::string &Into) {
  Precompile Action;
  auto Own = std::make_shared<CompilerInvocation>(Common);
  FrontendOptions &Frontend = Own->getFrontendOpts();
  Frontend.ProgramAction = frontend::GeneratePCH;
  Frontend.OutputFile = Into;
  Own->getLangOpts().PCHInstantiateTemplates = true;
  auto Sources = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Sources->addFile(NoSource, 0, llvm::MemoryBuffer::getMemBuffer(""));
  auto Overlay =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Files.getVirtualFileSystemPtr());
  Overlay->pushOverlay(Sources);
  FirstError Silent;
  CompilerInstance Compiler(std::move(Own));
  Compiler.setVirtualFileSystem(Overlay);
  Compiler.setFileManager(
      llvm::makeIntrusiveRefCnt<FileManager>(Files.getFileSystemOpts(), Overlay));
  Compiler.createDiagnostics(&Silent, /*ShouldOwnClient=*/false);
  Compiler.createSourceManager();
  const bool Done = Compiler.ExecuteAction(Action) && Silent.Message.empty();
  if (!Done && Action.Made.Why.empty())
    Action.Made.Why = "clang rejects the headers in front of the source: " + Silent.Message;
  return std::move(Action.Made);
}

} // namespace graphprof::instrument
