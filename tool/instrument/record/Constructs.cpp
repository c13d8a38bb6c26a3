// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Constructs.h"

#include "record/DeviceFunctions.h"
#include "record/FunctionTracker.h"
#include "record/Statements.h"
#include "record/StreamUses.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {
namespace {

class ConstructFinder : public FunctionTracker<ConstructFinder> {
  using File = Unit::File;

public:
  ConstructFinder(Unit &Parsed, ASTContext &Context)
      : Parsed(Parsed), Context(Context), Expanded(Parsed.expanded()) {
    for (const auto &File :
         llvm::concat<const std::unique_ptr<Unit::File>>(Parsed.files(), Parsed.filesOnlyRead())) {
      File->Known.Constructs.resize(File->Next.size());
      for (size_t I = 0; I < File->Next.size(); ++I)
        if (File->Next[I].Token < Expanded.size())
          Pending[Expanded[File->Next[I].Token].location()].push_back({File.get(), I});
    }
  }

  void find();

  // All places where the grammar has a statement.
  bool VisitCompoundStmt(CompoundStmt *Block) {
    for (Stmt *Inner : Block->body())
      visitStatement(Inner);
    return true;
  }
  bool VisitIfStmt(IfStmt *If) {
    visitStatement(If->getThen());
    visitStatement(If->getElse());
    return true;
  }
  bool VisitForStmt(ForStmt *Loop) { return visitStatement(Loop->getBody()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *Loop) { return visitStatement(Loop->getBody()); }
  bool VisitWhileStmt(WhileStmt *Loop) { return visitStatement(Loop->getBody()); }
  bool VisitDoStmt(DoStmt *Loop) { return visitStatement(Loop->getBody()); }
  bool VisitLabelStmt(LabelStmt *Label) { return visitStatement(Label->getSubStmt()); }
  bool VisitAttributedStmt(AttributedStmt *S) {
    for (const Attr *Each : S->getAttrs())
      if (Each->getSyntax() == AttributeCommonInfo::AS_Pragma)
        Pragmas[S->getSubStmt()] = Each->getLocation();
    return visitStatement(S->getSubStmt());
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective *Directive) {
    visitDirective(Directive);
    Stmt *const Behind = statementBehind(Directive);
    if (Behind && !allowsBraces(Directive->getDirectiveKind()))
      Pragmas[Behind] = Directive->getBeginLoc();
    return visitStatement(Behind);
  }
  bool VisitSwitchCase(SwitchCase *Case) { return visitStatement(Case->getSubStmt()); }
  bool VisitSwitchStmt(SwitchStmt *Switch) {
    for (const SwitchCase *Case = Switch->getSwitchCaseList(); Case;
         Case = Case->getNextSwitchCase())
      addJump(Switch->getSwitchLoc(), Case->getKeywordLoc());
    return visitStatement(Switch->getBody());
  }

  bool VisitGotoStmt(GotoStmt *Goto) {
    if (const LabelStmt *Target = Goto->getLabel()->getStmt())
      addJump(Goto->getGotoLoc(), Target->getIdentLoc());
    return true;
  }
  bool VisitAddrLabelExpr(AddrLabelExpr *Address) {
    if (const LabelStmt *Target = Address->getLabel()->getStmt(); Target && !functions().empty())
      Computed[functions().back()].To.push_back(Target->getIdentLoc());
    return true;
  }
  bool VisitIndirectGotoStmt(IndirectGotoStmt *Goto) {
    if (!functions().empty())
      Computed[functions().back()].From.push_back(Goto->getGotoLoc());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *Asm) {
    for (AddrLabelExpr *Each : Asm->labels())
      if (const LabelStmt *Target = Each->getLabel()->getStmt())
        addJump(Asm->getAsmLoc(), Target->getIdentLoc(), /*IsComputed=*/true);
    return true;
  }

  bool VisitNamedDecl(NamedDecl *Named) {
    if (Named->isImplicit())
      return true;
    if (const File *In = Parsed.fileReadAt(Named->getLocation()))
      if (const auto Index = In->Source.indexOf(Named->getLocation()))
        Declared.push_back({*Index, Named, contextHere()});
    return true;
  }
  bool VisitVarDecl(VarDecl *Variable) {
    if (const Expr *Value = Variable->getInit())
      if (const auto *Lambda = dyn_cast<LambdaExpr>(Value->IgnoreUnlessSpelledInSource()))
        LambdaNames[Lambda] = Variable->getName();
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *Lambda) {
    // A lambda's attributes follow the introducer, the template parameters or the parameters.
    addDeclarator(Lambda->getCallOperator(), Lambda->getIntroducerRange().getEnd(),
                  Lambda->getBody(), LambdaNames.lookup(Lambda));
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody() && !Function->isImplicit() &&
        !isLambdasOperator(Function))
      addDeclarator(Function, Function->getLocation(), Function->getBody(),
                    Function->getNameAsString());
    return true;
  }
  bool VisitStmtExpr(StmtExpr *Value) {
    if (!Value->getSubStmt()->body_empty())
      Values.insert(Value->getSubStmt()->body_back());
    return true;
  }

private:
  struct Declaration {
    size_t Index; ///< of its name, among the expanded tokens
    NamedDecl *Named;
    Construct Context; ///< only the fields that describe the function around it
  };

