// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/Launches.h"

#include "facts/KernelAnnotation.h"
#include "record/FunctionTracker.h"
#include "record/LaunchCalls.h"
#include "record/LaunchPlaces.h"
#include "record/StreamUses.h"

#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

#include <set>

using namespace clang;

namespace graphprof::instrument {
namespace {

using File = Unit::File;

constexpr llvm::StringLiteral NotSelected = "not selected";
constexpr llvm::StringLiteral InConstexpr = "in a constexpr function";
constexpr llvm::StringLiteral InOtherHeader = "in a header that is not rewritten";
constexpr llvm::StringLiteral Unevaluated = "in an unevaluated operand";
constexpr llvm::StringLiteral OutsideBodies = "outside the bodies of functions";
constexpr llvm::StringLiteral NextToAwait = "in an expression that waits for a coroutine";
constexpr llvm::StringLiteral InC = "in C";

/// Whether a coroutine can suspend inside an expression.
bool maySuspend(Stmt *Expression) {
  struct Finder : RecursiveASTVisitor<Finder> {
    bool Found = false;
    bool VisitCoroutineSuspendExpr(CoroutineSuspendExpr *) { return !(Found = true); }
    bool VisitDependentCoawaitExpr(DependentCoawaitExpr *) { return !(Found = true); }
  } Look;
  Look.TraverseStmt(Expression);
  return Look.Found;
}

/// A kernel expression that is more than a name, as written, if it is short enough for a region's
/// name.
std::string textOf(const Expr *Kernel, const SourceText &Source) {
  constexpr size_t Readable = 60;
  const auto Text = Source.spelled(Kernel->getSourceRange());
  return Text && !Text->HasDirective && Text->OneLine.size() <= Readable ? Text->OneLine : "";
}

/// The annotations on the declarations of one kernel.
struct KernelNotes {
  File *In = nullptr;
  const Annotation *Time = nullptr;
  bool Ignored = false;
  bool Wrong = false; ///< and it has been reported
};

class LaunchFinder : public FunctionTracker<LaunchFinder> {
  using Base = FunctionTracker<LaunchFinder>;

public:
  LaunchFinder(Unit &Parsed, ASTContext &Context, const Automatic &Asked)
      : Parsed(Parsed), Sources(Parsed.sources()), Context(Context), Asked(Asked) {}

  void find();

  // Tracks the statements above the current one: they decide whether a guard is possible.
  bool dataTraverseStmtPre(Stmt *S) {
    Above.push_back(S);
    return true;
  }
  bool dataTraverseStmtPost(Stmt *) {
    Above.pop_back();
    return true;
  }
  bool TraverseDecl(Decl *D) {
    if (isa_and_nonnull<FunctionDecl>(D))
      return inFunction([&] { return Base::TraverseDecl(D); });
    const llvm::SaveAndRestore Inside(InMember, InMember || isa_and_nonnull<FieldDecl>(D));
    const auto *Declared = dyn_cast_or_null<VarDecl>(D);
    const llvm::SaveAndRestore Initialized(Variable, Declared ? Declared : Variable);
    return Base::TraverseDecl(D);
  }
  bool TraverseLambdaExpr(LambdaExpr *Lambda) {
    return inFunction([&] { return Base::TraverseLambdaExpr(Lambda); });
  }
  bool TraverseConstructorInitializer(CXXCtorInitializer *Initializer) {
    const llvm::SaveAndRestore Inside(InInitializer, true);
    return Base::TraverseConstructorInitializer(Initializer);
  }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc Type, bool Qualifier) {
    const llvm::SaveAndRestore Inside(InType, true);
    return Base::TraverseDecltypeTypeLoc(Type, Qualifier);
  }
  bool TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc Type, bool Qualifier) {
    const llvm::SaveAndRestore Inside(InType, true);
    return Base::TraverseTypeOfExprTypeLoc(Type, Qualifier);
  }
  bool TraverseNamespaceDecl(NamespaceDecl *Space) {
    return Space->getName() == "graphprof" || Base::TraverseNamespaceDecl(Space);
  }

