// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/LaunchCalls.h"

#include "record/FunctionTracker.h"
#include "record/StreamUses.h"

#include "clang/AST/ASTContext.h"
#include "clang/Analysis/Analyses/ExprMutationAnalyzer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// The parameters of a function that launches kernels.
struct LaunchFunction {
  llvm::StringLiteral Name;
  unsigned Kernel;
  unsigned Stream;
  llvm::StringLiteral Member; ///< of a configuration passed by address
};
constexpr LaunchFunction LaunchFunctions[] = {
    {"cudaLaunchKernel", 0, 5, ""},
    {"cudaLaunchCooperativeKernel", 0, 5, ""},
    {"cudaLaunchKernelExC", 1, 0, "stream"},
    {"cudaLaunchKernelEx", 1, 0, "stream"},
    {"cuLaunchKernel", 0, 8, ""},
    {"cuLaunchCooperativeKernel", 0, 8, ""},
    {"cuLaunchKernelEx", 1, 0, "hStream"},
};

/// Undoes the renaming of CUDA's headers for per-thread default streams.
llvm::StringRef plainName(const FunctionDecl *Function) {
  llvm::StringRef Name = Function->getName();
  Name.consume_back("_ptsz") || Name.consume_back("_ptds");
  return Name;
}

/// Whether CUDA's headers declare a host function (their C++ overloads are inline functions).
bool isCudas(const FunctionDecl *Function, const SourceManager &Sources) {
  if (!Function->getIdentifier() ||
      !Function->getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      (isWritten<CUDADeviceAttr>(Function) && !isWritten<CUDAHostAttr>(Function)))
    return false;
  const llvm::StringRef File = llvm::sys::path::filename(
      Sources.getFilename(Sources.getExpansionLoc(Function->getLocation())));
  return Function->isExternC() || File.starts_with("cuda_runtime");
}

bool hasCudasName(const FunctionDecl *Function) {
  const llvm::StringRef Name = plainName(Function);
  return Name.starts_with("cuda") ||
         (Name.starts_with("cu") && Name.size() > 2 && llvm::isUpper(Name[2]));
}

/// The functions that a call may refer to.
llvm::SmallVector<const FunctionDecl *, 1> calleesOf(const CallExpr *Call) {
  if (const FunctionDecl *Callee = Call->getDirectCallee())
    return {Callee};
  llvm::SmallVector<const FunctionDecl *, 1> Result;
  if (const auto *Name = dyn_cast<UnresolvedLookupExpr>(Call->getCallee()->IgnoreParenImpCasts()))
    for (const NamedDecl *Candidate : Name->decls())
      if (const FunctionDecl *Function = Candidate->getUnderlyingDecl()->getAsFunction())
        Result.push_back(Function);
  return Result;
}

/// Template arguments as written, on one line; empty if a macro's body spells them.
std::string written(SourceLocation Less, SourceLocation Greater, const SourceManager &Sources) {
  const auto [File, Begin] = Sources.getDecomposedLoc(Sources.getFileLoc(Less));
  const auto [EndFile, End] = Sources.getDecomposedLoc(Sources.getFileLoc(Greater));
  const llvm::StringRef Buffer = Sources.getBufferData(File);
  if (File != EndFile || Begin >= End || Buffer[Begin] != '<' || Buffer[End] != '>')
    return {};
  const llvm::StringRef Text = Buffer.slice(Begin, End + 1);
  if (Text.contains("//") || Text.contains("/*") || Text.contains('#'))
    return {};
  llvm::SmallVector<llvm::StringRef> Words;
  llvm::SplitString(Text, Words, " \t\r\n\\");
  return llvm::join(Words, " ");
}

