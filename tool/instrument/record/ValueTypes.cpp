// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "record/ValueTypes.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

using namespace clang;

namespace graphprof::instrument {
namespace {

using detail::FormatType;

/// The type that graphprof::Value converts a value to.
FormatType typeOf(QualType Type) {
  Type = Type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (Type->isDependentType())
    return FormatType::Unknown;
  if (const auto *Enum = Type->getAsEnumDecl())
    return Enum->getIntegerType().isNull() ? FormatType::Unknown : typeOf(Enum->getIntegerType());
  if (Type->isBooleanType())
    return FormatType::Boolean;
  if (const auto *Builtin = Type->getAs<BuiltinType>()) {
    if (Builtin->getKind() == BuiltinType::Char_S || Builtin->getKind() == BuiltinType::Char_U)
      return FormatType::Character;
    if (Builtin->isSignedInteger())
      return FormatType::Signed;
    if (Builtin->isUnsignedInteger())
      return FormatType::Unsigned;
    const auto Kind = Builtin->getKind();
    return Kind == BuiltinType::Float || Kind == BuiltinType::Double ||
                   Kind == BuiltinType::LongDouble
               ? FormatType::Real
               : FormatType::Unknown;
  }
  const QualType Element = Type->isArrayType() ? QualType(Type->getArrayElementTypeNoTypeQual(), 0)
                                               : Type->getPointeeType();
  if (!Element.isNull())
    return typeOf(Element) == FormatType::Character && !Element->isEnumeralType() ? FormatType::Text
           : Type->isAnyPointerType() && !Element->isFunctionType() ? FormatType::Address
                                                                    : FormatType::Unknown;
  const CXXRecordDecl *Class = Type->getAsCXXRecordDecl();
  const auto *Text = dyn_cast_or_null<ClassTemplateSpecializationDecl>(Class);
  return Text && Text->isInStdNamespace() &&
                 (Text->getName() == "basic_string" || Text->getName() == "basic_string_view") &&
                 typeOf(Text->getTemplateArgs()[0].getAsType()) == FormatType::Character
             ? FormatType::Text
             : FormatType::Unknown;
}

/// The type of a value that is one literal; otherwise Unknown.
FormatType typeOfLiteral(llvm::StringRef Text) {
  if (Text == "true" || Text == "false")
    return FormatType::Boolean;
  if (Text.size() > 1 && (Text.front() == '"' || Text.front() == '\'') &&
      Text.find(Text.front(), 1) == Text.size() - 1)
    return Text.front() == '"' ? FormatType::Text : FormatType::Character;
  Text.consume_front("-");
  if (Text.empty() || !llvm::isDigit(Text.front()) ||
      !llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '.' || C == '\''; }))
    return FormatType::Unknown;
  if (Text.starts_with_insensitive("0x"))
    return FormatType::Unknown; // its size decides whether it is signed
  if (Text.find_first_of(".eE") != llvm::StringRef::npos)
    return FormatType::Real;
  return Text.contains_insensitive("u")                                     ? FormatType::Unsigned
         : Text.find_first_not_of("0123456789lL'") == llvm::StringRef::npos ? FormatType::Signed
                                                                            : FormatType::Unknown;
}

