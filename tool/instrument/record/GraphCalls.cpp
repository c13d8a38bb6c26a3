// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/GraphCalls.h"

#include "facts/GraphFunctions.h"
#include "record/CallPlaces.h"
#include "record/FunctionTracker.h"

#include "clang/Lex/Lexer.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace clang;

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral LeftChange =
    "; graphprof then does not see that a graph changes, "
    "and results may change. Fix this call, or accept the risk with --allow-unredirected";

class CallFinder : public FunctionTracker<CallFinder> {
  using Base = FunctionTracker<CallFinder>;

public:
  CallFinder(Unit &Parsed, ASTContext &Context, const Spellings &Spelled, Toolkit &Cudas,
             const CallRecording &Asked)
      : Parsed(Parsed), Sources(Parsed.sources()), Context(Context), Cudas(Cudas), Asked(Asked),
        Places(Parsed, Context.getLangOpts(), Spelled) {}

  std::vector<CallElsewhere> find();

  /// graphprof's own headers call the real functions.
  bool TraverseNamespaceDecl(NamespaceDecl *Space) {
    return Space->getName() == "graphprof" || Base::TraverseNamespaceDecl(Space);
  }

  bool VisitCallExpr(CallExpr *Call) {
    Callees.insert(Call->getCallee()->IgnoreParenImpCasts());
    addCallByPointer(Call);
    return true;
  }

  // What is not evaluated only asks for types, which are the same. A loader's macro asks for the
  // type by name, and for the function by the name's text.
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc Type, bool TraverseQualifier = true) {
    return unevaluated([&] { return Base::TraverseDecltypeTypeLoc(Type, TraverseQualifier); });
  }
  bool TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc Type, bool TraverseQualifier = true) {
    return unevaluated([&] { return Base::TraverseTypeOfExprTypeLoc(Type, TraverseQualifier); });
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *Asking) {
    return unevaluated([&] { return Base::TraverseUnaryExprOrTypeTraitExpr(Asking); });
  }
  bool TraverseCXXNoexceptExpr(CXXNoexceptExpr *Asking) {
    return unevaluated([&] { return Base::TraverseCXXNoexceptExpr(Asking); });
  }

  bool VisitCastExpr(CastExpr *Cast) {
    if (Cast->getCastKind() == CK_PointerToBoolean)
      addTest(Cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *Operation) {
    if (Operation->isEqualityOp()) {
      const auto IsNull = [&](const Expr *Side) {
        return Side->isNullPointerConstant(Context, Expr::NPC_ValueDependentIsNotNull) !=
               Expr::NPCK_NotNull;
      };
      if (IsNull(Operation->getRHS()))
        addTest(Operation->getLHS());
      if (IsNull(Operation->getLHS()))
        addTest(Operation->getRHS());
    }
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Asked.Broken)
      Understood.insert(Sources.getSpellingLoc(Function->getLocation()));
    return true;
  }
  bool VisitUsingDecl(UsingDecl *Using) {
    if (Asked.Broken)
      Understood.insert(Sources.getSpellingLoc(Using->getLocation()));
    return true;
  }
  bool VisitMemberExpr(MemberExpr *Access) {
    if (Asked.Broken)
      Understood.insert(Sources.getSpellingLoc(Access->getMemberLoc()));
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *Reference) {
    if (Asked.Broken)
      Understood.insert(Sources.getSpellingLoc(Reference->getLocation()));
    reportUnknown(Reference);
    if (const auto *Function = dyn_cast<FunctionDecl>(Reference->getDecl());
        Function && isCudas(Function) && !isOurs(Reference->getQualifier()) && Unevaluated == 0 &&
        !Tested.contains(Reference))
      addReference(Function, Reference->getLocation(), Reference->getQualifierLoc(),
                   keepsItsMeaning(Reference, Function), hasUniqueTwin(Reference, Function),
                   Function->isWeak() && !Callees.contains(Reference));
    return true;
  }

  bool VisitUnresolvedLookupExpr(UnresolvedLookupExpr *Reference) {
    if (Asked.Broken)
      Understood.insert(Sources.getSpellingLoc(Reference->getNameLoc()));
    if (isOurs(Reference->getQualifier()) || Unevaluated > 0)
      return true;
    const FunctionDecl *Cudas = nullptr;
    bool HasOthers = false;
    for (const NamedDecl *Candidate : Reference->decls()) {
      const FunctionDecl *Function = Candidate->getUnderlyingDecl()->getAsFunction();
      if (Function && isCudas(Function))
        Cudas = Cudas ? Cudas : Function;
      else
        HasOthers |= !Function || !isOnlyForDevice(Function);
    }
    if (Cudas)
      addReference(Cudas, Reference->getNameLoc(), Reference->getQualifierLoc(),
                   keepsItsMeaning(Reference, Cudas) && !(mayStay(Cudas) && HasOthers));
    return true;
  }

