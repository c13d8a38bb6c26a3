// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/StreamUses.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"
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

/// Whether a method of the standard library returns an element of its object, or what the object
/// points to, without a change.
bool givesElement(const CXXMethodDecl *Method) {
  const CXXRecordDecl *Class = Method->getParent();
  if (!Class->isInStdNamespace())
    return false;
  const OverloadedOperatorKind Operator = Method->getOverloadedOperator();
  if (Operator == OO_Subscript) // a map's operator may insert the element
    return Class->getName() != "map" && Class->getName() != "unordered_map";
  if (Operator == OO_Star || Operator == OO_Arrow)
    return Method->getNumParams() == 0;
  return Method->getIdentifier() &&
         llvm::is_contained({"at", "front", "back", "data", "value"}, Method->getName());
}

/// The object of a method call; null for other calls.
const Expr *objectOf(const CallExpr *Call) {
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
    return Member->getImplicitObjectArgument();
  if (const auto *Operator = dyn_cast<CXXOperatorCallExpr>(Call);
      Operator && isa_and_nonnull<CXXMethodDecl>(Operator->getDirectCallee()))
    return Operator->getArg(0);
  return nullptr;
}

/// The variables and members that a construct may assign to, and those that its conditions test.
class Changes : public RecursiveASTVisitor<Changes> {
public:
  bool VisitIfStmt(IfStmt *If) { return addTest(If->getCond()); }
  bool VisitForStmt(ForStmt *For) { return addTest(For->getCond()); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *For) {
    RangeOf[For->getLoopVariable()] = For->getRangeInit();
    return true;
  }
  bool VisitWhileStmt(WhileStmt *While) { return addTest(While->getCond()); }
  bool VisitSwitchStmt(SwitchStmt *Switch) { return addTest(Switch->getCond()); }
  bool VisitAbstractConditionalOperator(AbstractConditionalOperator *Choice) {
    return addTest(Choice->getCond());
  }
  bool VisitBinaryOperator(BinaryOperator *Op) {
    if (Op->isAssignmentOp())
      add(Op->getLHS());
    else if (Op->isLogicalOp())
      addTest(Op->getLHS());
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
    const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee());
    if (Method && !Method->isConst() && !Method->isStatic() && !givesElement(Method))
      if (const Expr *Object = objectOf(Call); Object && isStandard(Object->getType()))
        add(Object);
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
  [[nodiscard]] bool test(const ValueDecl *Declared) const {
    return Tested.contains(Declared->getCanonicalDecl());
  }

private:
  [[nodiscard]] static bool isStandard(QualType Type) {
    const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
    return Class && Class->isInStdNamespace();
  }

  bool addTest(const Stmt *Condition) {
    if (!Condition)
      return true;
    if (const auto *Name = dyn_cast<DeclRefExpr>(Condition))
      Tested.insert(Name->getDecl()->getCanonicalDecl());
    else if (const auto *Member = dyn_cast<MemberExpr>(Condition))
      Tested.insert(Member->getMemberDecl()->getCanonicalDecl());
    llvm::for_each(Condition->children(), [this](const Stmt *Part) { addTest(Part); });
    return true;
  }

  void add(const Expr *Changing) {
    Changing = Changing->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
    if (const auto *Name = dyn_cast<DeclRefExpr>(Changing)) {
      if (!Changed.insert(Name->getDecl()->getCanonicalDecl()).second)
        return;
      const auto *Variable = dyn_cast<VarDecl>(Name->getDecl());
      if (Variable && Variable->getType()->isReferenceType())
        if (const Expr *Of = RangeOf.contains(Variable) ? RangeOf[Variable] : Variable->getInit())
          add(Of);
    } else if (const auto *Member = dyn_cast<MemberExpr>(Changing))
      Changed.insert(Member->getMemberDecl()->getCanonicalDecl());
    else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Changing))
      add(Element->getBase());
    else if (const auto *Op = dyn_cast<UnaryOperator>(Changing))
      add(Op->getSubExpr());
    else if (const auto *Call = dyn_cast<CallExpr>(Changing))
      if (const Expr *Object = objectOf(Call); Object && isStandard(Object->getType()))
        add(Object);
  }

  /// Records variables that are passed by pointer or reference. A function rarely exchanges the
  /// stream of a whole object (`step(context)`), but a stream, an index or a container is passed to
  /// be set.
  void addShared(const Expr *Shared) {
    if (isStream(Shared->getType()) || Shared->getType()->isIntegralOrEnumerationType() ||
        isStandard(Shared->getType()))
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
  llvm::SmallPtrSet<const Decl *, 8> Tested;
  llvm::DenseMap<const VarDecl *, const Expr *> RangeOf; ///< by the loop's variable
};