bool isName(llvm::StringRef Text) {
  return !Text.empty() && !llvm::isDigit(Text.front()) &&
         llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

/// The scopes of variables in files with annotations.
class Names : public RecursiveASTVisitor<Names> {
public:
  Names(const Unit &Parsed, const llvm::StringSet<> &Wanted) : Parsed(Parsed), Wanted(Wanted) {}

  bool VisitCompoundStmt(CompoundStmt *Block) {
    for (const Stmt *Each : Block->body())
      addDeclared(Each, Block);
    return true;
  }
  bool VisitForStmt(ForStmt *For) {
    addDeclared(For->getInit(), For);
    return add(For->getConditionVariable(), For);
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *For) {
    addDeclared(For->getInit(), For);
    return add(For->getLoopVariable(), For);
  }
  bool VisitWhileStmt(WhileStmt *While) { return add(While->getConditionVariable(), While); }
  bool VisitIfStmt(IfStmt *If) {
    addDeclared(If->getInit(), If);
    return add(If->getConditionVariable(), If);
  }
  bool VisitSwitchStmt(SwitchStmt *Switch) {
    addDeclared(Switch->getInit(), Switch);
    return add(Switch->getConditionVariable(), Switch);
  }
  bool VisitCXXCatchStmt(CXXCatchStmt *Catch) { return add(Catch->getExceptionDecl(), Catch); }
  bool VisitLambdaExpr(LambdaExpr *Lambda) {
    for (const LambdaCapture &Each : Lambda->captures())
      if (Each.capturesVariable() && Lambda->isInitCapture(&Each))
        addIn(Each.getCapturedVar(), Lambda->getBody()->getBeginLoc(),
              Lambda->getBody()->getEndLoc());
    return addParameters(Lambda->getCallOperator());
  }
  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody())
      if (const auto *Method = dyn_cast<CXXMethodDecl>(Function))
        for (const Decl *Member : Method->getParent()->decls())
          if (isa<FieldDecl, VarDecl>(Member))
            addIn(cast<ValueDecl>(Member), Function->getBeginLoc(), Function->getEndLoc());
    return addParameters(Function);
  }
  bool VisitVarDecl(VarDecl *Variable) {
    if (const Unit::File *In = Parsed.fileAt(Variable->getLocation());
        In && Variable->isFileVarDecl() && !Variable->isStaticDataMember())
      addRange(Variable, *In,
               {In->Source.offsetOf(Variable->getEndLoc()),
                static_cast<unsigned>(In->Source.text().size())});
    return true;
  }

  bool VisitValueDecl(ValueDecl *Declared) {
    if (const IdentifierInfo *Name = Declared->getIdentifier())
      Values.insert(Name->getName().str());
    return true;
  }

  /// The names of all variables, functions and members in files with annotations.
  [[nodiscard]] const std::set<std::string> &all() const { return Values; }

  /// The type of a name at an offset; none if the name was not added.
  [[nodiscard]] std::optional<FormatType> find(const Unit::File &In, llvm::StringRef Name,
                                               unsigned At) const {
    const auto Known = Found.find({&In, Name.str()});
    if (Known == Found.end())
      return std::nullopt;
    const Visible *Inner = nullptr;
    for (const Visible &Each : Known->second)
      if (Each.Where.contains(At) && (!Inner || Inner->Where.Begin <= Each.Where.Begin))
        Inner = &Each;
    return Inner ? std::optional(Inner->Type) : std::nullopt;
  }

private:
  struct Visible {
    TextRange Where;
    FormatType Type;
  };

  void addDeclared(const Stmt *S, const Stmt *Block) {
    if (const auto *Declaration = dyn_cast_or_null<DeclStmt>(S))
      for (const Decl *Each : Declaration->decls()) {
        add(dyn_cast<VarDecl>(Each), Block);
        if (const auto *Several = dyn_cast<DecompositionDecl>(Each))
          for (const BindingDecl *Binding : Several->bindings())
            addIn(Binding, Several->getEndLoc(), Block->getEndLoc());
      }
  }
  bool add(const VarDecl *Variable, const Stmt *Block) {
    if (Variable)
      addIn(Variable, Variable->getEndLoc(), Block->getEndLoc());
    return true;
  }
  bool addParameters(const FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody())
      for (const ParmVarDecl *Each : Function->parameters())
        addIn(Each, Each->getEndLoc(), Function->getEndLoc());
    return true;
  }
  void addIn(const ValueDecl *Declared, SourceLocation Begin, SourceLocation End) {
    const Unit::File *In = Parsed.fileAt(Begin);
    if (In && Parsed.fileAt(End) == In)
      addRange(Declared, *In, {In->Source.offsetOf(Begin), In->Source.offsetOf(End)});
  }
  void addRange(const ValueDecl *Declared, const Unit::File &In, TextRange Where) {
    if (Declared->getIdentifier() && Wanted.contains(Declared->getName()))
      Found[{&In, Declared->getName().str()}].push_back({Where, typeOf(Declared->getType())});
  }

  const Unit &Parsed;
  const llvm::StringSet<> &Wanted;
  std::map<std::pair<const Unit::File *, std::string>, std::vector<Visible>> Found;
  std::set<std::string> Values;
};

