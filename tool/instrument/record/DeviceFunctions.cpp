// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/DeviceFunctions.h"

#include "record/FunctionTracker.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

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

/// Whether a type can be written at the end of a source.
bool canBeWritten(QualType Type);

bool canBeWritten(const TemplateArgument &Argument) {
  switch (Argument.getKind()) {
  case TemplateArgument::Type:
    return canBeWritten(Argument.getAsType());
  case TemplateArgument::Integral:
    return canBeWritten(Argument.getIntegralType());
  case TemplateArgument::Pack:
    return llvm::all_of(Argument.pack_elements(),
                        [](const TemplateArgument &Each) { return canBeWritten(Each); });
  default:
    return false;
  }
}

/// Looks at what a type is made of. Local types, those without a name and private ones cannot be
/// written again.
class TypeNames : public RecursiveASTVisitor<TypeNames> {
public:
  bool VisitTagType(TagType *Type) {
    const TagDecl *Tag = Type->getDecl();
    Known &= Tag->getIdentifier() && !Tag->getParentFunctionOrMethod();
    for (const Decl *Each = Tag; Each && isa<TagDecl>(Each);
         Each = dyn_cast<Decl>(Each->getDeclContext()))
      Known &= Each->getAccess() == AS_public || Each->getAccess() == AS_none;
    if (const auto *Of = dyn_cast<ClassTemplateSpecializationDecl>(Tag))
      Known &= llvm::all_of(Of->getTemplateArgs().asArray(),
                            [](const TemplateArgument &Each) { return canBeWritten(Each); });
    return Known;
  }
  bool Known = true;
};

bool canBeWritten(QualType Type) {
  TypeNames Names;
  Names.TraverseType(Type.getCanonicalType());
  return Names.Known;
}

/// As at the end of a source, outside all namespaces.
PrintingPolicy policyAtEnd(const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressUnwrittenScope = true;
  Policy.FullyQualifiedName = true;
  Policy.PrintAsCanonical = true;
  return Policy;
}

void print(llvm::raw_ostream &Out, llvm::ArrayRef<TemplateArgument> Arguments,
           const PrintingPolicy &Policy, bool &IsFirst) {
  for (const TemplateArgument &Each : Arguments) {
    if (Each.getKind() == TemplateArgument::Pack) {
      print(Out, Each.pack_elements(), Policy, IsFirst);
      continue;
    }
    Out << (std::exchange(IsFirst, false) ? "" : ", ");
    Each.print(Policy, Out, /*IncludeType=*/false);
  }
}

/// Fills in which kernels the source makes of a template. Returns why one of them can have no twin;
/// empty if all can.
std::string addInstances(const FunctionTemplateDecl *Template, DeviceFunction &Into) {
  const PrintingPolicy Policy = policyAtEnd(Template->getASTContext());
  for (const FunctionDecl *Each : Template->specializations()) {
    if (Each->getTemplateSpecializationKind() == TSK_ExplicitSpecialization || !Each->isDefined() ||
        !Each->isReferenced())
      continue;
    const llvm::ArrayRef<TemplateArgument> Arguments =
        Each->getTemplateSpecializationArgs()->asArray();
    if (!llvm::all_of(Arguments, [](const TemplateArgument &One) { return canBeWritten(One); }))
      return "it is a template, and an argument of it cannot be written behind it: a local type, "
             "one without a name, a private one, or an object";
    std::string Text;
    llvm::raw_string_ostream Out(Text);
    bool IsFirst = true;
    Out << '<';
    print(Out, Arguments, Policy, IsFirst);
    Out << '>';
    Into.Instances.push_back(std::move(Text));
  }
  llvm::sort(Into.Instances);
  if (Into.Instances.empty())
    return "it is a template of which this source makes no kernel";
  std::string Name;
  llvm::raw_string_ostream Out(Name);
  Template->getTemplatedDecl()->printQualifiedName(Out, Policy);
  Into.Namespaces = Name.substr(0, Name.size() - Into.Spelled.size());
  return {};
}

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
  void add(Unit::File &In, const FunctionDecl *Function);
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
  const FunctionTemplateDecl *const Template = Function->getDescribedFunctionTemplate();
  const SourceLocation Begin = Template ? Template->getBeginLoc() : Function->getBeginLoc();
  const auto First = Source.indexOf(Begin);
  const auto Named = Source.indexOf(Function->getLocation());
  const auto Open = Source.indexOf(Function->getBody()->getBeginLoc());
  const auto Last = Source.indexOf(Function->getBody()->getEndLoc());
  DeviceFunction Result;
  Result.Spelled = Function->getNameAsString();
  const auto Text = First && Named && Open && Last ? Source.spelled(*First, *Last) : std::nullopt;
  if (!Text) {
    // Where it is said, the body serves: annotations in it are in this file, or in a macro.
    Result.Text = {Source.offsetOf(Begin), Source.offsetOf(Function->getBody()->getEndLoc()) + 1};
    Result.Obstacle = "it begins or ends inside a macro's expansion";
    if (hasAnnotationIn(In.Known, Result.Text))
      In.Known.Kernels.push_back(std::move(Result));
    return;
  }
  Result.Text = Text->Range;
  if (!hasAnnotationIn(In.Known, Result.Text))
    return;
  Result.FirstLine = Source.lineOf(Begin);
  Result.LastLine = Source.lineOf(Function->getBody()->getEndLoc());
  Result.Obstacle = obstacle(Function);
  Result.IsTemplate = Template != nullptr;
  if (Template && Result.Obstacle.empty())
    Result.Obstacle =
        &In == &Parsed.source() ? addInstances(Template, Result) : "it is a template in a header";
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
  const FunctionTemplateDecl *const Template = Function->getDescribedFunctionTemplate();
  if (!Template && Function->getTemplateSpecializationKind() != TSK_Undeclared)
    return "it is a specialization of a template";
  if (Function->isCXXClassMember())
    return "it is a member of a class";
  if (Function->getQualifier())
    return "it is defined outside its namespace";
  if (isa<CXXTryStmt>(Function->getBody()))
    return "its body is a try block";
  for (const NamedDecl *Other : Function->getDeclContext()->lookup(Function->getDeclName()))
    if (Other->getCanonicalDecl() !=
        (Template ? static_cast<const NamedDecl *>(Template->getCanonicalDecl())
                  : Function->getCanonicalDecl()))
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
