// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "StreamUses.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace graphprof::instrument {

bool isStream(QualType Type) {
  if (Type.isNull())
    return false;
  const auto *Record = Type.getCanonicalType()->getPointeeType().isNull()
                           ? nullptr
                           : Type.getCanonicalType()->getPointeeType()->getAsRecordDecl();
  return Record && Record->getName() == "CUstream_st";
}

namespace {

/// The variables and members that a construct assigns to, or lets others assign to.
class Changes : public RecursiveASTVisitor<Changes> {
public:
  bool VisitBinaryOperator(BinaryOperator *Op) {
    if (Op->isAssignmentOp())
      add(Op->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *Op) {
    if (Op->isIncrementDecrementOp())
      add(Op->getSubExpr());
    else if (Op->getOpcode() == UO_AddrOf)
      addShared(Op->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *Call) {
    if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
        Operator && Operator->isAssignmentOp())
      add(Operator->getArg(0));
    if (const FunctionDecl *Callee = Call->getDirectCallee();
        Callee && !isa<CXXOperatorCallExpr>(Call))
      addArguments(Callee, llvm::ArrayRef(Call->getArgs(), Call->getNumArgs()));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *Construction) {
    addArguments(Construction->getConstructor(),
                 llvm::ArrayRef(Construction->getArgs(), Construction->getNumArgs()));
    return true;
  }

  [[nodiscard]] bool contain(const ValueDecl *Declared) const {
    return Changed.contains(Declared->getCanonicalDecl());
  }

private:
  void add(const Expr *Changing) {
    Changing = Changing->IgnoreParenImpCasts();
    if (const auto *Name = dyn_cast<DeclRefExpr>(Changing))
      Changed.insert(Name->getDecl()->getCanonicalDecl());
    else if (const auto *Member = dyn_cast<MemberExpr>(Changing))
      Changed.insert(Member->getMemberDecl()->getCanonicalDecl());
    else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Changing))
      add(Element->getBase());
  }

  /// What somebody else gets a pointer or reference to. A whole object handed on (`step(context)`)
  /// rarely has its stream exchanged on the way; a stream or an index handed on is there to be set.
  void addShared(const Expr *Shared) {
    if (isStream(Shared->getType()) || Shared->getType()->isIntegralOrEnumerationType())
      add(Shared);
  }

  void addArguments(const FunctionDecl *Callee, llvm::ArrayRef<Expr *> Arguments) {
    for (unsigned I = 0; I < Arguments.size() && I < Callee->getNumParams(); ++I) {
      const QualType Type = Callee->getParamDecl(I)->getType();
      if (Type->isReferenceType() && !Type->getPointeeType().isConstQualified())
        addShared(Arguments[I]);
    }
  }

  llvm::SmallPtrSet<const Decl *, 8> Changed;
};

class StreamFinder : public RecursiveASTVisitor<StreamFinder> {
public:
  StreamFinder(const SourceText &Source, ASTContext &Context, const Changes &Changed,
               TextRange Inside)
      : Source(Source), Context(Context), Changed(Changed), Inside(Inside) {}

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Launch) {
    // Behind grid, block and shared memory. In a template the arguments that are left out are not
    // filled in yet.
    const CallExpr *Configuration = Launch->getConfig();
    if (!Configuration)
      return true;
    Configurations.insert(Configuration);
    if (Configuration->getNumArgs() > 3)
      addUse(Configuration->getArg(3), Launch->getBeginLoc());
    else
      addDefault(Launch->getBeginLoc());
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    if (Configurations.contains(Call))
      return true;
    for (const Expr *Argument : Call->arguments())
      if (isStream(Argument->getType()))
        addUse(Argument, Call->getBeginLoc());
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *Construction) {
    for (const Expr *Argument : Construction->arguments())
      if (isStream(Argument->getType()))
        addUse(Argument, Construction->getBeginLoc());
    return true;
  }

  void addDefault(SourceLocation At) { Uses.push_back({Source.offsetOf(At), "0", "default", ""}); }

  void addUse(const Expr *Stream, SourceLocation Call) {
    if (const auto *LeftOut = dyn_cast<CXXDefaultArgExpr>(Stream)) {
      if (isNull(LeftOut->getExpr()))
        addDefault(Call);
      else
        Uses.push_back({Source.offsetOf(Call), "", "default argument", "it is a default argument"});
      return;
    }
    const Expr *Written = Stream->IgnoreUnlessSpelledInSource()->IgnoreParens();
    if (isNull(Written)) {
      addDefault(Written->getBeginLoc());
      return;
    }
    // A macro that spells the whole expression spells its parentheses too.
    auto Text = Source.spelled(Written->getSourceRange());
    if (!Text)
      Text = Source.spelled(Stream->IgnoreImplicit()->getSourceRange());
    llvm::FoldingSetNodeID Profile;
    Written->Profile(Profile, Context, /*Canonical=*/true);
    StreamUse Use;
    Use.At = Source.offsetOf(Written->getBeginLoc());
    Use.Obstacle = Text ? obstacle(Written) : "a macro writes it";
    Use.Text = Text ? Text->OneLine : "";
    Use.Identity = llvm::utohexstr(Profile.ComputeHash());
    Uses.push_back(std::move(Use));
  }

  std::vector<StreamUse> Uses;

