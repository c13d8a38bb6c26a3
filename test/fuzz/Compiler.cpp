// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Compiler.h"

#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace graphprof::fuzz {
namespace {

constexpr llvm::StringLiteral Precompiled = "/headers.pch";
constexpr llvm::StringLiteral All = "/headers.h";

std::shared_ptr<CompilerInvocation> makeCommand(Compiler::Side Compiled, const HeaderFiles &Files) {
  const bool Device = Compiled == Compiler::Side::Device;
  std::vector<const char *> Words{"clang++",
                                  "-x",
                                  "cuda",
                                  "-fsyntax-only",
                                  "-w",
                                  "-std=c++20",
                                  "-ferror-limit=0",
                                  Device ? "--cuda-device-only" : "--cuda-host-only",
                                  "-nocudainc",
                                  "-nocudalib",
                                  "--cuda-path=/nonexistent",
                                  "-nostdinc",
                                  "-D__CUDACC__=1",
                                  "-Xclang",
                                  "-target-sdk-version=12.9",
                                  "-isystem/cuda",
                                  "-isystem/std",
                                  "-I/include"};
  if (Device)
    Words.push_back("--cuda-gpu-arch=sm_90");
  Words.push_back(CasePath.data());
  CreateInvocationOptions Options;
  Options.VFS = Files.with("");
  std::shared_ptr<CompilerInvocation> Command = createInvocation(Words, std::move(Options));
  if (!Command)
    llvm::report_fatal_error("clang refuses the command of the fuzzer");
  return Command;
}

class Listener : public TextDiagnosticPrinter {
public:
  Listener(llvm::raw_ostream &Into, DiagnosticOptions &Style, Compiler::Errors &Found)
      : TextDiagnosticPrinter(Into, Style), Found(Found) {}

  void HandleDiagnostic(DiagnosticsEngine::Level Level, const Diagnostic &Info) override {
    TextDiagnosticPrinter::HandleDiagnostic(Level, Info);
    if (!Info.hasSourceManager() || Info.getLocation().isInvalid())
      return;
    // If the case causes an error in a header, notes lead to the case.
    if (Level >= DiagnosticsEngine::Error)
      HasPlace = false;
    else if (Level != DiagnosticsEngine::Note || HasPlace)
      return;
    const SourceManager &Sources = Info.getSourceManager();
    SourceLocation Written = Sources.getSpellingLoc(Info.getLocation());
    if (!Sources.isWrittenInMainFile(Written))
      Written = Sources.getFileLoc(Info.getLocation());
    HasPlace = Sources.isWrittenInMainFile(Written);
    if (HasPlace)
      Found.Places.push_back(Sources.getFileOffset(Written));
  }

private:
  Compiler::Errors &Found;
  bool HasPlace = true; ///< the error that came last
};

/// Returns clang's errors while it runs an action.
Compiler::Errors run(FrontendAction &Do, std::shared_ptr<CompilerInvocation> Command,
                     llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  Compiler::Errors Found;
  llvm::raw_string_ostream Into(Found.Said);
  DiagnosticOptions Style;
  Listener Hears(Into, Style, Found);
  CompilerInstance Instance(std::move(Command));
  Instance.setVirtualFileSystem(std::move(Files));
  Instance.setVerboseOutputStream(llvm::nulls());
  Instance.createDiagnostics(&Hears, /*ShouldOwnClient=*/false);
  if (!Instance.ExecuteAction(Do) && Found.Said.empty())
    Found.Said = "clang failed and did not say why";
  return Found;
}

} // namespace

Compiler::Compiler(Side Compiled, const HeaderFiles &Project)
    : Command(makeCommand(Compiled, Project)) {
  llvm::SmallString<128> Path;
  if (llvm::sys::fs::createTemporaryFile("graphprof-fuzz", "pch", Path))
    llvm::report_fatal_error("no temporary file can be made");
  auto Making = std::make_shared<CompilerInvocation>(*Command);
  Making->getFrontendOpts().OutputFile = Path.str().str();
  Making->getFrontendOpts().Inputs = {
      FrontendInputFile(All, InputKind(Language::CUDA).getHeader())};
  HeaderFiles Sources;
  Sources.addAll(Project);
  Sources.addFile(All, "#include <cuda_runtime.h>\n"
                       "#include <coroutine>\n"
                       "#include <graphprof/cuda.h>\n");
  Files.addAll(Sources);
  GeneratePCHAction Generate;
  const std::string Said = run(Generate, Making, Sources.with("")).Said;
  if (!Said.empty())
    llvm::report_fatal_error(
        llvm::Twine("the headers do not compile; test/fuzz/headers may lack something: ") + Said);
  const auto Made = llvm::MemoryBuffer::getFile(Path);
  if (!Made)
    llvm::report_fatal_error("the precompiled header cannot be read");
  Files.addFile(Precompiled, (*Made)->getBuffer());
  (void)llvm::sys::fs::remove(Path);
  Command->getPreprocessorOpts().ImplicitPCHInclude = Precompiled.str();
}

Compiler::Errors Compiler::errors(llvm::StringRef Text) const {
  SyntaxOnlyAction Check;
  return run(Check, std::make_shared<CompilerInvocation>(*Command), Files.with(Text));
}

} // namespace graphprof::fuzz
