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
  const std::string_view All = Text;
  for (size_t At = All.find("<<"); At != All.npos; At = All.find("<<", At + 1))
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

using Change = std::optional<std::string> (*)(llvm::StringRef);

class ChangedFile : public llvm::vfs::File {
public:
  ChangedFile(std::unique_ptr<llvm::vfs::File> Original, Change How)
      : Original(std::move(Original)), How(How) {}

  /// The changed text may be longer, so its size is asked for.
  llvm::ErrorOr<llvm::vfs::Status> status() override {
    auto Status = Original->status();
    if (!Status || How == joinLaunchBrackets)
      return Status;
    const auto Buffer = getBuffer(Status->getName(), -1, true, false);
    return Buffer ? llvm::vfs::Status::copyWithNewSize(*Status, (*Buffer)->getBufferSize())
                  : Status;
  }
  llvm::ErrorOr<std::string> getName() override { return Original->getName(); }
  std::error_code close() override { return Original->close(); }

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const llvm::Twine &Name, int64_t Size, bool NullTerminated, bool IsVolatile) override {
    auto Buffer = Original->getBuffer(Name, Size, NullTerminated, IsVolatile);
    if (Buffer)
      if (const auto Joined = How((*Buffer)->getBuffer()))
        return llvm::MemoryBuffer::getMemBufferCopy(*Joined, (*Buffer)->getBufferIdentifier());
    return Buffer;
  }

private:
  std::unique_ptr<llvm::vfs::File> Original;
  Change How;
};

class ChangedFileSystem : public llvm::vfs::ProxyFileSystem {
public:
  ChangedFileSystem(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files, Change How)
      : ProxyFileSystem(std::move(Files)), How(How) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &Path) override {
    auto Status = ProxyFileSystem::status(Path);
    if (!Status || How == joinLaunchBrackets || !Status->isRegularFile())
      return Status;
    auto Opened = openFileForRead(Path);
    return Opened ? (*Opened)->status() : Status;
  }

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &Path) override {
    auto Opened = ProxyFileSystem::openFileForRead(Path);
    if (!Opened)
      return Opened;
    return std::make_unique<ChangedFile>(std::move(*Opened), How);
  }

private:
  Change How;
};

} // namespace

/// The text with joined brackets, and where the braces between them are.
struct Launches {
  std::string Joined;
  llvm::SmallVector<size_t> Braces;
};

static std::optional<Launches> launchesIn(llvm::StringRef Text) {
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
  return Launches{std::move(Joined), llvm::SmallVector<size_t>(Braces.all())};
}

std::optional<std::string> joinLaunchBrackets(llvm::StringRef Text) {
  auto Found = launchesIn(Text);
  if (!Found)
    return std::nullopt;
  for (const size_t At : Found->Braces)
    Found->Joined[At] = Found->Joined[At] == '{' ? '(' : ')';
  return std::move(Found->Joined);
}

std::optional<std::string> launchesForClang(llvm::StringRef Text) {
  auto Found = launchesIn(Text);
  if (!Found)
    return std::nullopt;
  llvm::sort(Found->Braces);
  for (const size_t At : llvm::reverse(Found->Braces))
    if (Found->Joined[At] == '{')
      Found->Joined.insert(At, "dim3");
  return std::move(Found->Joined);
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedLaunchBrackets(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  return llvm::makeIntrusiveRefCnt<ChangedFileSystem>(std::move(Files), joinLaunchBrackets);
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withLaunchesForClang(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  return llvm::makeIntrusiveRefCnt<ChangedFileSystem>(std::move(Files), launchesForClang);
}

} // namespace graphprof::instrument
