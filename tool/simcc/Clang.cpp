// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Clang.h"

#include "source/DeepStack.h"
#include "source/LaunchBrackets.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/FrontendTool/Utils.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>

using namespace clang;

namespace graphprof::simcc {
namespace {

void initializeTarget() {
  static const bool Done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)Done;
}

/// Makes the device's variables the host's. For the host alone clang leaves their values out, which
/// are in the device's code.
class HostVariables : public ASTConsumer {
public:
  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    for (Decl *Each : Group)
      visit(Each);
    return true;
  }

private:
  static void visit(Decl *Given) {
    if (auto *Variable = dyn_cast<VarDecl>(Given)) {
      Variable->dropAttrs<CUDADeviceAttr, CUDAConstantAttr>();
    } else if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(Given)) {
      for (Decl *Inner : cast<DeclContext>(Given)->decls())
        visit(Inner);
    }
  }
};

class EmitObject : public EmitObjAction {
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &Clang,
                                                 llvm::StringRef File) override {
    auto Emitting = EmitObjAction::CreateASTConsumer(Clang, File);
    if (!Emitting || !Clang.getLangOpts().CUDA)
      return Emitting;
    std::vector<std::unique_ptr<ASTConsumer>> Both;
    Both.push_back(std::make_unique<HostVariables>());
    Both.push_back(std::move(Emitting));
    return std::make_unique<MultiplexConsumer>(std::move(Both));
  }
};

/// What `clang -cc1` does, on files with launches as clang reads them.
bool compile(const llvm::opt::ArgStringList &Words) {
  const auto Files = instrument::withLaunchesForClang(llvm::vfs::createPhysicalFileSystem());
  DiagnosticOptions Options;
  DiagnosticsEngine Early(DiagnosticIDs::create(), Options,
                          new TextDiagnosticPrinter(llvm::errs(), Options));
  auto Invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(*Invocation, llvm::ArrayRef(Words).drop_front(), Early))
    return false;
  CompilerInstance Clang(std::move(Invocation));
  Clang.createVirtualFileSystem(Files);
  Clang.createDiagnostics();
  if (Clang.getFrontendOpts().ProgramAction != frontend::EmitObj)
    return ExecuteCompilerInvocation(&Clang);
  EmitObject Action;
  return Clang.ExecuteAction(Action);
}

} // namespace

int runClang(const std::vector<std::string> &Command) {
  initializeTarget();
  DiagnosticOptions Options;
  DiagnosticsEngine Diagnostics(DiagnosticIDs::create(), Options,
                                new TextDiagnosticPrinter(llvm::errs(), Options));
  driver::Driver Driver(Command[0], llvm::sys::getDefaultTargetTriple(), Diagnostics);
  // As the program clang does: graphprof-cc asks so what was read.
  if (const char *const Headers = std::getenv("CC_PRINT_HEADERS_FILE");
      Headers && std::getenv("CC_PRINT_HEADERS")) {
    Driver.CCPrintHeadersFormat = HIFMT_Textual;
    Driver.CCPrintHeadersFilename = Headers;
  }
  llvm::SmallVector<const char *> Words;
  for (const std::string &Word : Command)
    Words.push_back(Word.c_str());
  // CMake writes the words of a link into files.
  llvm::BumpPtrAllocator Allocator;
  if (llvm::Error Problem = driver::expandResponseFiles(Words, /*ClangCLMode=*/false, Allocator)) {
    llvm::errs() << "error: " << llvm::toString(std::move(Problem)) << "\n";
    return 1;
  }
  const std::unique_ptr<driver::Compilation> Compilation(Driver.BuildCompilation(Words));
  if (!Compilation || Compilation->containsError() || Diagnostics.hasErrorOccurred())
    return 1;
  for (const driver::Command &Job : Compilation->getJobs()) {
    const llvm::opt::ArgStringList &Given = Job.getArguments();
    if (Given.empty() || llvm::StringRef(Given[0]) != "-cc1") { // a linker
      const driver::Command *Failed = nullptr;
      if (const int Status = Compilation->ExecuteCommand(Job, Failed))
        return Status < 0 ? 1 : Status;
      continue;
    }
    bool Good = false;
    if (!instrument::runOnDeepStack([&] { Good = compile(Given); })) {
      llvm::errs() << "error: clang crashed on this source; compile it without the simulation\n";
      return 1;
    }
    if (!Good)
      return 1;
  }
  return 0;
}

} // namespace graphprof::simcc