  bool VisitCallExpr(CallExpr *Call) {
    if (inDeviceCode(/*Shared=*/false))
      return true;
    const auto Launch = asLaunch(Call, Sources);
    if (Launch)
      addLaunch(Call, *Launch);
    if (Asked.Functions && (Launch || givesWork(Call, Sources)))
      if (const FunctionDecl *Function = namedFunction();
          Function && Function->doesThisDeclarationHaveABody())
        Working.insert(Function);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Name) {
    checkReference(Name);
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *Name) {
    checkReference(Name);
    return true;
  }

private:
  template <class Walk> bool inFunction(Walk Go) {
    const llvm::SaveAndRestore Begin(BodyBegin, Above.size());
    const llvm::SaveAndRestore Initializer(InInitializer, false);
    const llvm::SaveAndRestore Member(InMember, false);
    return Go();
  }
  void collectKernels();
  void addLaunch(CallExpr *Call, const LaunchCall &What);
  [[nodiscard]] const KernelNotes *notesOf(const KernelName &Kernel) const;
  [[nodiscard]] std::string obstacleHere() const;
  [[nodiscard]] StreamUse streamOf(const LaunchCall &What, const LaunchPlace &At,
                                   const SourceText &Source) const;
  void checkReference(Expr *Name);
  [[nodiscard]] bool isFollowed() const;
  void addFunction(const FunctionDecl *Function);
  [[nodiscard]] bool isSelected(llvm::StringRef Name) const {
    return !Asked.Selected || Asked.Selected(Name);
  }
  [[nodiscard]] const FunctionDecl *namedFunction() const {
    for (const FunctionDecl *Function : llvm::reverse(functions()))
      if (!isLambdasOperator(Function))
        return Function;
    return nullptr;
  }

  Unit &Parsed;
  const SourceManager &Sources;
  ASTContext &Context;
  const Automatic &Asked;
  llvm::MapVector<const FunctionDecl *, KernelNotes> Kernels;
  llvm::SetVector<const FunctionDecl *> Working; ///< functions that give work to the GPU
  std::map<std::pair<File *, unsigned>, std::pair<size_t, const CallExpr *>> Known;
  llvm::DenseSet<SourceLocation> InOtherHeaders;
  std::set<std::pair<File *, unsigned>>
      Escapes; ///< where the launches of annotated kernels cannot be followed

  llvm::SmallVector<Stmt *> Above;   ///< from the outermost statement to the current one
  size_t BodyBegin = 0;              ///< the index in Above of the innermost function's body
  const VarDecl *Variable = nullptr; ///< the innermost variable around the node
  bool InInitializer = false;        ///< of a constructor
  bool InMember = false;             ///< a member's default initializer
  bool InType = false;
};

void LaunchFinder::find() {
  collectKernels();
  if (Kernels.empty() && !Asked.Launches && !Asked.Functions)
    return;
  Parsed.indexTokens();
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      TraverseDecl(Top);
  for (const FunctionDecl *Function : Working)
    addFunction(Function);
  for (const auto &Each : Parsed.files()) {
    llvm::sort(Each->Known.Launches,
               [](const Launch &A, const Launch &B) { return A.Text.Begin < B.Text.Begin; });
    llvm::sort(Each->Known.Functions,
               [](const HostFunction &A, const HostFunction &B) { return A.At < B.At; });
  }
}

/// Collects the annotations of all kernels. Those of one kernel must agree.
void LaunchFinder::collectKernels() {
  for (const auto &Each : Parsed.filesOnlyRead())
    Each->Known.Findings.clear(); // these are about constructs that stay unchanged
  for (const auto &Each :
       llvm::concat<const std::unique_ptr<File>>(Parsed.files(), Parsed.filesOnlyRead())) {
    llvm::sort(Each->Kernels); // by place
    for (const auto &[At, Kernel] : Each->Kernels) {
      const auto Note = llvm::find_if(Each->Known.Annotations,
                                      [At = At](const Annotation &A) { return A.At == At; });
      if (Note == Each->Known.Annotations.end())
        continue;
      KernelNotes &Notes = Kernels[Kernel];
      Notes.Ignored |= Note->Kind == AnnotationKind::Ignore;
      if (Note->Kind != AnnotationKind::Time)
        continue;
      auto Problems = checkKernelAnnotation(*Note);
      const bool OnlyRead = !Parsed.fileOf(Each->Source.file());
      Notes.Wrong |= !Problems.empty();
      if (OnlyRead) // planning reports it for the others
        llvm::move(Problems, std::back_inserter(Each->Known.Findings));
      if (Notes.Time && !sameRegion(*Notes.Time, *Note)) {
        Notes.Wrong = true;
        Each->Known.Findings.push_back(
            {Severity::Error, Note->At,
             "another declaration of this kernel is annotated differently, in " +
                 Sources.getFilename(Notes.In->Source.locationOf(0)).str() + ":" +
                 std::to_string(Sources.getLineNumber(Notes.In->Source.file(), Notes.Time->At)) +
                 "; annotate one of them"});
      }
      if (!Notes.Time) {
        Notes.Time = &*Note;
        Notes.In = Each.get();
      }
    }
  }
}