private:
  using File = Unit::File;

  bool unevaluated(llvm::function_ref<bool()> Traverse) {
    ++Unevaluated;
    const bool GoOn = Traverse();
    --Unevaluated;
    return GoOn;
  }
  /// A weak function may be missing; its wrapper never is.
  void addTest(const Expr *Pointer) {
    Pointer = Pointer->IgnoreParenCasts();
    if (const auto *Address = dyn_cast<UnaryOperator>(Pointer);
        Address && Address->getOpcode() == UO_AddrOf)
      Pointer = Address->getSubExpr()->IgnoreParenCasts();
    Tested.insert(Pointer);
  }

  [[nodiscard]] bool isCudas(const FunctionDecl *Function) const;
  [[nodiscard]] static bool isOnlyForDevice(const FunctionDecl *Function) {
    return isWritten<CUDADeviceAttr>(Function) && !isWritten<CUDAHostAttr>(Function);
  }
  /// The listed function that a declared name stands for, or an empty string.
  [[nodiscard]] llvm::StringRef listed(llvm::StringRef DeclaredName) const {
    const llvm::StringRef OfGraphs = listedFunction(DeclaredName);
    return OfGraphs.empty() && Asked.OfMemory ? listedMemoryFunction(DeclaredName) : OfGraphs;
  }
  [[nodiscard]] static bool mayStay(const FunctionDecl *Function) {
    return instrument::mayStay(Function->getName());
  }
  [[nodiscard]] bool keepsItsMeaning(const Expr *Reference, const FunctionDecl *Function) const;
  [[nodiscard]] bool hasUniqueTwin(const Expr *Reference, const FunctionDecl *Function) const;
  [[nodiscard]] llvm::StringRef fileOf(SourceLocation Location) const {
    return Sources.getFilename(Sources.getExpansionLoc(Location));
  }
  [[nodiscard]] static bool isOurs(NestedNameSpecifier Qualifier);
  struct Written {
    SourceLocation At; ///< invalid if the program does not spell it
    llvm::StringRef Name;
    unsigned Size; ///< of the spelling: the name, perhaps with a version
  };
  [[nodiscard]] Written whereWritten(SourceLocation Location, const FunctionDecl *Function) const;
  void addReference(const FunctionDecl *Function, SourceLocation Location,
                    NestedNameSpecifierLoc Qualifier, bool Redirectable, bool ByTwin = false,
                    bool MayBeNull = false);
  void addCallByPointer(const CallExpr *Call);
  void reportUnknown(const DeclRefExpr *Reference);
  void reportCallsByPointer();
  void reportUnparsed();

  /// Reports a call that is not redirected.
  void reportLeft(File &In, unsigned At, llvm::StringRef Name, std::string Message) const {
    const bool Changes = changesGraphs(Name);
    if (Changes)
      Message += LeftChange;
    In.Known.Findings.push_back(
        {Changes ? Asked.Unsafe : Severity::Warning, At, std::move(Message), Changes});
  }

  Unit &Parsed;
  const SourceManager &Sources;
  ASTContext &Context;
  Toolkit &Cudas;
  const CallRecording &Asked;
  llvm::DenseSet<SourceLocation> Understood; ///< all places where listed names are written
  llvm::DenseSet<const Expr *> Callees; ///< of calls around the current node, and of earlier ones
  llvm::DenseSet<const Expr *> Tested;  ///< only compared with null
  unsigned Unevaluated = 0;             ///< how many `decltype` and the like are around
  CallPlaces Places;
  /// Calls of listed functions through pointers: their offsets, by file and function name.
  std::map<std::pair<File *, llvm::StringRef>, std::vector<unsigned>> ByPointer;
  std::vector<CallElsewhere> InHeaders;
};

