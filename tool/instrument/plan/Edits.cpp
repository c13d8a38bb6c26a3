// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "plan/Edits.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral ByteOrderMark = "\xEF\xBB\xBF";
constexpr llvm::StringLiteral RuntimeInclude = "#include <graphprof/";
constexpr llvm::StringLiteral LineOne = "#line 1 ";

llvm::StringRef nameOf(RuntimeHeader Header) {
  switch (Header) {
  case RuntimeHeader::Cuda:
    return "cuda.h";
  case RuntimeHeader::CudaDriver:
    return "cuda_driver.h";
  case RuntimeHeader::C:
    return "c.h";
  case RuntimeHeader::Named:
    return "detail/named.h";
  case RuntimeHeader::Twin:
    return "device/twin.h";
  }
  return {};
}

/// The lines that an earlier run put in front of a text: defines, then includes.
struct Front {
  explicit Front(llvm::StringRef Text) : Rest(Text) {
    Rest.consume_front(ByteOrderMark);
    llvm::StringRef Behind = Rest;
    while (Behind.starts_with("#define "))
      Behind = Behind.split('\n').second;
    if (!Behind.starts_with(RuntimeInclude))
      return;
    Rest = Behind;
    while (Rest.starts_with(RuntimeInclude))
      Rest = Rest.split('\n').second;
    Includes = Behind.drop_back(Rest.size());
  }

  llvm::StringRef Includes;
  llvm::StringRef Rest; ///< begins with a #line if there was an earlier run
};

/// A #line directive that makes the following text the file's first line; empty if the copy already
/// has one.
std::string lineDirective(llvm::StringRef Behind, llvm::StringRef Path, llvm::StringRef End) {
  if (Behind.starts_with(LineOne))
    return {};
  return "#line 1 " + quoted(Path) + End.str();
}

std::vector<const Edit *> inOrder(const std::vector<Edit> &Edits) {
  std::vector<const Edit *> Result;
  Result.reserve(Edits.size());
  for (const Edit &Each : Edits)
    Result.push_back(&Each);
  llvm::sort(Result, [](const Edit *A, const Edit *B) {
    return std::tie(A->Range.Begin, A->Range.End, A) < std::tie(B->Range.Begin, B->Range.End, B);
  });
  return Result;
}

} // namespace

std::string quoted(llvm::StringRef Path) {
  std::string Result = "\"";
  for (const char C : Path) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + "\"";
}

std::string rewritten(llvm::StringRef Text, const std::vector<Edit> &Edits) {
  std::string Result;
  unsigned Done = 0;
  for (const Edit *Each : inOrder(Edits)) {
    Result += Text.slice(Done, Each->Range.Begin);
    Result += Each->Text;
    Done = Each->Range.End;
  }
  return Result + Text.drop_front(Done).str();
}

llvm::Expected<std::string> applyEdits(llvm::StringRef Text, const std::vector<Edit> &Edits) {
  unsigned Done = 0;
  for (const Edit *Each : inOrder(Edits)) {
    if (Each->Range.Begin < Done || Each->Range.End < Each->Range.Begin ||
        Each->Range.End > Text.size())
      return llvm::createStringError("internal error: edits overlap at byte %u", Each->Range.Begin);
    Done = Each->Range.End;
  }
  std::string Result = rewritten(Text, Edits);
  auto Lines = llvm::count(Text, '\n');
  for (const Edit &Each : Edits)
    if (Each.OwnLines)
      Lines += llvm::count(Each.Text, '\n');
  if (llvm::count(Result, '\n') != Lines)
    return llvm::createStringError("internal error: the edits change the number of lines");
  return Result;
}

size_t ownText(llvm::StringRef Text) {
  const llvm::StringRef Rest = Front(Text).Rest;
  return Text.size() - (Rest.starts_with(LineOne) ? Rest.split('\n').second : Rest).size();
}

Edit preamble(llvm::StringRef Text, llvm::StringRef Path, llvm::ArrayRef<RuntimeHeader> Headers,
              llvm::ArrayRef<std::string> EarlyDefines) {
  const llvm::StringRef End = lineEnd(Text);
  const Front Earlier(Text);
  Edit Result;
  Result.Range.Begin = Result.Range.End = Text.size() - Earlier.Rest.size();
  if (Earlier.Includes.empty())
    for (const std::string &Define : EarlyDefines)
      Result.Text.append(Define).append(End);
  for (const RuntimeHeader Header : Headers) {
    const std::string Include = (RuntimeInclude + nameOf(Header) + ">").str();
    if (!Earlier.Includes.contains(Include))
      Result.Text.append(Include).append(End);
  }
  Result.Text += lineDirective(Earlier.Rest, Path, End);
  return Result;
}

std::string addPreamble(llvm::StringRef Text, llvm::StringRef Path,
                        llvm::ArrayRef<RuntimeHeader> Headers,
                        llvm::ArrayRef<std::string> EarlyDefines) {
  const Edit Preamble = preamble(Text, Path, Headers, EarlyDefines);
  return Text.str().insert(Preamble.Range.Begin, Preamble.Text);
}

Edit lineEdit(llvm::StringRef Text, llvm::StringRef Path) {
  const unsigned At = Text.starts_with(ByteOrderMark) ? ByteOrderMark.size() : 0;
  return {{At, At}, lineDirective(Text.drop_front(At), Path, lineEnd(Text))};
}

std::string addLine(llvm::StringRef Text, llvm::StringRef Path) {
  const Edit Line = lineEdit(Text, Path);
  return Text.str().insert(Line.Range.Begin, Line.Text);
}

llvm::StringRef lineEnd(llvm::StringRef Text) {
  const size_t At = Text.find('\n');
  return At != llvm::StringRef::npos && At > 0 && Text[At - 1] == '\r' ? "\r\n" : "\n";
}

} // namespace graphprof::instrument
