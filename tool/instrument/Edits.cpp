// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Edits.h"

#include "llvm/ADT/STLExtras.h"

namespace graphprof::instrument {
namespace {

constexpr llvm::StringLiteral ByteOrderMark = "\xEF\xBB\xBF";
constexpr llvm::StringLiteral RuntimeInclude = "#include <graphprof/";

llvm::StringRef nameOf(RuntimeHeader Header) {
  switch (Header) {
  case RuntimeHeader::Cuda:
    return "cuda.h";
  case RuntimeHeader::CudaDriver:
    return "cuda_driver.h";
  case RuntimeHeader::C:
    return "c.h";
  }
  return {};
}

} // namespace

llvm::Expected<std::string> applyEdits(llvm::StringRef Text, std::vector<Edit> Edits) {
  llvm::sort(Edits, [](const Edit &A, const Edit &B) {
    return std::tie(A.Range.Begin, A.Range.End, A.Text) <
           std::tie(B.Range.Begin, B.Range.End, B.Text);
  });
  std::string Result;
  unsigned Done = 0;
  for (const Edit &Each : Edits) {
    if (Each.Range.Begin < Done || Each.Range.End < Each.Range.Begin ||
        Each.Range.End > Text.size())
      return llvm::createStringError("internal error: edits overlap at byte %u", Each.Range.Begin);
    Result += Text.slice(Done, Each.Range.Begin);
    Result += Each.Text;
    Done = Each.Range.End;
  }
  Result += Text.drop_front(Done);
  if (llvm::count(Result, '\n') != llvm::count(Text, '\n'))
    return llvm::createStringError("internal error: the edits change the number of lines");
  return Result;
}

std::string addPreamble(llvm::StringRef Text, llvm::StringRef Path,
                        llvm::ArrayRef<RuntimeHeader> Headers,
                        llvm::ArrayRef<std::string> EarlyDefines) {
  const llvm::StringRef End = lineEnd(Text);
  std::string Result;
  if (Text.consume_front(ByteOrderMark))
    Result += ByteOrderMark;

  // What an earlier run wrote: defines, then includes.
  llvm::StringRef Rest = Text;
  while (Rest.starts_with("#define "))
    Rest = Rest.split('\n').second;
  const bool Again = Rest.starts_with(RuntimeInclude);
  llvm::StringRef Defines;
  llvm::StringRef Includes;
  if (Again) {
    Defines = Text.drop_back(Rest.size());
    const llvm::StringRef Behind = Rest;
    while (Rest.starts_with(RuntimeInclude))
      Rest = Rest.split('\n').second;
    Includes = Behind.drop_back(Rest.size());
    Text = Rest;
  }

  Result += Defines;
  if (!Again)
    for (const std::string &Define : EarlyDefines)
      Result.append(Define).append(End);
  Result += Includes;
  for (const RuntimeHeader Header : Headers) {
    const std::string Include = (RuntimeInclude + nameOf(Header) + ">").str();
    if (!Includes.contains(Include))
      Result.append(Include).append(End);
  }
  return Result + addLine(Text, Path);
}

std::string addLine(llvm::StringRef Text, llvm::StringRef Path) {
  std::string Result;
  const llvm::StringRef End = lineEnd(Text);
  if (Text.consume_front(ByteOrderMark))
    Result += ByteOrderMark;
  if (Text.starts_with("#line 1 ")) // an earlier copy says it
    return Result + Text.str();
  Result += "#line 1 \"";
  for (const char C : Path) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result.append("\"").append(End).append(Text);
}

llvm::StringRef lineEnd(llvm::StringRef Text) {
  const size_t At = Text.find('\n');
  return At != llvm::StringRef::npos && At > 0 && Text[At - 1] == '\r' ? "\r\n" : "\n";
}

} // namespace graphprof::instrument