std::vector<CallElsewhere> CallFinder::find() {
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      TraverseDecl(Top);
  Places.decide([&](const Reference &Each, llvm::StringRef Why) {
    if (!instrument::mayStay(Each.Name))
      reportLeft(*Each.In, Each.Text.Begin, Each.Name,
                 "'" + Each.Name + "' is not redirected: " + Why.str());
  });
  reportCallsByPointer();
  if (Asked.Broken)
    reportUnparsed();
  return std::move(InHeaders);
}

/// Records calls through members or variables that have a listed name
/// (`symbols->cuGraphLaunch(...)`), or that have one of the types of cudaTypedefs.h
/// (PFN_cuGraphLaunch).
void CallFinder::addCallByPointer(const CallExpr *Call) {
  const Expr *Callee = Call->getCallee()->IgnoreParenImpCasts();
  if (const auto *Pointed = dyn_cast<UnaryOperator>(Callee);
      Pointed && Pointed->getOpcode() == UO_Deref) // `(*table->cuGraphLaunch)(...)`
    Callee = Pointed->getSubExpr()->IgnoreParenImpCasts();
  const ValueDecl *Pointer = nullptr;
  SourceLocation At;
  if (const auto *Member = dyn_cast<MemberExpr>(Callee)) {
    Pointer = Member->getMemberDecl();
    At = Member->getMemberLoc();
  } else if (const auto *Name = dyn_cast<DeclRefExpr>(Callee)) {
    Pointer = Name->getDecl();
    At = Name->getLocation();
  }
  if (!Pointer || !isa<FieldDecl, VarDecl>(Pointer) || !Pointer->getIdentifier() ||
      inDeviceCode(/*Shared=*/true))
    return;
  llvm::StringRef Name = listedFunction(Pointer->getName());
  if (const auto *Alias = Pointer->getType()->getAs<TypedefType>(); Name.empty() && Alias) {
    llvm::StringRef Type = Alias->getDecl()->getName();
    if (Type.consume_front("PFN_"))
      Name = listedFunction(Type.split("_v").first); // PFN_cuGraphLaunch_v10000_ptsz
  }
  File *In = Parsed.fileAt(At);
  if (!Name.empty() && In)
    ByPointer[{In, Name}].push_back(In->Source.offsetOf(At));
}

/// One finding for each function. If a unit makes all its graph calls through pointers, graphprof
/// knows none of the graphs. If only some calls use pointers, they change graphs that graphprof
/// knows.
void CallFinder::reportCallsByPointer() {
  const bool KnowsGraphs = llvm::any_of(Parsed.files(), [](const auto &Each) {
    return llvm::any_of(Each->Known.Calls,
                        [](const GraphCall &Call) { return !listedFunction(Call.Name).empty(); });
  });
  for (const auto &[What, Calls] : ByPointer) {
    const auto &[In, Name] = What;
    const std::string Times =
        Calls.size() == 1
            ? "this call is"
            : "this call and " + std::to_string(Calls.size() - 1) + " more of it in this file are";
    std::string Message = "'" + Name.str() + "' is called through a pointer; " + Times +
                          " not redirected, so graphprof does not see " +
                          (changesGraphs(Name) ? "the change" : "it");
    const unsigned At = *llvm::min_element(Calls);
    if (KnowsGraphs)
      reportLeft(*In, At, Name, std::move(Message));
    else
      In->Known.Findings.push_back({Severity::Warning, At, std::move(Message)});
  }
}