  /// The part of a function or lambda with a body from its name or introducer to its body.
  struct Declarator {
    size_t Begin, End; ///< expanded tokens
    const FunctionDecl *Function;
    Stmt *Body;
    std::string Name;
    Construct Context; ///< only the fields that describe the function around it
  };

  /// An annotation whose construct is being searched.
  struct PendingAnnotation {
    File *In;
    size_t Annotation;
  };

  bool visitStatement(Stmt *S);
  void visitDirective(OMPExecutableDirective *Directive);
  [[nodiscard]] Construct describe(const SourceText &Source, Stmt *S, size_t First);
  [[nodiscard]] Construct describe(const SourceText &Source, const Declaration &Declared,
                                   size_t First);
  [[nodiscard]] Construct describe(const SourceText &Source, Construct Around,
                                   const FunctionDecl *Function, Stmt *Body, std::string Name,
                                   size_t First);
  void addDeclarator(const FunctionDecl *Function, SourceLocation Begin, Stmt *Body,
                     llvm::StringRef Name);
  [[nodiscard]] Construct declarationBehind(const SourceText &Source, size_t First);
  /// Lambdas are implicitly constexpr if they can be, and a guard only ends that. It matters only
  /// if the lambda says constexpr.
  [[nodiscard]] bool mustBeConstexpr(const FunctionDecl *Function) const;
  /// Whether all brackets that open between two tokens are closed at the second. An annotation
  /// among parameters does not belong to the function.
  [[nodiscard]] bool isOutsideBrackets(size_t Begin, size_t End) const;
  [[nodiscard]] Construct contextHere() const;
  [[nodiscard]] std::string functionAndLine(const SourceText &Source, SourceLocation At) const;
  bool noteKernel(const FunctionDecl *Function) {
    if (isWritten<CUDAGlobalAttr>(Function))
      Kernel = Function->getCanonicalDecl();
    return Kernel != nullptr;
  }
  static void setText(const SourceText &Source, Construct &Into, size_t First, size_t Last);

  void addJump(SourceLocation From, SourceLocation To, bool IsComputed = false) {
    if (File *In = Parsed.fileAt(To); In && Parsed.fileAt(From) == In)
      In->Known.Jumps.push_back({In->Source.offsetOf(From), In->Source.offsetOf(To), IsComputed});
  }

  /// The computed gotos of a function, and the labels whose address it takes.
  struct ComputedJumps {
    std::vector<SourceLocation> From, To;
  };
  /// Each such goto may jump to each such label. Of those that enter or leave a range, there is one
  /// with the first or the last place on the other side.
  void addJumps(const ComputedJumps &Of) {
    if (Of.From.empty() || Of.To.empty())
      return;
    for (const SourceLocation From : Of.From)
      for (const SourceLocation To : {*llvm::min_element(Of.To), *llvm::max_element(Of.To)})
        addJump(From, To, /*IsComputed=*/true);
    for (const SourceLocation To : Of.To)
      for (const SourceLocation From : {*llvm::min_element(Of.From), *llvm::max_element(Of.From)})
        addJump(From, To, /*IsComputed=*/true);
  }

