// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/DeviceFunctions.h"

#include "record/DeviceValues.h"
#include "record/FunctionTracker.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>
#include <set>
#include <string>
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

/// Whether a type or a function can be written at the end of a source.
bool canBeWritten(QualType Type);
bool canBeWritten(const FunctionDecl *Function);

bool canBeWritten(const TemplateArgument &Argument) {
  switch (Argument.getKind()) {
  case TemplateArgument::Declaration:
    return canBeWritten(dyn_cast<FunctionDecl>(Argument.getAsDecl()));
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

/// A name with overloads says a function only together with its type.
bool canBeWritten(const FunctionDecl *Function) {
  if (!Function || Function->isCXXClassMember())
    return false;
  const FunctionTemplateDecl *const Template = Function->getPrimaryTemplate();
  const NamedDecl *const Named = Template ? static_cast<const NamedDecl *>(Template) : Function;
  for (const NamedDecl *Other : Named->getDeclContext()->lookup(Named->getDeclName()))
    if (Other->getCanonicalDecl() != Named->getCanonicalDecl())
      return false;
  return !Template || llvm::all_of(Function->getTemplateSpecializationArgs()->asArray(),
                                   [](const TemplateArgument &Each) { return canBeWritten(Each); });
}

/// As at the end of a source, outside all namespaces.
PrintingPolicy policyAtEnd(const ASTContext &Context) {
  PrintingPolicy Policy(Context.getLangOpts());
  Policy.SuppressUnwrittenScope = true;
  Policy.FullyQualifiedName = true;
  Policy.PrintAsCanonical = true;
  return Policy;
}

std::string printed(llvm::ArrayRef<TemplateArgument> Arguments,
                    const TemplateParameterList *Parameters, const PrintingPolicy &Policy);

/// Prints the argument for a parameter, and the type of a value where only that tells it.
void print(llvm::raw_ostream &Out, const TemplateArgument &Argument, bool IncludeType,
           const PrintingPolicy &Policy, bool &IsFirst) {
  if (Argument.getKind() == TemplateArgument::Pack) {
    for (const TemplateArgument &Each : Argument.pack_elements())
      print(Out, Each, IncludeType, Policy, IsFirst);
    return;
  }
  Out << (std::exchange(IsFirst, false) ? "" : ", ");
  if (Argument.getKind() == TemplateArgument::Declaration) {
    const auto *const Function = cast<FunctionDecl>(Argument.getAsDecl());
    Function->printQualifiedName(Out, Policy);
    if (const FunctionTemplateDecl *const Of = Function->getPrimaryTemplate())
      Out << printed(Function->getTemplateSpecializationArgs()->asArray(),
                     Of->getTemplateParameters(), Policy);
    return;
  }
  // An enumeration's value without a name is not converted from its number.
  const bool IsEnumerations = Argument.getKind() == TemplateArgument::Integral &&
                              Argument.getIntegralType()->isEnumeralType();
  Argument.print(Policy, Out, IncludeType || IsEnumerations);
}

/// The arguments of a kernel that is made of a template, as `<float, 3>`.
std::string printed(llvm::ArrayRef<TemplateArgument> Arguments,
                    const TemplateParameterList *Parameters, const PrintingPolicy &Policy) {
  std::string Text = "<";
  llvm::raw_string_ostream Out(Text);
  bool IsFirst = true;
  for (unsigned I = 0; I < Arguments.size(); ++I)
    print(Out, Arguments[I],
          TemplateParameterList::shouldIncludeTypeForArgument(Policy, Parameters, I), Policy,
          IsFirst);
  Out << '>';
  return Text;
}

/// Whether the source makes a function of a template: it uses or instantiates it. The function may
/// have no body here, because clang gives it none if a `__shared__` variable has a constructor.
bool isMadeHere(const FunctionDecl *Function) {
  const TemplateSpecializationKind Kind = Function->getTemplateSpecializationKind();
  return (Kind == TSK_ImplicitInstantiation || Kind == TSK_ExplicitInstantiationDefinition) &&
         Function->getPointOfInstantiation().isValid();
}

/// Fills in which kernels the source makes of a template, and adds them to `Made`. Returns why one
/// of them can have no twin; empty if all can.
std::string addInstances(const FunctionTemplateDecl *Template, DeviceFunction &Into,
                         std::vector<MadeFunction> &Made) {
  const PrintingPolicy Policy = policyAtEnd(Template->getASTContext());
  for (const FunctionDecl *Each : Template->specializations()) {
    if (!isMadeHere(Each))
      continue;
    const llvm::ArrayRef<TemplateArgument> Arguments =
        Each->getTemplateSpecializationArgs()->asArray();
    if (!llvm::all_of(Arguments, [](const TemplateArgument &One) { return canBeWritten(One); }))
      return "it is a template, and an argument of it cannot be written behind it: a template, an "
             "overloaded or a member function, an object, or a type that is local, private or "
             "without a name";
    Into.Instances.push_back(printed(Arguments, Template->getTemplateParameters(), Policy));
    Made.push_back({Into.Instances.back(), Each});
  }
  llvm::sort(Into.Instances);
  if (Into.Instances.empty() && !Into.IsInHeader) // otherwise another source may
    return "it is a template of which this source makes no kernel";
  std::string Name;
  llvm::raw_string_ostream Out(Name);
  Template->getTemplatedDecl()->printQualifiedName(Out, Policy);
  Into.Namespaces = Name.substr(0, Name.size() - Into.Spelled.size());
  return {};
}

/// Finds kernels and device functions, and which of these they call.
class KernelFinder : public RecursiveASTVisitor<KernelFinder> {
public:
  explicit KernelFinder(Unit &Parsed) : Parsed(Parsed) {}

  bool VisitFunctionDecl(FunctionDecl *Function) {
    const bool IsKernel = isWritten<CUDAGlobalAttr>(Function);
    const bool IsOfDevice =
        isWritten<CUDADeviceAttr>(Function) && !isWritten<CUDAHostAttr>(Function);
    if ((IsKernel || IsOfDevice) && Function->doesThisDeclarationHaveABody() &&
        !Function->isImplicit())
      if (Unit::File *const In = Parsed.fileAt(Function->getLocation()))
        add(*In, Function, IsKernel);
    return true;
  }
  /// Adds those with annotated statements, and those that call such, to their files.
  void finish();

private:
  struct Found {
    Unit::File *In;
    const FunctionDecl *Function;
    DeviceFunction Known;
    bool IsTimed; // it has annotated statements, or calls one that does
  };

  void add(Unit::File &In, const FunctionDecl *Function, bool IsKernel);
  static std::string obstacle(const FunctionDecl *Function, bool IsKernel);
  void addCalls(Found &To) const;

  Unit &Parsed;
  std::vector<Found> All;
};

bool hasAnnotationIn(const Facts &Known, TextRange Body) {
  for (size_t I = 0; I < Known.Annotations.size(); ++I)
    if (Known.Annotations[I].Kind == AnnotationKind::Time &&
        Body.contains(Known.Annotations[I].At) &&
        (Known.Constructs[I].InKernel || Known.Constructs[I].InDeviceCode))
      return true;
  return false;
}

/// A function's name and the parenthesis before its parameters or arguments, as its definition or a
/// call spells them.
struct SpelledName {
  TextRange Name, Parenthesis;
};

/// `Last` is the last token before the parenthesis: the name, or what closes parentheses around it.
/// Nothing if a macro spells one of the two, or the token at `Index` is another one.
std::optional<SpelledName> spelledName(const SourceText &Source, std::optional<size_t> Index,
                                       std::optional<size_t> Last, llvm::StringRef Name) {
  const auto Named = Index ? Source.spelled(*Index, *Index) : std::nullopt;
  const auto Parenthesis = Last ? Source.spelled(*Last + 1, *Last + 1) : std::nullopt;
  if (!Named || Named->OneLine != Name || !Parenthesis || Parenthesis->OneLine != "(")
    return std::nullopt;
  return SpelledName{Named->Range, Parenthesis->Range};
}

/// Fills in where a twin differs from its function. Returns false if a macro spells one of these
/// places.
bool addPlaces(const SourceText &Source, const FunctionDecl *Function, DeviceFunction &Into) {
  const auto Named = Source.indexOf(Function->getLocation());
  const auto Open = Source.indexOf(Function->getBody()->getBeginLoc());
  const auto Name = spelledName(Source, Named, Named, Into.Spelled);
  const auto Brace = Open ? Source.spelled(*Open, *Open) : std::nullopt;
  if (!Named || !Name || !Brace || Brace->OneLine != "{")
    return false;
  Into.Name = Name->Name;
  Into.Parameters = Name->Parenthesis.End;
  Into.BodyOpen = Brace->Range.End;
  Into.IsAlone = Function->param_empty();
  if (const auto Void = Source.spelled(*Named + 2, *Named + 2);
      Into.IsAlone && Void && Void->OneLine == "void")
    Into.Void = Void->Range;
  return true;
}

/// Whether a function has C's linkage by an `extern "C"` directly in front of it, which is not a
/// part of it, or by an earlier declaration.
bool lacksLinkage(const FunctionDecl *Function) {
  const auto *Around = dyn_cast<LinkageSpecDecl>(Function->getLexicalDeclContext());
  return Function->isExternC() && Function->getStorageClass() == SC_None &&
         !(Around && Around->hasBraces());
}

void KernelFinder::add(Unit::File &In, const FunctionDecl *Function, bool IsKernel) {
  const SourceText &Source = In.Source;
  const FunctionTemplateDecl *const Template = Function->getDescribedFunctionTemplate();
  const SourceLocation Begin = Template ? Template->getBeginLoc() : Function->getBeginLoc();
  const SourceLocation End = Function->getBody()->getEndLoc();
  const auto First = Source.indexOf(Begin), Last = Source.indexOf(End);
  DeviceFunction Result;
  Result.IsKernel = IsKernel;
  Result.Spelled = Function->getNameAsString();
  const auto Text = First && Last && Source.indexOf(Function->getLocation()) &&
                            Source.indexOf(Function->getBody()->getBeginLoc())
                        ? Source.spelled(*First, *Last)
                        : std::nullopt;
  if (Text) {
    Result.Text = Text->Range;
    Result.FirstLine = Source.lineOf(Begin);
    Result.LastLine = Source.lineOf(End);
    Result.IsTemplate = Template != nullptr;
    Result.LacksLinkage = lacksLinkage(Function);
    Result.Obstacle = obstacle(Function, IsKernel);
    if (Result.Obstacle.empty() && Parsed.counts(In, Result.Text))
      Result.Obstacle = "a second body would change the values of __COUNTER__ behind it";
    if (!addPlaces(Source, Function, Result) && Result.Obstacle.empty())
      Result.Obstacle = "a macro spells its name, its parameters or its braces";
  } else {
    // Where it is said, the body serves: annotations in it are in this file, or in a macro.
    Result.Text = {Source.offsetOf(Begin), Source.offsetOf(End) + 1};
    Result.Obstacle = "it begins or ends inside a macro's expansion";
  }
  const bool IsTimed = hasAnnotationIn(In.Known, Result.Text);
  All.push_back({&In, Function, std::move(Result), IsTimed});
}

/// The declaration of a function; the template's for what is made of it.
const FunctionDecl *written(const FunctionDecl *Function) {
  const FunctionTemplateDecl *const Template = Function->getPrimaryTemplate();
  const bool IsMade =
      Template && Function->getTemplateSpecializationKind() != TSK_ExplicitSpecialization;
  return (IsMade ? Template->getTemplatedDecl() : Function)->getCanonicalDecl();
}

/// The calls in a function's body.
class CallsIn : public RecursiveASTVisitor<CallsIn> {
  using Base = RecursiveASTVisitor<CallsIn>;

public:
  bool VisitCallExpr(CallExpr *Call) {
    const Expr *const Callee = Call->getCallee()->IgnoreImpCasts();
    const auto Add = [&](const NamedDecl *Named, SourceLocation At, bool IsSure) {
      if (const FunctionDecl *const Function = Named->getAsFunction())
        All.push_back({written(Function), At, Callee->getEndLoc(), Nested > 0, IsSure});
    };
    if (const auto *Named = dyn_cast<DeclRefExpr>(Callee->IgnoreParenImpCasts()))
      Add(Named->getDecl(), Named->getLocation(), true);
    else if (const auto *Open = dyn_cast<UnresolvedLookupExpr>(Callee->IgnoreParenImpCasts()))
      for (const NamedDecl *Each : Open->decls())
        Add(Each, Open->getNameLoc(), false);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr *Lambda) {
    return inside([&] { return Base::TraverseLambdaExpr(Lambda); });
  }
  bool TraverseCXXRecordDecl(CXXRecordDecl *Class) {
    return inside([&] { return Base::TraverseCXXRecordDecl(Class); });
  }
  struct Called {
    const FunctionDecl *Callee;
    SourceLocation At;
    SourceLocation Last; // of what is before the arguments
    bool IsNested;       // in a lambda or a local class, where there is no recorder
    // In a template, and with what clang refuses, it is known only in what is made of it, or not.
    bool IsSure;
  };
  std::vector<Called> All;

private:
  template <class Traverse> bool inside(Traverse Go) {
    ++Nested;
    const bool GoOn = Go();
    --Nested;
    return GoOn;
  }
  unsigned Nested = 0;
};

/// What is written at one place. It is met more than once if a macro uses its argument several
/// times, and in a template, which is looked at with all that is made of it.
struct Meaning {
  std::set<const FunctionDecl *> Callees;
  bool IsNested = false; // one of them
  bool Depends = false;  // on a template's arguments
};

void KernelFinder::addCalls(Found &To) const {
  CallsIn Calls;
  Calls.TraverseStmt(To.Function->getBody());
  // What a call in a template means may depend on its arguments' types.
  if (const FunctionTemplateDecl *const Template = To.Function->getDescribedFunctionTemplate())
    for (const FunctionDecl *Made : Template->specializations())
      if (isMadeHere(Made) && Made->doesThisDeclarationHaveABody())
        Calls.TraverseStmt(Made->getBody());
  const SourceText &Source = To.In->Source;
  std::map<unsigned, Meaning> Meanings;
  for (const CallsIn::Called &Each : Calls.All) {
    Meaning &Here = Meanings[Source.offsetOf(Each.At)];
    if (Each.IsSure)
      Here.Callees.insert(Each.Callee);
    Here.IsNested |= Each.IsNested;
    Here.Depends |= !Each.IsSure;
  }
  const bool IsInHeader = To.In != &Parsed.source();
  std::map<std::pair<unsigned, unsigned>, size_t> Met;
  for (const CallsIn::Called &Each : Calls.All) {
    const auto Callee = llvm::find_if(All, [&](const Found &One) {
      return !One.Known.IsKernel && One.In == To.In &&
             One.Function->getCanonicalDecl() == Each.Callee;
    });
    if (Callee == All.end())
      continue;
    DeviceCall Call;
    Call.Callee = Callee->Known.Text.Begin;
    Call.At = Source.offsetOf(Each.At);
    const Meaning &Here = Meanings[Call.At];
    if (!Each.IsSure && !Here.Callees.empty() && !IsInHeader)
      continue;
    const auto Last = Source.indexOf(Each.Last);
    const auto Name = spelledName(Source, Source.indexOf(Each.At), Last, Callee->Known.Spelled);
    const auto [Earlier, IsNew] = Met.try_emplace({Call.At, Call.Callee}, To.Known.Calls.size());
    if (Here.IsNested)
      Call.Obstacle = "it is in a lambda or a local class";
    else if (Here.Depends && IsInHeader)
      Call.Obstacle = "another source may call another function in this template of a header";
    else if (Here.Callees.empty())
      Call.Obstacle = "it is not known here which function it calls";
    else if (Here.Callees.size() > 1)
      Call.Obstacle = "a macro or a template calls another function here, too";
    else if (!Name)
      Call.Obstacle = "a macro spells it";
    if (Call.Obstacle.empty() && Name && Last) {
      Call.At = Name->Name.End;
      Call.Arguments = Name->Parenthesis.End;
      Call.HasNone =
          Source.expanded()[*Last + 2].kind() == tok::r_paren; // default ones do not count
    }
    if (IsNew)
      To.Known.Calls.push_back(std::move(Call));
    else if (!Call.Obstacle.empty())
      To.Known.Calls[Earlier->second] = std::move(Call);
  }
}

void KernelFinder::finish() {
  for (Found &Each : All)
    addCalls(Each);
  const auto CallsTimed = [this](const Found &Each) {
    return llvm::any_of(Each.Known.Calls, [&](const DeviceCall &Call) {
      return llvm::any_of(All, [&](const Found &One) {
        return One.IsTimed && One.In == Each.In && One.Known.Text.Begin == Call.Callee;
      });
    });
  };
  for (bool IsNew = true; std::exchange(IsNew, false);)
    for (Found &Each : All)
      if (!Each.IsTimed && CallsTimed(Each))
        Each.IsTimed = IsNew = true;
  for (Found &Each : All) {
    if (!Each.IsTimed)
      continue;
    const FunctionTemplateDecl *const Template = Each.Function->getDescribedFunctionTemplate();
    std::vector<MadeFunction> Made;
    if (Template && Each.Known.IsKernel && Each.Known.Obstacle.empty()) {
      Each.Known.IsInHeader = Each.In != &Parsed.source();
      Each.Known.Obstacle = addInstances(Template, Each.Known, Made);
    } else if (!Template || !Each.Known.IsKernel) {
      Made.push_back({"", Each.Function});
    }
    recordDeviceValues(*Each.In, Each.Known, Each.Function, Made);
    Each.In->Known.Kernels.push_back(std::move(Each.Known));
  }
}

/// Why it can have no twin, whatever it is spelled like; empty if it can.
std::string KernelFinder::obstacle(const FunctionDecl *Function, bool IsKernel) {
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
  if (Template && !IsKernel &&
      llvm::any_of(Template->specializations(), [](const FunctionDecl *Each) {
        return Each->getTemplateSpecializationKind() == TSK_ExplicitSpecialization;
      }))
    return "it is a template with specializations";
  if (!IsKernel && llvm::any_of(Function->parameters(), [](const ParmVarDecl *Each) {
        return Each->hasInheritedDefaultArg();
      }))
    return "an earlier declaration has the default of a parameter";
  if (Function->isConstexpr())
    return "it is constexpr";
  return {};
}

} // namespace

void recordDeviceFunctions(Unit &Parsed, ASTContext &Context) {
  const auto HasSome = [](const auto &File) {
    return llvm::any_of(File->Known.Constructs, [](const Construct &Each) {
      return (Each.InKernel || Each.InDeviceCode) && !Each.IsKernel;
    });
  };
  if (llvm::none_of(Parsed.files(), HasSome))
    return;
  KernelFinder Finder(Parsed);
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      Finder.TraverseDecl(Top);
  Finder.finish();
}

} // namespace graphprof::instrument
