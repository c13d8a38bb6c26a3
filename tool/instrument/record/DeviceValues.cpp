// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/DeviceValues.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <optional>
#include <set>
#include <utility>

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Uses of a parameter that do not only read it. Its address, or a reference to it, may serve to
/// change it.
class ParameterChanges : public RecursiveASTVisitor<ParameterChanges> {
public:
  explicit ParameterChanges(const ParmVarDecl *Parameter) : Parameter(Parameter) {}

  [[nodiscard]] static bool mayBeIn(const Stmt *Body, const ParmVarDecl *Parameter) {
    ParameterChanges Found(Parameter);
    Found.TraverseStmt(const_cast<Stmt *>(Body)); // NOLINT(*-const-cast): it changes nothing
    return Found.Uses.size() > Found.Reads.size();
  }
  bool VisitDeclRefExpr(DeclRefExpr *Name) {
    if (Name->getDecl() == Parameter)
      Uses.insert(Name);
    return true;
  }
  bool VisitCastExpr(CastExpr *Cast) {
    const bool IsRead = Cast->getCastKind() == CK_LValueToRValue ||
                        Cast->getCastKind() == CK_ToVoid ||
                        (Cast->getCastKind() == CK_NoOp && Cast->getType().isConstQualified());
    const auto *Name = dyn_cast<DeclRefExpr>(Cast->getSubExpr()->IgnoreParens());
    if (IsRead && Name && Name->getDecl() == Parameter)
      Reads.insert(Name);
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr * /*SizeOf*/) { return true; }

private:
  const ParmVarDecl *Parameter;
  std::set<const DeclRefExpr *> Uses, Reads;
};

/// Finds what a name that is declared in a function's body means at a byte of it.
class LocalName {
public:
  LocalName(const SourceText &Source, llvm::StringRef Name, unsigned At)
      : Source(Source), Name(Name), At(At) {}

  void look(const Stmt *In) {
    if (!In)
      return;
    const bool IsScope =
        isa<CompoundStmt, ForStmt, CXXForRangeStmt, WhileStmt, IfStmt, SwitchStmt, CXXCatchStmt>(
            In);
    if (IsScope &&
        (Source.offsetOf(In->getBeginLoc()) > At || Source.offsetOf(In->getEndLoc()) < At))
      return;
    if (const auto *Declares = dyn_cast<DeclStmt>(In))
      for (const Decl *Each : Declares->decls())
        take(Each);
    if (isa<LambdaExpr>(In))
      return; // its names are its own
    for (const Stmt *Each : In->children())
      look(Each);
  }
  /// The innermost one; null if there is none.
  const NamedDecl *Found = nullptr;

private:
  void take(const Decl *Declared) {
    if (const auto *Several = dyn_cast<DecompositionDecl>(Declared))
      for (const BindingDecl *Each : Several->bindings())
        take(Each);
    const auto *Named = dyn_cast<NamedDecl>(Declared);
    if (Named && Named->getIdentifier() && Named->getName() == Name &&
        Source.offsetOf(Named->getLocation()) < At)
      Found = Named;
  }

  const SourceText &Source;
  llvm::StringRef Name;
  unsigned At;
};

/// The first thing of a name in a namespace or a class, or in what the namespace uses.
const NamedDecl *findIn(const DeclContext *Context, const IdentifierInfo &Name) {
  for (const NamedDecl *Each : Context->lookup(DeclarationName(&Name)))
    return Each->getUnderlyingDecl();
  const NamespaceDecl *Unnamed = nullptr;
  if (const auto *Namespace = dyn_cast<NamespaceDecl>(Context))
    Unnamed = Namespace->getAnonymousNamespace();
  else if (const auto *All = dyn_cast<TranslationUnitDecl>(Context))
    Unnamed = All->getAnonymousNamespace();
  if (Unnamed)
    if (const NamedDecl *Found = findIn(Unnamed, Name))
      return Found;
  for (const UsingDirectiveDecl *Each : Context->using_directives())
    if (const NamespaceDecl *Used = Each->getNominatedNamespace(); Used && Used != Unnamed)
      for (const NamedDecl *Found : Used->lookup(DeclarationName(&Name)))
        return Found->getUnderlyingDecl();
  return nullptr;
}

/// The namespace, class or enumeration that a name stands for; null if it is none.
const DeclContext *contextOf(const NamedDecl *Named) {
  if (const auto *Alias = dyn_cast_or_null<NamespaceAliasDecl>(Named))
    return Alias->getNamespace();
  if (const auto *Type = dyn_cast_or_null<TypedefNameDecl>(Named))
    return Type->getUnderlyingType()->isDependentType() ? nullptr
                                                        : Type->getUnderlyingType()->getAsTagDecl();
  return dyn_cast_or_null<DeclContext>(Named);
}