/// A specialization has annotations of its own, or those of its template.
const KernelNotes *LaunchFinder::notesOf(const KernelName &Kernel) const {
  const auto Of = [this](const FunctionDecl *Function) -> const KernelNotes * {
    if (!Function)
      return nullptr;
    const auto Found = Kernels.find(Function->getCanonicalDecl());
    return Found == Kernels.end() ? nullptr : &Found->second;
  };
  const KernelNotes *Result = nullptr;
  for (const FunctionDecl *Function : Kernel.Functions) {
    const KernelNotes *Notes = Of(Function);
    if (!Notes)
      Notes = Of(Function->getTemplateInstantiationPattern());
    if (!Notes && Function->getPrimaryTemplate())
      Notes = Of(Function->getPrimaryTemplate()->getTemplatedDecl());
    // It is unknown which of several overloads a template will launch.
    if (Function != Kernel.Functions.front() && Notes != Result)
      return nullptr;
    Result = Notes;
  }
  return Result;
}

void LaunchFinder::addLaunch(CallExpr *Call, const LaunchCall &What) {
  KernelName Kernel = kernelName(What.Kernel, Sources);
  const KernelNotes *Notes = notesOf(Kernel);
  if (Notes && (Notes->Ignored || Notes->Wrong))
    return;
  if (Notes && !Notes->Time) // other annotations there have been refused
    Notes = nullptr;
  if (!Asked.Launches && !Notes)
    return;
  File *In = Parsed.fileAt(Call->getBeginLoc());
  if (!In) {
    const SourceLocation At = Sources.getExpansionLoc(Call->getBeginLoc());
    if (!Sources.isInSystemHeader(At) && isSelected(Kernel.Qualified) &&
        InOtherHeaders.insert(At).second)
      ++Parsed.source().Known.LaunchesLeft[InOtherHeader.str()];
    return;
  }

  Launch Found;
  Found.At = In->Source.offsetOf(Call->getBeginLoc());
  Found.Text = {Found.At, Found.At};
  if (const FunctionDecl *Function = namedFunction())
    Found.Function = Function->getNameAsString();
  Found.Name = std::move(Kernel.Shown);
  if (Found.Name.empty())
    Found.Name = textOf(Kernel.Written, In->Source);
  if (Found.Name.empty())
    Found.Name = (Found.Function.empty() ? "kernel" : Found.Function) + ":" +
                 std::to_string(In->Source.lineOf(Call->getBeginLoc()));
  if (Notes)
    Found.OfKernel = *Notes->Time;
  else if (!isSelected(Kernel.Qualified))
    Found.Obstacle = NotSelected;
  if (Found.Obstacle.empty())
    Found.Obstacle = obstacleHere();
  if (LaunchPlace At = placeOf(Call, Above, In->Source); At.Obstacle.empty()) {
    Found.Text = At.Text;
    Found.IsExpression = At.IsExpression;
    Found.Stream = streamOf(What, At, In->Source);
    if (Found.Obstacle.empty() && llvm::any_of(At.Parts, maySuspend))
      Found.Obstacle = NextToAwait;
  } else if (Found.Obstacle.empty()) {
    Found.Obstacle = std::move(At.Obstacle);
  }

  // If a macro uses its argument twice, there are two launches at one place.
  auto &Launches = In->Known.Launches;
  const auto [Place, New] = Known.try_emplace({In, Found.Text.Begin}, Launches.size(), Call);
  if (New) {
    Launches.push_back(std::move(Found));
    return;
  }
  Launch &First = Launches[Place->second.first];
  const CallExpr *Other = Place->second.second;
  if (First.Obstacle.empty() && !Found.Obstacle.empty())
    First.Obstacle = Found.Obstacle;
  if (First.Obstacle.empty() &&
      Sources.getSpellingLoc(Other->getEndLoc()) != Sources.getSpellingLoc(Call->getEndLoc()))
    First.Obstacle = "among several in one use of a macro";
}