/// Reports a function of the toolkit's that may change graphs, and that no list has: the toolkit is
/// newer than the lists.
void CallFinder::reportUnknown(const DeclRefExpr *Reference) {
  const auto *Function = dyn_cast<FunctionDecl>(Reference->getDecl());
  if (!Function || !Function->getIdentifier() || !isUnknownOfGraphs(Function->getName()) ||
      Unevaluated > 0 || inDeviceCode(/*Shared=*/true) || !Cudas.declares(Function->getLocation()))
    return;
  if (File *In = Parsed.fileAt(Reference->getLocation()))
    In->Known.Findings.push_back({Asked.Unsafe, In->Source.offsetOf(Reference->getLocation()),
                                  "'" + Function->getName().str() +
                                      "' is not known to this graphprof: the toolkit is newer" +
                                      LeftChange.str(),
                                  true});
}

/// Reports listed names in code that clang read but could not parse.
void CallFinder::reportUnparsed() {
  for (const syntax::Token &Each : Parsed.expanded()) {
    if (Each.kind() != tok::identifier)
      continue;
    const SourceLocation At = Sources.getSpellingLoc(Each.location());
    File *In = Parsed.fileOf(Sources.getFileID(At));
    if (!In)
      continue;
    const llvm::StringRef Name = listedFunction(Each.text(Sources));
    if (changesGraphs(Name) && Understood.insert(At).second)
      reportLeft(*In, Sources.getFileOffset(At), Name,
                 "'" + Name.str() + "' is not redirected: clang cannot parse the code around it");
  }
}

/// Whether CUDA's headers declare it (their C++ overloads are inline functions), or the program
/// re-declares a function of theirs.
bool CallFinder::isCudas(const FunctionDecl *Function) const {
  if (!Function->getIdentifier() || listed(Function->getName()).empty() ||
      !Function->getDeclContext()->getRedeclContext()->isTranslationUnit() ||
      isOnlyForDevice(Function))
    return false;
  return Function->isExternC() ||
         llvm::sys::path::filename(fileOf(Function->getLocation())).starts_with("cuda_runtime");
}

/// Whether a reference keeps its meaning if it is redirected. The wrappers have all overloads and
/// templates of cuda_runtime.h. A C++ unit may have included only the C functions, and taking a
/// function's address may then become ambiguous.
bool CallFinder::keepsItsMeaning(const Expr *Reference, const FunctionDecl *Function) const {
  const LangOptions &Language = Context.getLangOpts();
  return Language.CUDA || !Language.CPlusPlus || Callees.contains(Reference) ||
         !hasOverloads(listedMemoryFunction(Function->getName()));
}

/// Whether this takes the address of the C function cudaGraphInstantiate. graphprof has an overload
/// of it. cudaGraphInstantiateWithFlags is the same function, and its name has no overload.
bool CallFinder::hasUniqueTwin(const Expr *Reference, const FunctionDecl *Function) const {
  return Context.getLangOpts().CPlusPlus && Function->getName() == "cudaGraphInstantiate" &&
         Function->getNumParams() == 3 && !Callees.contains(Reference);
}

bool CallFinder::isOurs(NestedNameSpecifier Qualifier) {
  if (Qualifier.getKind() != NestedNameSpecifier::Kind::Namespace)
    return false;
  const auto [Space, Prefix] = Qualifier.getAsNamespaceAndPrefix();
  return Space->getQualifiedNameAsString() == "graphprof::cuda";
}