class StreamFinder : public RecursiveASTVisitor<StreamFinder> {
public:
  StreamFinder(const SourceText &Source, ASTContext &Context, const Changes &Changed,
               TextRange Inside)
      : Source(Source), Context(Context), Changed(Changed), Inside(Inside) {}

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *Launch) {
    // The stream follows grid, block and shared memory. In a template, omitted arguments are not
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
    // If a macro spells the whole expression, it spells the parentheses too.
    auto Text = Source.spelled(Written->getSourceRange());
    if (!Text)
      Text = Source.spelled(Stream->IgnoreImplicit()->getSourceRange());
    llvm::FoldingSetNodeID Profile;
    Written->Profile(Profile, Context, /*Canonical=*/true);
    StreamUse Use;
    Use.At = Source.offsetOf(Written->getBeginLoc());
    Use.Obstacle = !Text                                        ? "a macro writes it"
                   : Written->containsUnexpandedParameterPack() ? "it is one of a pack"
                                                                : obstacle(Written);
    if (Use.Obstacle.empty() && dereferences(Written))
      Use.Obstacle = test(Written);
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

  /// Why the expression might have another value where the construct begins; empty if it cannot.
  [[nodiscard]] std::string obstacle(const Expr *E) const;
  [[nodiscard]] std::string obstacle(const ValueDecl *Declared) const;
  [[nodiscard]] std::string obstacle(const CallExpr *Call) const;

  /// Whether evaluating the expression needs a valid pointer, index or element.
  [[nodiscard]] static bool dereferences(const Stmt *E);
  /// The condition in the construct that may make them valid; empty if there is none.
  [[nodiscard]] std::string test(const Stmt *E) const;

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
  if (!Method->isConst() && !givesElement(Method))
    return "it calls '" + Method->getNameAsString() + "', which is not const";
  for (const Expr *Argument : Call->arguments())
    if (std::string Found = obstacle(Argument); !Found.empty())
      return Found;
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call))
    return obstacle(Member->getImplicitObjectArgument());
  return {};
}

bool StreamFinder::dereferences(const Stmt *E) {
  if (const auto *Member = dyn_cast<MemberExpr>(E);
      Member && Member->isArrow() && !isa<CXXThisExpr>(Member->getBase()->IgnoreParenImpCasts()))
    return true;
  const auto *Op = dyn_cast<UnaryOperator>(E);
  return isa<ArraySubscriptExpr, CallExpr>(E) || (Op && Op->getOpcode() == UO_Deref) ||
         llvm::any_of(E->children(), [](const Stmt *Part) { return dereferences(Part); });
}

std::string StreamFinder::test(const Stmt *E) const {
  const ValueDecl *Declared = nullptr;
  if (const auto *Name = dyn_cast<DeclRefExpr>(E))
    Declared = Name->getDecl();
  else if (const auto *Member = dyn_cast<MemberExpr>(E))
    Declared = Member->getMemberDecl();
  if (Declared && Changed.test(Declared))
    return "the region tests '" + Declared->getNameAsString() + "' first";
  for (const Stmt *Part : E->children())
    if (std::string Found = test(Part); !Found.empty())
      return Found;
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