/// Every name that is declared anywhere.
class AllNames : public RecursiveASTVisitor<AllNames> {
public:
  bool VisitNamedDecl(NamedDecl *Named) {
    if (const IdentifierInfo *Name = Named->getIdentifier())
      Declared.insert(Name->getName());
    return true;
  }
  llvm::StringSet<> Declared;
};

/// Gives literals their types. Returns the names that annotations use.
llvm::StringSet<> namesUsed(Unit &Parsed) {
  llvm::StringSet<> Used;
  for (const auto &File : Parsed.files())
    for (Annotation &Note : File->Known.Annotations)
      for (Argument &Each : Note.Arguments) {
        Each.Type = typeOfLiteral(Each.Text);
        if (isName(Each.Text))
          Used.insert(Each.Text);
        for (const NameUse &Name : Each.Names)
          Used.insert(Name.Name);
      }
  return Used;
}

/// The name that differs least from `Name`; empty if all differ much.
std::string nearestTo(llvm::StringRef Name, const std::set<std::string> &All) {
  std::string Nearest;
  unsigned Distance = 1 + static_cast<unsigned>(Name.size()) / 3;
  for (const std::string &Each : All)
    if (const unsigned D = Name.edit_distance(Each, /*AllowReplacements=*/true, Distance);
        D < Distance || (D == Distance && Nearest.empty())) {
      Distance = D;
      Nearest = Each;
    }
  return Nearest;
}

Finding undeclared(const NameUse &Name, const std::set<std::string> &All) {
  const std::string Nearest = nearestTo(Name.Name, All);
  return {Severity::Error, Name.At,
          "'" + Name.Name + "' is not declared" +
              (Nearest.empty() ? "" : "; did you mean '" + Nearest + "'?")};
}

} // namespace

void recordValueTypes(Unit &Parsed, ASTContext &Context, bool Understood) {
  const llvm::StringSet<> Wanted = namesUsed(Parsed);
  if (Wanted.empty())
    return;
  Names Known(Parsed, Wanted);
  for (Decl *Top : Parsed.topLevel(Context))
    if (Parsed.mayHoldCode(Top))
      Known.TraverseDecl(Top);

  std::optional<AllNames> All;
  const auto IsDeclared = [&](llvm::StringRef Name) {
    if (Name == "graphprof") // declared by the header that the tool includes
      return true;
    if (!All) {
      All.emplace();
      All->TraverseDecl(Context.getTranslationUnitDecl());
    }
    return All->Declared.contains(Name);
  };
  for (const auto &File : Parsed.files())
    for (size_t I = 0; I < File->Known.Annotations.size(); ++I) {
      Annotation &Note = File->Known.Annotations[I];
      const Construct &Target = File->Known.Constructs[I];
      if (Note.InMacro)
        continue; // the macro's uses may differ
      const bool HasBody =
          Target.Kind == ConstructKind::Compound || Target.Kind == ConstructKind::Function;
      const unsigned At = HasBody ? Target.BodyOpen : Target.Text.Begin;
      for (Argument &Each : Note.Arguments) {
        if (const auto Type = isName(Each.Text) ? Known.find(*File, Each.Text, At) : std::nullopt)
          Each.Type = *Type;
        if (!Understood)
          continue;
        for (const NameUse &Name : Each.Names)
          if (!Known.find(*File, Name.Name, At) && !IsDeclared(Name.Name))
            File->Known.Findings.push_back(undeclared(Name, Known.all()));
      }
    }
}

} // namespace graphprof::instrument