/// Why no guard can be at the current node; empty if one can.
std::string LaunchFinder::obstacleHere() const {
  if (!Context.getLangOpts().CPlusPlus)
    return InC.str();
  if (InType)
    return Unevaluated.str();
  const auto Inside = llvm::ArrayRef(Above).drop_front(BodyBegin);
  for (const Stmt *Each : Inside)
    if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr, RequiresExpr>(Each))
      return Unevaluated.str();
  if (functions().empty())
    return OutsideBodies.str();
  // Default arguments and the like are outside the body.
  const FunctionDecl *Inner = functions().back();
  const Stmt *Body = Inner->doesThisDeclarationHaveABody() ? Inner->getBody() : nullptr;
  if (InMember || (!InInitializer && (Inside.empty() || Inside.front() != Body)))
    return OutsideBodies.str();
  if (isLambdasOperator(Inner) ? Inner->isConsteval() : Inner->isConstexpr())
    return InConstexpr.str();
  if (isa_and_nonnull<CoroutineBodyStmt>(Body)) {
    Stmt *Full = nullptr; // expression
    for (Stmt *Each : llvm::reverse(Inside)) {
      if (!isa<Expr>(Each))
        break;
      Full = Each;
    }
    if (Full && maySuspend(Full))
      return NextToAwait.str();
  }
  return {};
}

StreamUse LaunchFinder::streamOf(const LaunchCall &What, const LaunchPlace &At,
                                 const SourceText &Source) const {
  if (What.Member.empty())
    return launchStream(Source, Context, What.Stream, At.Parts, At.Text);
  const Expr *Configuration = What.Stream->IgnoreParenImpCasts();
  const auto *Address = dyn_cast<UnaryOperator>(Configuration);
  const bool ByName = Address && Address->getOpcode() == UO_AddrOf;
  StreamUse Result = launchStream(Source, Context, ByName ? Address->getSubExpr() : Configuration,
                                  At.Parts, At.Text);
  const bool Simple =
      llvm::all_of(Result.Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  Result.Text =
      (Simple ? Result.Text : "(" + Result.Text + ")") + (ByName ? "." : "->") + What.Member.str();
  return Result;
}

/// Warns if the address of an annotated kernel goes where its launches cannot be seen: those are
/// not timed.
void LaunchFinder::checkReference(Expr *Name) {
  if (Kernels.empty() || Asked.Launches || InType || inDeviceCode(/*Shared=*/false))
    return;
  File *In = Parsed.fileAt(Name->getBeginLoc());
  if (!In)
    return;
  const KernelName Kernel = kernelName(Name, Sources);
  const KernelNotes *Notes = notesOf(Kernel);
  if (!Notes || !Notes->Time || Notes->Ignored || Notes->Wrong || isFollowed())
    return;
  const unsigned At = In->Source.offsetOf(Name->getBeginLoc());
  if (Escapes.insert({In, At}).second)
    In->Known.Findings.push_back({Severity::Warning, At,
                                  "the annotated kernel '" + Kernel.Shown +
                                      "' is passed on here, and launches through that are not "
                                      "timed; annotate those launches, or use --auto launches"});
}

/// Whether the uses of a kernel's name can be followed: it is launched, passed to one of CUDA's
/// functions, or stored in a variable that holds nothing else.
bool LaunchFinder::isFollowed() const {
  size_t I = Above.size() - 1;
  while (I > BodyBegin && isa<CastExpr, ParenExpr, UnaryOperator, FullExpr>(Above[I - 1]))
    --I;
  const Stmt *Parent = I > 0 ? Above[I - 1] : nullptr;
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent))
    return asLaunch(Call, Sources) || callsCuda(Call, Sources);
  const bool Initializes = !Parent || isa<DeclStmt>(Parent);
  return Initializes && Variable && lastingValue(Variable);
}