private:
  [[nodiscard]] bool isNull(const Expr *Value) const {
    Value = Value->IgnoreParenCasts();
    if (Value->isValueDependent())
      return false;
    if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(Value))
      return true;
    const auto *Literal = dyn_cast<IntegerLiteral>(Value);
    return Literal && Literal->getValue().isZero();
  }

  /// Why the expression might mean something else where the construct begins; empty if it cannot.
  [[nodiscard]] std::string obstacle(const Expr *E) const;
  [[nodiscard]] std::string obstacle(const ValueDecl *Declared) const;
  [[nodiscard]] std::string obstacle(const CallExpr *Call) const;

  const SourceText &Source;
  ASTContext &Context;
  const Changes &Changed;
  TextRange Inside;
  llvm::SmallPtrSet<const CallExpr *, 4> Configurations;
};

std::string StreamFinder::obstacle(const ValueDecl *Declared) const {
  const std::string Name = Declared->getNameAsString();
  if (const auto *Variable = dyn_cast<VarDecl>(Declared);
      Variable && Variable->isLocalVarDeclOrParm() && Source.inFile(Variable->getLocation()) &&
      Inside.contains(Source.offsetOf(Variable->getLocation())))
    return "'" + Name + "' is declared inside the region";
  if (isa<BindingDecl>(Declared) && Source.inFile(Declared->getLocation()) &&
      Inside.contains(Source.offsetOf(Declared->getLocation())))
    return "'" + Name + "' is declared inside the region";
  if (Changed.contain(Declared))
    return "'" + Name + "' changes inside the region";
  return {};
}

std::string StreamFinder::obstacle(const CallExpr *Call) const {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
  if (!Method || Method->isStatic())
    return "it calls a function";
  const bool StandardElement = isa<CXXOperatorCallExpr>(Call) && Method->isInStdNamespace() &&
                               Method->getOverloadedOperator() == OO_Subscript &&
                               Method->getParent()->getName() != "map" &&
                               Method->getParent()->getName() != "unordered_map";
  if (!Method->isConst() && !StandardElement)
    return "it calls '" + Method->getNameAsString() + "', which is not const";
  for (const Expr *Argument : Call->arguments())
    if (std::string Found = obstacle(Argument); !Found.empty())
      return Found;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
    return obstacle(Member->getImplicitObjectArgument());
  return {};
}

std::string StreamFinder::obstacle(const Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (isa<IntegerLiteral, CXXNullPtrLiteralExpr, GNUNullExpr, CXXThisExpr, CXXBoolLiteralExpr>(E))
    return {};
  if (const auto *Name = dyn_cast<DeclRefExpr>(E))
    return obstacle(Name->getDecl());
  if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    std::string Found = obstacle(Member->getMemberDecl());
    return Found.empty() ? obstacle(Member->getBase()) : Found;
  }
  if (const auto *Member = dyn_cast<CXXDependentScopeMemberExpr>(E))
    return Member->isImplicitAccess() ? "" : obstacle(Member->getBase());
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(E)) {
    std::string Found = obstacle(Element->getBase());
    return Found.empty() ? obstacle(Element->getIdx()) : Found;
  }
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return obstacle(Cast->getSubExpr());
  if (const auto *Op = dyn_cast<UnaryOperator>(E); Op && !Op->isIncrementDecrementOp())
    return obstacle(Op->getSubExpr());
  if (const auto *Op = dyn_cast<BinaryOperator>(E); Op && !Op->isAssignmentOp()) {
    std::string Found = obstacle(Op->getLHS());
    return Found.empty() ? obstacle(Op->getRHS()) : Found;
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    for (const Expr *Part : {Choice->getCond(), Choice->getTrueExpr(), Choice->getFalseExpr()})
      if (std::string Found = obstacle(Part); !Found.empty())
        return Found;
    return {};
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return obstacle(Call);
  return "it is more than a name";
}

} // namespace

std::vector<StreamUse> streamUses(const SourceText &Source, ASTContext &Context, Stmt *Construct,
                                  TextRange Inside) {
  Changes Changed;
  Changed.TraverseStmt(Construct);
  StreamFinder Finder(Source, Context, Changed, Inside);
  Finder.TraverseStmt(Construct);
  return std::move(Finder.Uses);
}

StreamUse launchStream(const SourceText &Source, ASTContext &Context, const Expr *Stream,
                       llvm::ArrayRef<Stmt *> Region, TextRange Inside) {
  Changes Changed;
  for (Stmt *Each : Region)
    Changed.TraverseStmt(Each);
  StreamFinder Finder(Source, Context, Changed, Inside);
  if (Stream)
    Finder.addUse(Stream, Region.front()->getBeginLoc());
  else
    Finder.addDefault(Region.front()->getBeginLoc());
  return std::move(Finder.Uses.front());
}

} // namespace graphprof::instrument