/// A number as code, with its type: `4`, `true`, `(unsigned int)4LL`.
std::string codeOf(const llvm::APSInt &Number, QualType Type, const ASTContext &Context) {
  Type = Type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (const EnumDecl *Enum = Type->getAsEnumDecl())
    Type = (Enum->isFixed() ? Enum->getIntegerType() : Enum->getPromotionType())
               .getCanonicalType()
               .getUnqualifiedType();
  if (Type->isBooleanType())
    return Number.isZero() ? "false" : "true";
  std::string Digits = llvm::toString(Number, 10);
  if (Context.hasSameType(Type, Context.IntTy) && Number.isNonNegative())
    return Digits;
  const std::string Cast = "(" + Type.getAsString(PrintingPolicy(Context.getLangOpts())) + ")";
  if (Number.isUnsigned())
    return Cast + Digits + "ULL";
  if (Number.isMinSignedValue() && Number.getBitWidth() == 64)
    return Cast + "(-9223372036854775807LL - 1)";
  return Cast + (Number.isNegative() ? "(" + Digits + "LL)" : Digits + "LL");
}

bool isNumber(QualType Type, const ASTContext &Context) {
  Type = Type.getNonReferenceType().getCanonicalType();
  return !Type->isDependentType() && Type->isIntegralOrEnumerationType() &&
         Context.getTypeSize(Type) <= 64;
}

/// Turns the tokens of a value into code that means the same behind the kernel.
class ValueReader {
public:
  ValueReader(const SourceText &Source, const DeviceFunction &Known, const FunctionDecl *Written,
              const FunctionDecl *Function, unsigned At)
      : Source(Source), Known(Known), Written(Written), Function(Function),
        Context(Function->getASTContext()), At(At) {}