/// Follows at most `Variables` variables from the launch to the kernel, because constants may be
/// defined by each other.
KernelName nameOf(const Expr *Kernel, const SourceManager &Sources, unsigned Variables) {
  for (const Expr *Before = nullptr; Before != Kernel;) {
    Before = Kernel;
    Kernel = Kernel->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(Kernel);
        Address && (Address->getOpcode() == UO_AddrOf || Address->getOpcode() == UO_Deref))
      Kernel = Address->getSubExpr();
  }
  KernelName Result;
  Result.Written = Kernel;
  std::string Arguments;
  if (const auto *Name = dyn_cast<DeclRefExpr>(Kernel)) {
    Result.Shown = Name->getDecl()->getNameAsString();
    Result.Qualified = Name->getDecl()->getQualifiedNameAsString();
    if (const auto *Function = dyn_cast<FunctionDecl>(Name->getDecl()))
      Result.Functions.push_back(Function);
    const auto *Variable = dyn_cast<VarDecl>(Name->getDecl());
    if (const Expr *Value = Variable && Variables > 0 ? lastingValue(Variable) : nullptr) {
      KernelName Held = nameOf(Value, Sources, Variables - 1);
      if (!Held.Functions.empty())
        Result.Qualified = std::move(Held.Qualified);
      Result.Functions = std::move(Held.Functions);
    }
    if (Name->hasExplicitTemplateArgs())
      Arguments = written(Name->getLAngleLoc(), Name->getRAngleLoc(), Sources);
  } else if (const auto *Name = dyn_cast<OverloadExpr>(Kernel)) {
    Result.Shown = Name->getName().getAsString();
    for (const NamedDecl *Candidate : Name->decls())
      if (const FunctionDecl *Function = Candidate->getUnderlyingDecl()->getAsFunction())
        Result.Functions.push_back(Function);
    if (!Result.Functions.empty())
      Result.Qualified = Result.Functions.front()->getQualifiedNameAsString();
    if (Name->hasExplicitTemplateArgs())
      Arguments = written(Name->getLAngleLoc(), Name->getRAngleLoc(), Sources);
  } else if (const auto *Name = dyn_cast<DependentScopeDeclRefExpr>(Kernel)) {
    Result.Shown = Name->getDeclName().getAsString();
    if (Name->hasExplicitTemplateArgs())
      Arguments = written(Name->getLAngleLoc(), Name->getRAngleLoc(), Sources);
  } else if (const auto *Member = dyn_cast<MemberExpr>(Kernel)) {
    Result.Shown = Member->getMemberDecl()->getNameAsString();
    Result.Qualified = Member->getMemberDecl()->getQualifiedNameAsString();
    if (const auto *Function = dyn_cast<FunctionDecl>(Member->getMemberDecl()))
      Result.Functions.push_back(Function);
  } else if (const auto *Member = dyn_cast<CXXDependentScopeMemberExpr>(Kernel)) {
    Result.Shown = Member->getMember().getAsString();
  }
  Result.Shown += Arguments;
  if (Result.Qualified.empty())
    Result.Qualified = Result.Shown;
  return Result;
}

} // namespace

std::optional<LaunchCall> asLaunch(const CallExpr *Call, const SourceManager &Sources) {
  if (const auto *Chevrons = dyn_cast<CUDAKernelCallExpr>(Call)) {
    const CallExpr *Configuration = Chevrons->getConfig();
    if (!Configuration)
      return std::nullopt;
    // In a template, omitted arguments are not filled in yet.
    const bool Named = Configuration->getNumArgs() > 3;
    return LaunchCall{Chevrons->getCallee(), Named ? Configuration->getArg(3) : nullptr, ""};
  }
  for (const FunctionDecl *Callee : calleesOf(Call)) {
    if (!isCudas(Callee, Sources))
      continue;
    for (const LaunchFunction &Each : LaunchFunctions)
      if (plainName(Callee) == Each.Name && Each.Kernel < Call->getNumArgs()) {
        const bool Named = Each.Stream < Call->getNumArgs();
        return LaunchCall{Call->getArg(Each.Kernel), Named ? Call->getArg(Each.Stream) : nullptr,
                          Each.Member};
      }
  }
  return std::nullopt;
}

bool callsCuda(const CallExpr *Call, const SourceManager &Sources) {
  return llvm::any_of(calleesOf(Call), [&](const FunctionDecl *Callee) {
    return isCudas(Callee, Sources) && hasCudasName(Callee);
  });
}

bool givesWork(const CallExpr *Call, const SourceManager &Sources) {
  return llvm::any_of(calleesOf(Call), [&](const FunctionDecl *Callee) {
    if (!isCudas(Callee, Sources) || !hasCudasName(Callee))
      return false;
    // Functions about the stream itself give it no work.
    const llvm::StringRef Name = plainName(Callee);
    return !Name.starts_with("cudaStream") && !Name.starts_with("cuStream") &&
           llvm::any_of(Callee->parameters(),
                        [](const ParmVarDecl *Each) { return isStream(Each->getType()); });
  });
}

const Expr *lastingValue(const VarDecl *Variable) {
  const Expr *Value = isa<ParmVarDecl>(Variable) ? nullptr : Variable->getAnyInitializer();
  if (!Value || Variable->getType().isConstQualified() || Variable->getType()->isReferenceType())
    return Value;
  const auto *Function = dyn_cast<FunctionDecl>(Variable->getDeclContext());
  const Stmt *Body = Function ? Function->getBody() : nullptr;
  const bool Changes = !Body || Variable->isStaticLocal() ||
                       ExprMutationAnalyzer(*Body, Variable->getASTContext()).isMutated(Variable);
  return Changes ? nullptr : Value;
}

KernelName kernelName(const Expr *Kernel, const SourceManager &Sources) {
  constexpr unsigned VariablesBetween = 4;
  return nameOf(Kernel, Sources, VariablesBetween);
}

} // namespace graphprof::instrument
