// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "LaunchBrackets.h"

#include "clang/Lex/Lexer.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace graphprof::instrument {
namespace {

/// Whether two brackets, blanks and a third one stand in the text somewhere: almost never, and much
/// faster to see than by lexing.
bool mayHoldApart(llvm::StringRef Text, char Bracket) {
  const char Two[] = {Bracket, Bracket, '\0'};
  const std::string_view All = Text; // whose find is several times as fast
  for (size_t At = All.find(Two); At != All.npos; At = All.find(Two, At + 1)) {
    const llvm::StringRef Behind = Text.drop_front(At + 2);
    const llvm::StringRef Rest = Behind.ltrim(" \t");
    if (Rest.size() < Behind.size() && Rest.starts_with(Bracket))
      return true;
  }
  return false;
}

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
  if (!mayHoldApart(Text, '<') && !mayHoldApart(Text, '>'))
    return std::nullopt;

  LangOptions Language; // not CUDA: `<<<` comes as `<<` and `<`
  Language.CPlusPlus = Language.CPlusPlus11 = Language.RawStringLiterals = true;
  Language.LineComment = Language.Digraphs = true;
  std::string Joined = Text.str(); // ends in the null that the lexer needs
  std::vector<std::pair<size_t, size_t>> Moves;
  Lexer Raw(SourceLocation(), Language, Joined.data(), Joined.data(),
            Joined.data() + Joined.size());
  size_t TwoEnd = 0;
  tok::TokenKind One = tok::unknown;
  for (clang::Token Token; !Raw.LexFromRawLexer(Token);) {
    const size_t End = Raw.getBufferLocation() - Joined.data();
    const size_t Begin = End - Token.getLength();
    if (Token.is(One) && Begin > TwoEnd &&
        Text.slice(TwoEnd, Begin).find_first_not_of(" \t") == llvm::StringRef::npos)
      Moves.emplace_back(Begin, TwoEnd);
    One = Token.is(tok::lessless)         ? tok::less
          : Token.is(tok::greatergreater) ? tok::greater
                                          : tok::unknown;
    TwoEnd = End;
  }
  if (Moves.empty())
    return std::nullopt;
  for (const auto &[From, To] : Moves)
    std::swap(Joined[From], Joined[To]);
  return Joined;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
withJoinedLaunchBrackets(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Files) {
  return llvm::makeIntrusiveRefCnt<JoinedFileSystem>(std::move(Files));
}

} // namespace graphprof::instrument