/// Where the program spells the name: goes up from the token through the macro uses around it,
/// until a listed name is spelled outside the header that declares the function. CUDA's headers
/// define names as macros for themselves or for the name of another version.
CallFinder::Written CallFinder::whereWritten(SourceLocation Location,
                                             const FunctionDecl *Function) const {
  const FileID Declaring = Sources.getFileID(Sources.getExpansionLoc(Function->getLocation()));
  for (;;) {
    const SourceLocation Spelling = Sources.getSpellingLoc(Location);
    if (!Sources.isWrittenInScratchSpace(Spelling) &&
        (Sources.getFileID(Spelling) != Declaring || Parsed.fileOf(Declaring))) {
      llvm::SmallString<64> Buffer;
      const llvm::StringRef Token =
          Lexer::getSpelling(Spelling, Buffer, Sources, Context.getLangOpts());
      const llvm::StringRef Name = listed(Token);
      if (!Name.empty())
        // A line splice makes the spelling longer than the name.
        return {Spelling, Name,
                Lexer::MeasureTokenLength(Spelling, Sources, Context.getLangOpts())};
    }
    if (!Location.isMacroID())
      return {};
    Location = Sources.getImmediateMacroCallerLoc(Location);
  }
}

void CallFinder::addReference(const FunctionDecl *Function, SourceLocation Location,
                              NestedNameSpecifierLoc Qualifier, bool Redirectable, bool ByTwin,
                              bool MayBeNull) {
  const auto [Written, Name, Size] = whereWritten(Location, Function);
  if (Written.isInvalid()) {
    if (mayStay(Function) || inDeviceCode(/*Shared=*/true))
      return;
    const SourceLocation Use = Sources.getExpansionLoc(Location);
    if (File *In = Parsed.fileAt(Location))
      reportLeft(*In, In->Source.offsetOf(Location), listedFunction(Function->getName()),
                 "'" + listedFunction(Function->getName()).str() +
                     "' is not redirected: a macro pastes its name together; write it out");
    else if (changesGraphs(listedFunction(Function->getName())) && !Cudas.holds(Use) &&
             !Sources.isInSystemHeader(Use))
      InHeaders.push_back({Use, true});
    return;
  }
  File *In = Parsed.fileOf(Sources.getFileID(Written));
  if (!In) {
    const bool Changes = changesGraphs(Name);
    if (!Cudas.holds(Written) && !mayStay(Function) && !Sources.isInSystemHeader(Written) &&
        !inDeviceCode(/*Shared=*/!Changes))
      InHeaders.push_back({Written, Changes});
    return;
  }

  Reference Found;
  Found.At = Location;
  Found.Written = Written;
  Found.In = In;
  Found.Name = ByTwin ? "cudaGraphInstantiateWithFlags" : Name.str();
  Found.Token = Function->getName().str();
  Found.Stays = !Redirectable;
  Found.MayBeNull = MayBeNull;
  Found.Text.Begin = Sources.getFileOffset(Written);
  Found.Text.End = Found.Text.Begin + Size;
  if (Qualifier) {
    // Includes the qualifier, if the program spells it directly before the name.
    const SourceLocation Begin = Sources.getSpellingLoc(Qualifier.getBeginLoc());
    const auto Tokens = In->Source.spelled();
    const auto *const Own = llvm::partition_point(
        Tokens, [&](const syntax::Token &Token) { return Token.location() < Written; });
    Found.Qualified = Sources.getFileID(Begin) != In->Source.file() ||
                      Sources.getFileOffset(Begin) >= Found.Text.Begin || Own == Tokens.begin() ||
                      std::prev(Own)->kind() != tok::coloncolon;
    if (!Found.Qualified)
      Found.Text.Begin = Sources.getFileOffset(Begin);
  }
  Found.By = inDeviceCode(/*Shared=*/false)  ? Reference::Device
             : inDeviceCode(/*Shared=*/true) ? Reference::Both
                                             : Reference::Host;
  Places.add(std::move(Found));
}

} // namespace

std::vector<CallElsewhere> recordGraphCalls(Unit &Parsed, ASTContext &Context,
                                            const Spellings &Spelled, Toolkit &Cudas,
                                            const CallRecording &Asked) {
  return CallFinder(Parsed, Context, Spelled, Cudas, Asked).find();
}

} // namespace graphprof::instrument