void LaunchFinder::addFunction(const FunctionDecl *Function) {
  // A default argument belongs to its declaration, which may have no body.
  if (!Function->doesThisDeclarationHaveABody())
    return;
  File *In = Parsed.fileAt(Function->getLocation());
  if (!In) {
    if (!Sources.isInSystemHeader(Function->getLocation()))
      ++Parsed.source().Known.FunctionsLeft[InOtherHeader.str()];
    return;
  }
  HostFunction Found;
  Found.At = In->Source.offsetOf(Function->getLocation());
  Found.Name = Function->getQualifiedNameAsString();
  Stmt *Body = Function->getBody();
  const auto *Try = dyn_cast<CXXTryStmt>(Body);
  const auto Open =
      In->Source.spelled(SourceRange((Try ? Try->getTryBlock() : Body)->getBeginLoc()));
  if (!isSelected(Found.Name))
    Found.Obstacle = NotSelected;
  else if (!Context.getLangOpts().CPlusPlus)
    Found.Obstacle = InC;
  else if (Function->isConstexpr())
    Found.Obstacle = "constexpr";
  else if (isa<CoroutineBodyStmt>(Body))
    Found.Obstacle = "a coroutine";
  else if (!Open || Open->OneLine != "{")
    Found.Obstacle = InMacro;
  if (Found.Obstacle.empty() && Open) {
    Found.BodyOpen = Open->Range.End;
    const unsigned End = In->Source.offsetOf(Body->getEndLoc());
    Found.Streams = streamUses(In->Source, Context, Body, {Found.BodyOpen, End});
  }
  In->Known.Functions.push_back(std::move(Found));
}

/// The first token behind an offset that the parser sees. Skips directives, and code that
/// directives exclude.
unsigned parsedBehind(const Unit &Parsed, const SourceText &Source, unsigned At) {
  const SourceManager &Sources = Source.sources();
  unsigned Found = static_cast<unsigned>(Source.text().size());
  for (const syntax::Token &Token : Parsed.expanded()) {
    const auto [In, Offset] = Sources.getDecomposedExpansionLoc(Token.location());
    if (In == Source.file() && Offset > At)
      Found = std::min(Found, Offset);
  }
  return Found;
}

/// Records the guards of an earlier run: `GRAPHPROF_SCOPE(...); ` behind a brace or behind other
/// guards, and `GRAPHPROF_TIMED(...), `.
void recordGuards(const Unit &Parsed, File &Into) {
  const SourceText &Source = Into.Source;
  if (!Source.text().contains("GRAPHPROF_"))
    return;
  const SourceManager &Sources = Source.sources();
  const auto Tokens = Source.spelled();
  const auto Is = [&](size_t I, tok::TokenKind Kind) {
    return I < Tokens.size() && Tokens[I].kind() == Kind;
  };
  std::optional<unsigned> Brace; // the brace before these guards
  for (size_t I = 0; I < Tokens.size();) {
    const llvm::StringRef Name = Tokens[I].text(Sources);
    if (!Name.starts_with("GRAPHPROF_") || !Is(I + 1, tok::l_paren)) {
      Brace = Is(I, tok::l_brace) ? std::optional(Sources.getFileOffset(Tokens[I].endLocation()))
                                  : std::nullopt;
      ++I;
      continue;
    }
    unsigned Depth = 0;
    for (++I; I < Tokens.size(); ++I) {
      Depth += Is(I, tok::l_paren);
      if (Is(I, tok::r_paren) && --Depth == 0)
        break;
    }
    I += 2; // the parenthesis, and the comma or semicolon behind it
    while (Is(I, tok::semi))
      ++I;
    if (I >= Tokens.size())
      return;
    unsigned Behind = Sources.getFileOffset(Tokens[I].location());
    if (Is(I, tok::hash))
      Behind = parsedBehind(Parsed, Source, Behind);
    if (Name == "GRAPHPROF_TIMED")
      Into.Known.Guards.push_back({std::nullopt, Behind});
    else if (Name == "GRAPHPROF_SCOPE" && Brace)
      Into.Known.Guards.push_back({Brace, Behind});
  }
}

} // namespace

void recordLaunches(Unit &Parsed, ASTContext &Context, const Automatic &Asked) {
  for (const auto &Each : Parsed.files())
    recordGuards(Parsed, *Each);
  LaunchFinder(Parsed, Context, Asked).find();
}

} // namespace graphprof::instrument