  Unit &Parsed;
  ASTContext &Context;
  llvm::ArrayRef<syntax::Token> Expanded;
  llvm::DenseMap<SourceLocation, llvm::SmallVector<PendingAnnotation, 1>>
      Pending; ///< by where it begins
  llvm::DenseMap<const Stmt *, SourceLocation> Pragmas;
  llvm::DenseMap<const LambdaExpr *, llvm::StringRef> LambdaNames;
  llvm::DenseMap<const FunctionDecl *, ComputedJumps> Computed;
  llvm::DenseSet<const Stmt *> Values; ///< the last statements of statement expressions
  std::vector<Declaration> Declared;
  std::vector<Declarator> Declarators;
  const FunctionDecl *Kernel = nullptr; ///< the kernel of the current annotation
};

void ConstructFinder::find() {
  if (Pending.empty())
    return;
  Parsed.indexTokens();
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      TraverseDecl(Top);
  for (const auto &[Function, Jumps] : Computed)
    addJumps(Jumps);
  llvm::sort(Declared,
             [](const Declaration &A, const Declaration &B) { return A.Index < B.Index; });
  // The rest are annotations without a statement.
  for (const auto &[Location, Annotations] : Pending)
    for (const auto [In, Annotation] : Annotations) {
      Kernel = nullptr;
      In->Known.Constructs[Annotation] =
          declarationBehind(*In->Next[Annotation].View, In->Next[Annotation].Token);
      if (Kernel)
        In->Kernels.emplace_back(In->Known.Annotations[Annotation].At, Kernel);
    }
  for (const auto &File : Parsed.files())
    File->Known.putInOrder();
}

bool ConstructFinder::visitStatement(Stmt *S) {
  if (!S)
    return true;
  const auto Found = Pending.find(S->getBeginLoc());
  if (Found == Pending.end())
    return true;
  for (const auto [In, Annotation] : Found->second)
    In->Known.Constructs[Annotation] =
        describe(*In->Next[Annotation].View, S, In->Next[Annotation].Token);
  Pending.erase(Found);
  return true;
}

/// For an annotation above an OpenMP directive: the next token is a word of the directive.
void ConstructFinder::visitDirective(OMPExecutableDirective *Directive) {
  const SourceManager &Sources = Parsed.sources();
  const SourceLocation Begin = Directive->getBeginLoc();
  const SourceLocation End = Directive->getEndLoc();
  llvm::SmallVector<SourceLocation, 1> Done;
  for (const auto &[Location, Annotations] : Pending) {
    if (Sources.isBeforeInTranslationUnit(Location, Begin) ||
        Sources.isBeforeInTranslationUnit(End, Location))
      continue;
    Done.push_back(Location);
    Stmt *const Behind = statementBehind(Directive);
    const bool Apart = !Behind || Directive->getDirectiveKind() == llvm::omp::OMPD_section;
    for (const auto [In, Annotation] : Annotations) {
      const auto &Source = *In->Next[Annotation].View;
      Construct &Result = In->Known.Constructs[Annotation];
      const auto First = Apart ? std::nullopt : Source.indexOf(Behind->getBeginLoc());
      if (First)
        Result = describe(Source, Behind, *First);
      else
        Result = contextHere();
      if (!First)
        Result.Kind = ConstructKind::Directive;
      else if (Result.Kind == ConstructKind::Compound)
        Result.Kind = ConstructKind::Statement; // the braces go around the directive, too
    }
  }
  for (const SourceLocation Location : Done)
    Pending.erase(Location);
}

bool ConstructFinder::mustBeConstexpr(const FunctionDecl *Function) const {
  if (!isLambdasOperator(Function) || Function->isConsteval())
    return Function->isConstexpr();
  const auto *Method = cast<CXXMethodDecl>(Function);
  const Stmt *Body = Function->getBody();
  const File *In = Parsed.fileAt(Method->getParent()->getBeginLoc());
  if (!In || !Body)
    return false;
  const auto First = In->Source.indexOf(Method->getParent()->getBeginLoc());
  const auto Last = In->Source.indexOf(Body->getBeginLoc());
  if (!First || !Last)
    return false;
  for (size_t I = *First; I < *Last; ++I)
    if (Expanded[I].kind() == tok::kw_constexpr && isOutsideBrackets(*First, I))
      return true;
  return false;
}

bool ConstructFinder::isOutsideBrackets(size_t Begin, size_t End) const {
  int Depth = 0;
  for (size_t I = Begin; I < End; ++I) {
    const tok::TokenKind Kind = Expanded[I].kind();
    Depth += Kind == tok::l_paren || Kind == tok::l_square || Kind == tok::l_brace;
    Depth -= Kind == tok::r_paren || Kind == tok::r_square || Kind == tok::r_brace;
  }
  return Depth == 0;
}

Construct ConstructFinder::contextHere() const {
  Construct Result;
  Result.InKernel = inKernel();
  Result.InDeviceCode = inDeviceCode(/*Shared=*/false);
  Result.IsNested = functions().size() > 1;
  if (functions().empty())
    return Result;
  const auto Named = llvm::find_if_not(llvm::reverse(functions()), isLambdasOperator);
  if (Named != llvm::reverse(functions()).end())
    Result.Function = (*Named)->getNameAsString();
  const FunctionDecl *Inner = functions().back();
  Result.InConstexpr = mustBeConstexpr(Inner);
  Result.InCoroutine = isa_and_nonnull<CoroutineBodyStmt>(Inner->getBody());
  return Result;
}

std::string ConstructFinder::functionAndLine(const SourceText &Source, SourceLocation At) const {
  const std::string Line = std::to_string(Source.lineOf(At));
  for (const FunctionDecl *Function : llvm::reverse(functions()))
    if (!isLambdasOperator(Function))
      return Function->getNameAsString() + ":" + Line;
  return "lambda:" + Line;
}

void ConstructFinder::setText(const SourceText &Source, Construct &Into, size_t First,
                              size_t Last) {
  if (const auto Text = Source.spelled(First, Last))
    Into.Text = Text->Range;
  else
    Into.Split = true;
}

Construct ConstructFinder::describe(const SourceText &Source, Stmt *S, size_t First) {
  Construct Result = contextHere();
  Result.Kind = kindOf(S);
  Result.HasOuterCase = hasOuterCase(S);
  Result.HasValue = Values.contains(S);
  if (const auto Pragma = Pragmas.find(S); Pragma != Pragmas.end())
    Result.Pragma = Source.offsetOf(Pragma->second);
  const auto End = Source.indexOf(S->getEndLoc());
  if (!End) {
    Result.Split = true;
    return Result;
  }
  size_t Last = *End;
  if (endsBeforeSemicolon(S) && Last + 1 < Source.expanded().size() &&
      Source.expanded()[Last + 1].kind() == tok::semi)
    ++Last;
  setText(Source, Result, First, Last);
  if (Result.Split && Last > *End) {
    // In a macro's body, with the semicolon behind the macro's use.
    Result.Split = false;
    Result.LacksSemicolon = true;
    setText(Source, Result, First, *End);
  }
  if (Result.Split)
    return Result;

  const auto *Attributed = dyn_cast<AttributedStmt>(S);
  const Stmt *Plain = Attributed ? Attributed->getSubStmt() : S;
  if (Result.Kind == ConstructKind::Compound) {
    const auto Brace = Source.spelled(SourceRange(Plain->getBeginLoc()));
    if (Brace && Brace->OneLine == "{")
      Result.BodyOpen = Brace->Range.End;
    else // a macro spells the braces, so its use is one statement
      Result.Kind = ConstructKind::Statement;
  }
  Result.DefaultName = onlyCallee(Plain, Parsed.sources());
  if (Result.DefaultName.empty())
    Result.DefaultName = functionAndLine(Source, S->getBeginLoc());
  Result.Streams = streamUses(Source, Context, S, Result.Text);
  return Result;
}

void ConstructFinder::addDeclarator(const FunctionDecl *Function, SourceLocation Begin, Stmt *Body,
                                    llvm::StringRef Name) {
  const File *In = Parsed.fileReadAt(Begin);
  if (!In)
    return;
  const auto First = In->Source.indexOf(Begin);
  const auto *Coroutine = dyn_cast<CoroutineBodyStmt>(Body);
  const auto Last = In->Source.indexOf((Coroutine ? Coroutine->getBody() : Body)->getBeginLoc());
  if (First && Last)
    Declarators.push_back({*First, *Last, Function, Body,
                           Name.empty() ? functionAndLine(In->Source, Begin) : Name.str(),
                           contextHere()});
}

/// For an annotation without a statement: it may precede a function or another declaration, whose
/// name then comes before any semicolon or brace.
Construct ConstructFinder::declarationBehind(const SourceText &Source, size_t First) {
  // Takes the innermost one, because a default argument may contain a lambda.
  const Declarator *Around = nullptr;
  for (const Declarator &Each : Declarators)
    if (Each.Begin < First && First <= Each.End && (!Around || Around->Begin < Each.Begin) &&
        isOutsideBrackets(Each.Begin + 1, First))
      Around = &Each;
  if (Around)
    return describe(Source, Around->Context, Around->Function, Around->Body, Around->Name, First);
  const auto Next = llvm::lower_bound(
      Declared, First, [](const Declaration &D, size_t Index) { return D.Index < Index; });
  if (Next == Declared.end())
    return {};
  for (size_t I = First; I < Next->Index; ++I)
    if (const auto Kind = Source.expanded()[I].kind();
        Kind == tok::semi || Kind == tok::l_brace || Kind == tok::r_brace)
      return {};
  return describe(Source, *Next, First);
}

Construct ConstructFinder::describe(const SourceText &Source, const Declaration &Declared,
                                    size_t First) {
  Construct Result = Declared.Context;
  Result.Kind = ConstructKind::Declaration;
  const auto *Template = dyn_cast<FunctionTemplateDecl>(Declared.Named);
  const auto *Function =
      Template ? Template->getTemplatedDecl() : dyn_cast<FunctionDecl>(Declared.Named);
  if (!Function) {
    if (isa<TagDecl, ClassTemplateDecl>(Declared.Named))
      Result.Kind = ConstructKind::Class;
    if (const auto Last = Source.indexOf(Declared.Named->getEndLoc()); Last && *Last >= First)
      setText(Source, Result, First, *Last);
    return Result;
  }
  if (Function->doesThisDeclarationHaveABody())
    return describe(Source, Declared.Context, Function, Function->getBody(),
                    Function->getNameAsString(), First);
  Result.Kind = ConstructKind::Prototype;
  Result.InKernel = Result.IsKernel = noteKernel(Function);
  Result.InDeviceCode = isWritten<CUDADeviceAttr>(Function) && !isWritten<CUDAHostAttr>(Function);
  Result.InConstexpr = Function->isConstexpr();
  return Result;
}

Construct ConstructFinder::describe(const SourceText &Source, Construct Around,
                                    const FunctionDecl *Function, Stmt *Body, std::string Name,
                                    size_t First) {
  Construct Result = std::move(Around);
  Result.Kind = ConstructKind::Function;
  Result.IsKernel = noteKernel(Function);
  Result.InKernel |= Result.IsKernel;
  Result.InDeviceCode |= isWritten<CUDADeviceAttr>(Function) && !isWritten<CUDAHostAttr>(Function);
  Result.InConstexpr = mustBeConstexpr(Function);
  Result.InCoroutine = isa<CoroutineBodyStmt>(Body);
  if (Result.InCoroutine)
    return Result;
  if (Result.Function.empty() || !isLambdasOperator(Function))
    Result.Function = Name;
  Result.DefaultName = std::move(Name);

  const auto *Try = dyn_cast<CXXTryStmt>(Body);
  const auto Open = Source.spelled(SourceRange((Try ? Try->getTryBlock() : Body)->getBeginLoc()));
  const auto Last = Source.indexOf(Body->getEndLoc());
  if (!Open || Open->OneLine != "{" || !Last) {
    Result.Split = true;
    return Result;
  }
  setText(Source, Result, First, *Last);
  Result.BodyOpen = Open->Range.End;
  Result.Streams = streamUses(Source, Context, Body, {Result.BodyOpen, Result.Text.End});
  return Result;
}

} // namespace

void recordConstructs(Unit &Parsed, ASTContext &Context) {
  ConstructFinder(Parsed, Context).find();
  recordDeviceFunctions(Parsed, Context);
}

} // namespace graphprof::instrument
