// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/LaunchBrackets.h"

#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Whether the text has two brackets, blanks and a third bracket somewhere. A quick check before
/// lexing, and almost always false.
bool mayHoldApart(llvm::StringRef Text, char Bracket) {
  const char Two[] = {Bracket, Bracket, '\0'};
  const std::string_view All = Text; // its find is several times as fast as StringRef's
  for (size_t At = All.find(Two); At != All.npos; At = All.find(Two, At + 1)) {
    const llvm::StringRef Behind = Text.drop_front(At + 2);
    const llvm::StringRef Rest = Behind.ltrim(" \t");
    if (Rest.size() < Behind.size() && Rest.starts_with(Bracket))
      return true;
  }
  return false;
}

/// Whether a launch somewhere has a brace between its brackets.
bool mayHoldBraces(llvm::StringRef Text) {
  for (size_t At = Text.find("<<"); At != Text.npos; At = Text.find("<<", At + 1))
    if (const llvm::StringRef Behind = Text.drop_front(At + 2);
        Behind.ltrim(" \t").starts_with("<") &&
        Behind.take_until([](char C) { return C == ';'; }).contains('{'))
      return true;
  return false;
}

/// Finds braces that begin an argument, as in `kernel<<<{x, y}, {32, 8}>>>()`, which nvcc accepts
/// and clang does not. The braces of `dim3{x, y}` and of lambdas are not such braces.
class ArgumentBraces {
public:
  void openLaunch() {
    Reading = true;
    Begins = true;
    Nesting.clear();
    Found.clear();
  }

  /// Call it for each token behind the opening brackets.
  void see(tok::TokenKind Kind, size_t At) {
    const bool IsArgument = Begins && Kind == tok::l_brace;
    const bool IsEmpty = Begins && Kind == tok::r_brace;
    Begins = IsArgument || (Kind == tok::comma && Nesting.empty());
    if (Kind == tok::l_brace || Kind == tok::l_paren || Kind == tok::l_square) {
      Nesting.push_back(IsArgument);
      if (IsArgument)
        Found.push_back(At);
    } else if (Kind == tok::r_brace || Kind == tok::r_paren || Kind == tok::r_square) {
      if (Nesting.empty()) {
        Reading = false;
      } else if (Nesting.pop_back_val()) {
        if (IsEmpty)
          Found.pop_back(); // no replacement for `{}` has its length
        else
          Found.push_back(At);
      }
    } else if (Kind == tok::semi && Nesting.empty()) {
      Reading = false;
    }
  }

  void closeLaunch() {
    if (Reading && Nesting.empty())
      All.append(Found);
    Reading = false;
  }

  bool isReading() const { return Reading; }
  llvm::ArrayRef<size_t> all() const { return All; }

private:
  bool Reading = false;            // between a launch's brackets
  bool Begins = false;             // at the beginning of an argument, or of its braces
  llvm::SmallVector<bool> Nesting; // for each open bracket: whether it is an argument's brace
  llvm::SmallVector<size_t> Found; // in this launch
  llvm::SmallVector<size_t> All;
};

class JoinedFile : public llvm::vfs::File {
public:
  explicit JoinedFile(std::unique_ptr<llvm::vfs::File> Original) : Original(std::move(Original)) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return Original->status(); }
  llvm::ErrorOr<std::string> getName() override { return Original->getName(); }
  std::error_code close() override { return Original->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine &Name, int64_t Size, bool NullTerminated, bool IsVolatile) override {
    auto Buffer = Original->getBuffer(Name, Size, NullTerminated, IsVolatile);
    if (Buffer)
      if (const auto Joined = joinLaunchBrackets((*Buffer)->getBuffer()))
        return llvm::MemoryBuffer::getMemBufferCopy(*Joined, (*Buffer)->getBufferIdentifier());
    return Buffer;
  }

private:
  std::unique_ptr<llvm::vfs::File> Original;
};

class JoinedFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  using ProxyFileSystem::ProxyFileSystem;

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override {
    auto Opened = ProxyFileSystem::openFileForRead(Path);
    if (!Opened)
      return Opened;
    return std::make_unique<JoinedFile>(std::move(*Opened));
  }
};

} // namespace

std::optional<std::string> joinLaunchBrackets(llvm::StringRef Text) {
  if (!mayHoldApart(Text, '<') && !mayHoldApart(Text, '>') && !mayHoldBraces(Text))
    return std::nullopt;

  LangOptions Language; // not CUDA, so `<<<` is lexed as `<<` and `<`
  Language.CPlusPlus = Language.CPlusPlus11 = Language.RawStringLiterals = true;
  Language.LineComment = Language.Digraphs = true;
  std::string Joined = Text.str(); // with the terminating null that the lexer needs
  std::vector<std::pair<size_t, size_t>> Moves;
  Lexer Raw(SourceLocation(), Language, Joined.data(), Joined.data(),
            Joined.data() + Joined.size());
  ArgumentBraces Braces;
  size_t TwoEnd = 0;
  tok::TokenKind One = tok::unknown;
  bool IsOperator = false; // the last token was `operator`
  for (clang::Token Token; !Raw.LexFromRawLexer(Token);) {
    const size_t End = Raw.getBufferLocation() - Joined.data();
    const size_t Begin = End - Token.getLength();
    const bool IsThird = Token.is(One) && Text.slice(TwoEnd, Begin).find_first_not_of(" \t") ==
                                              llvm::StringRef::npos;
    if (IsThird && Begin > TwoEnd)
      Moves.emplace_back(Begin, TwoEnd);
    if (IsThird && Token.is(tok::less))
      Braces.openLaunch();
    else if (IsThird)
      Braces.closeLaunch();
    else if (Braces.isReading())
      Braces.see(Token.getKind(), Begin);
    if (IsOperator) // `operator<< <T>` is a template's name
      One = tok::unknown;
    else
      One = Token.is(tok::lessless)         ? tok::less
            : Token.is(tok::greatergreater) ? tok::greater
                                            : tok::unknown;
    IsOperator = Token.is(tok::raw_identifier) && Token.getRawIdentifier() == "operator";
    TwoEnd = End;
  }
  if (Moves.empty() && Braces.all().empty())
    return std::nullopt;
  for (const auto &[From, To] : Moves)
    std::swap(Joined[From], Joined[To]);
  for (const size_t At : Braces.all())
    Joined[At] = Joined[At] == '{' ? '(' : ')';
  return Joined;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedLaunchBrackets(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  return llvm::makeIntrusiveRefCnt<JoinedFileSystem>(std::move(Files));
}

} // namespace graphprof::instrument