  /// Empty if there is none; then `Why` is filled in.
  std::string read(const Argument &Value) {
    const llvm::ArrayRef<std::string> Tokens = Value.Tokens;
    if (Tokens.size() == 1 && isName(Tokens.front()) && !local(Tokens.front()))
      if (const auto Place = placeOf(Tokens.front()))
        return readParameter(*Place);
    std::string Code = readConstant(Tokens);
    if (Code.empty() && Why.empty())
      Why = "'" + Value.Text + "' is neither a constant nor a parameter of the kernel";
    return Code.empty() ? Code : "::graphprof::device::Constant<(" + Code + ")>";
  }
  std::string Why;

private:
  static bool isName(llvm::StringRef Token) {
    return !Token.empty() && (llvm::isAlpha(Token.front()) || Token.front() == '_') &&
           llvm::all_of(Token, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  }
  /// A literal number, character or bool, or an operator.
  static bool isPlain(llvm::StringRef Token) {
    static const llvm::StringSet<> Known = {
        "true", "false", "(", ")",  "+",  "-", "*", "/",  "%",  "<<", ">>", "&", "|",
        "^",    "~",     "!", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "?", ":"};
    return Known.contains(Token) || Token.front() == '\'' ||
           (llvm::isDigit(Token.front()) &&
            (Token.starts_with_insensitive("0x") || !Token.contains_insensitive('e')) &&
            !Token.contains('.'));
  }

  const NamedDecl *local(llvm::StringRef Name) const {
    LocalName Here(Source, Name, At);
    Here.look((Function->doesThisDeclarationHaveABody() ? Function : Written)->getBody());
    return Here.Found;
  }
  [[nodiscard]] std::optional<unsigned> placeOf(llvm::StringRef Name) const {
    for (const ParmVarDecl *Each : Written->parameters())
      if (Each->getIdentifier() && Each->getName() == Name)
        return Each->getFunctionScopeIndex();
    return std::nullopt;
  }

  std::string readParameter(unsigned Place) {
    const std::string Name = Written->getParamDecl(Place)->getNameAsString();
    const auto IsPack = [](const ParmVarDecl *Each) { return Each->isParameterPack(); };
    if (!Known.IsKernel)
      Why = "'" + Name + "' is a parameter of a device function, and not of the kernel";
    else if (llvm::any_of(Written->parameters().take_front(Place + 1), IsPack))
      Why = "'" + Name + "' is in a parameter pack, or behind one";
    else if (!isNumber(Function->getParamDecl(Place)->getType(), Context))
      Why = "'" + Name + "' is no integer, character, bool or enumeration";
    else if (mayChange(Place))
      Why = "'" + Name + "' may be changed in the kernel";
    return Why.empty() ? "::graphprof::device::Parameter<" + std::to_string(Place) + ">" : "";
  }
  [[nodiscard]] bool mayChange(unsigned Place) const {
    const FunctionDecl *const Seen = Function->doesThisDeclarationHaveABody() ? Function : Written;
    return ParameterChanges::mayBeIn(Seen->getBody(), Seen->getParamDecl(Place));
  }

  std::string readConstant(llvm::ArrayRef<std::string> Tokens) {
    std::string Code;
    while (!Tokens.empty()) {
      std::string Next;
      if (isPlain(Tokens.front())) {
        Next = Tokens.front();
        Tokens = Tokens.drop_front();
      } else {
        Next = readName(Tokens);
      }
      if (Next.empty())
        return {};
      Code += (Code.empty() || Code.back() == '(' || Next == ")" ? "" : " ") + Next;
    }
    return Code;
  }
  /// A name with its qualifiers. Takes the tokens.
  std::string readName(llvm::ArrayRef<std::string> &Tokens) {
    const bool IsGlobal = Tokens.front() == "::";
    if (IsGlobal)
      Tokens = Tokens.drop_front();
    std::vector<llvm::StringRef> Path;
    while (!Tokens.empty() && isName(Tokens.front())) {
      Path.push_back(Tokens.front());
      Tokens = Tokens.drop_front();
      if (Tokens.empty() || Tokens.front() != "::")
        break;
      Tokens = Tokens.drop_front();
    }
    if (Path.empty())
      return {};
    if (Path.size() == 1 && !IsGlobal) {
      if (const NamedDecl *Named = local(Path.front()))
        return codeOfConstant(Named);
      if (placeOf(Path.front()))
        return {};
      if (const auto Place = templateParameter(Path.front()))
        return codeOfArgument(*Place);
    }
    const NamedDecl *Named = findAround(Path.front(), IsGlobal);
    for (const llvm::StringRef Each : llvm::drop_begin(Path)) {
      const DeclContext *const In = contextOf(Named);
      Named = In ? findIn(In, Context.Idents.get(Each)) : nullptr;
    }
    return codeOfConstant(Named);
  }
  [[nodiscard]] const NamedDecl *findAround(llvm::StringRef Name, bool IsGlobal) const {
    const IdentifierInfo &Identifier = Context.Idents.get(Name);
    if (IsGlobal)
      return findIn(Context.getTranslationUnitDecl(), Identifier);
    for (const DeclContext *In = Written->getDeclContext(); In; In = In->getParent())
      if (const NamedDecl *Found = findIn(In, Identifier))
        return Found;
    return nullptr;
  }

  [[nodiscard]] std::optional<unsigned> templateParameter(llvm::StringRef Name) const {
    if (const FunctionTemplateDecl *const Template = Written->getDescribedFunctionTemplate())
      for (unsigned I = 0; I < Template->getTemplateParameters()->size(); ++I)
        if (const NamedDecl *Each = Template->getTemplateParameters()->getParam(I);
            Each->getIdentifier() && Each->getName() == Name)
          return I;
    return std::nullopt;
  }
  [[nodiscard]] std::string codeOfArgument(unsigned Place) const {
    const TemplateArgumentList *const All = Function->getTemplateSpecializationArgs();
    if (!All || Place >= All->size() || All->get(Place).getKind() != TemplateArgument::Integral)
      return {};
    const TemplateArgument &Given = All->get(Place);
    return isNumber(Given.getIntegralType(), Context)
               ? codeOf(Given.getAsIntegral(), Given.getIntegralType(), Context)
               : std::string();
  }
  [[nodiscard]] std::string codeOfConstant(const NamedDecl *Named) const {
    if (const auto *Enumerator = dyn_cast_or_null<EnumConstantDecl>(Named))
      return isNumber(Enumerator->getType(), Context)
                 ? codeOf(Enumerator->getInitVal(), Enumerator->getType(), Context)
                 : std::string();
    const auto *Variable = dyn_cast_or_null<VarDecl>(Named);
    const Expr *const Init = Variable ? Variable->getAnyInitializer() : nullptr;
    if (!Init || Init->isValueDependent() || !isNumber(Variable->getType(), Context) ||
        !Variable->isUsableInConstantExpressions(Context))
      return {};
    const APValue *const Value = Variable->evaluateValue();
    return Value && Value->isInt() ? codeOf(Value->getInt(), Variable->getType(), Context)
                                   : std::string();
  }

  const SourceText &Source;
  const DeviceFunction &Known;
  const FunctionDecl *Written, *Function;
  ASTContext &Context;
  const unsigned At;
};

} // namespace

void recordDeviceValues(Unit::File &In, const DeviceFunction &Known, const FunctionDecl *Written,
                        llvm::ArrayRef<MadeFunction> Made) {
  for (Annotation &Note : In.Known.Annotations) {
    if (Note.Kind != AnnotationKind::Time || Note.InMacro || !Known.Text.contains(Note.At))
      continue;
    for (Argument &Value : Note.Arguments)
      for (const MadeFunction &Each : Made) {
        if (!Value.Key.empty() || !Value.OnDevice.Obstacle.empty())
          continue;
        ValueReader Reader(In.Source, Known, Written, Each.Function, Note.At);
        Value.OnDevice.Code[Each.Arguments] = Reader.read(Value);
        Value.OnDevice.Obstacle = std::move(Reader.Why);
      }
  }
}

} // namespace graphprof::instrument
