// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/DeviceFunctions.h"

#include "record/FunctionTracker.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// What in a kernel's body a second body would have for itself.
class OwnState : public RecursiveASTVisitor<OwnState> {
public:
  bool VisitVarDecl(VarDecl *Variable) {
    if (Variable->isStaticLocal() && !Variable->hasAttr<CUDASharedAttr>() &&
        !Variable->isConstexpr() && !Variable->getType().isConstQualified())
      Name = Variable->getNameAsString();
    return Name.empty();
  }
  std::string Name;
};

class KernelFinder : public RecursiveASTVisitor<KernelFinder> {
public:
  explicit KernelFinder(Unit &Parsed) : Parsed(Parsed) {}

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (isWritten<CUDAGlobalAttr>(Function) && Function->doesThisDeclarationHaveABody() &&
        !Function->isImplicit())
      if (Unit::File *const In = Parsed.fileAt(Function->getLocation()))
        add(*In, Function);
    return true;
  }

private:
  static void add(Unit::File &In, const FunctionDecl *Function);
  static std::string obstacle(const FunctionDecl *Function);

  Unit &Parsed;
};

bool hasAnnotationIn(const Facts &Known, TextRange Body) {
  for (size_t I = 0; I < Known.Annotations.size(); ++I)
    if (Known.Annotations[I].Kind == AnnotationKind::Time &&
        Body.contains(Known.Annotations[I].At) && Known.Constructs[I].InKernel)
      return true;
  return false;
}

void KernelFinder::add(Unit::File &In, const FunctionDecl *Function) {
  const SourceText &Source = In.Source;
  const auto First = Source.indexOf(Function->getBeginLoc());
  const auto Named = Source.indexOf(Function->getLocation());
  const auto Open = Source.indexOf(Function->getBody()->getBeginLoc());
  const auto Last = Source.indexOf(Function->getBody()->getEndLoc());
  DeviceFunction Result;
  Result.Spelled = Function->getNameAsString();
  const auto Text = First && Named && Open && Last ? Source.spelled(*First, *Last) : std::nullopt;
  if (!Text) {
    // Where it is said, the body serves: annotations in it are in this file, or in a macro.
    Result.Text = {Source.offsetOf(Function->getBeginLoc()),
                   Source.offsetOf(Function->getBody()->getEndLoc()) + 1};
    Result.Obstacle = "it begins or ends inside a macro's expansion";
    if (hasAnnotationIn(In.Known, Result.Text))
      In.Known.Kernels.push_back(std::move(Result));
    return;
  }
  Result.Text = Text->Range;
  if (!hasAnnotationIn(In.Known, Result.Text))
    return;
  Result.FirstLine = Source.lineOf(Function->getBeginLoc());
  Result.LastLine = Source.lineOf(Function->getBody()->getEndLoc());
  Result.Obstacle = obstacle(Function);
  const auto Name = Source.spelled(*Named, *Named);
  const auto Parenthesis = Source.spelled(*Named + 1, *Named + 1);
  const auto Brace = Source.spelled(*Open, *Open);
  if (!Name || Name->OneLine != Result.Spelled || !Parenthesis || Parenthesis->OneLine != "(" ||
      !Brace || Brace->OneLine != "{") {
    if (Result.Obstacle.empty())
      Result.Obstacle = "a macro spells its name, its parameters or its braces";
  } else {
    Result.Name = Name->Range;
    Result.Parameters = Parenthesis->Range.End;
    Result.BodyOpen = Brace->Range.End;
    Result.IsAlone = Function->param_empty();
    if (const auto Void = Source.spelled(*Named + 2, *Named + 2);
        Result.IsAlone && Void && Void->OneLine == "void")
      Result.Void = Void->Range;
  }
  In.Known.Kernels.push_back(std::move(Result));
}

std::string KernelFinder::obstacle(const FunctionDecl *Function) {
  if (Function->getDescribedFunctionTemplate() ||
      Function->getTemplateSpecializationKind() != TSK_Undeclared)
    return "it is a template";
  if (Function->isCXXClassMember())
    return "it is a member of a class";
  if (Function->getQualifier())
    return "it is defined outside its namespace";
  if (isa<CXXTryStmt>(Function->getBody()))
    return "its body is a try block";
  for (const NamedDecl *Other : Function->getDeclContext()->lookup(Function->getDeclName()))
    if (Other->getCanonicalDecl() != Function->getCanonicalDecl())
      return "its name has overloads";
  OwnState State;
  State.TraverseStmt(Function->getBody());
  if (!State.Name.empty())
    return "'" + State.Name + "' in it keeps its value between launches";
  return {};
}

} // namespace

void recordDeviceFunctions(Unit &Parsed, ASTContext &Context) {
  const auto HasSome = [](const auto &File) {
    return llvm::any_of(File->Known.Constructs,
                        [](const Construct &Each) { return Each.InKernel && !Each.IsKernel; });
  };
  if (llvm::none_of(Parsed.files(), HasSome))
    return;
  KernelFinder Finder(Parsed);
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      Finder.TraverseDecl(Top);
}

} // namespace graphprof::instrument
