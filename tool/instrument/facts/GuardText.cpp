// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/GuardText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace graphprof::instrument {

std::string asFormat(llvm::StringRef Name) {
  std::string Result;
  for (const char C : Name) {
    if (C == '{' || C == '}')
      Result += C;
    Result += C;
  }
  return Result;
}

std::string literal(llvm::StringRef Value) {
  std::string Result = "\"";
  for (const char C : Value) {
    const auto Byte = static_cast<unsigned char>(C);
    if (C == '"' || C == '\\') {
      Result += '\\';
      Result += C;
    } else if (Byte < 0x20 ||
               Byte == 0x7F) { // three digits, because the next character may be a digit
      Result += {'\\', static_cast<char>('0' + (Byte >> 6)),
                 static_cast<char>('0' + ((Byte >> 3) & 7)), static_cast<char>('0' + (Byte & 7))};
    } else {
      Result += C;
    }
  }
  return Result + '"';
}

std::string guardValues(const Annotation &Note, llvm::StringRef Without) {
  std::string Values;
  for (const Argument &Each : Note.Arguments)
    if (Each.Key.empty())
      Values += ", " + Each.Text;
  for (const Argument &Each : Note.Arguments)
    if (!Each.Key.empty() && Each.Key != Without)
      Values += ", ::graphprof::key(\"" + Each.Key + "\", " + Each.Text + ")";
  return Values;
}

std::string graphGuard(const Annotation &Note, unsigned Id) {
  const std::string Name = Note.Name ? Note.Name->Spelling : "\"\"";
  return "GRAPHPROF_GRAPH(" + std::to_string(Id) + ", " + Name + guardValues(Note, {}) + ");";
}

bool closesItsConditionals(llvm::StringRef Text) {
  int Depth = 0;
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    Line = Line.ltrim();
    if (!Line.consume_front("#"))
      continue;
    Line = Line.ltrim();
    Depth += Line.starts_with("if");
    Depth -= Line.starts_with("endif");
    if (Depth < 0 || (Depth == 0 && Line.starts_with("el")))
      return false;
  }
  return Depth == 0;
}

bool holdsMoreThanAttributes(llvm::StringRef Between, bool BeginsInList) {
  unsigned Depth = BeginsInList ? 2 : 0; // of brackets
  while (!Between.empty()) {
    const char First = Between.front();
    size_t Length = 1;
    if (Between.starts_with("//")) {
      Length = Between.find('\n');
    } else if (Between.starts_with("/*")) {
      Length = std::min(Between.find("*/", 2), Between.size()) + 2;
    } else if (Depth > 0 && First == '"') {
      while (Length < Between.size() && Between[Length] != '"')
        Length += Between[Length] == '\\' ? 2 : 1;
      ++Length;
    } else if (First == '[') {
      ++Depth;
    } else if (First == ']' && Depth > 0) {
      --Depth;
    } else if (Depth == 0 && First != '\\' && !llvm::isSpace(First)) { // '\\' ends a macro's line
      return true;
    }
    Between = Between.drop_front(std::min(Length, Between.size()));
  }
  return false;
}

llvm::StringRef directiveAt(llvm::StringRef Text, size_t At) {
  const auto IsContinued = [&](size_t Break) {
    return Text.take_front(Break).rtrim("\r").ends_with("\\");
  };
  size_t Before = Text.take_front(At).rfind('\n');
  while (Before != llvm::StringRef::npos && IsContinued(Before))
    Before = Text.take_front(Before).rfind('\n');
  size_t End = Text.find('\n', At);
  while (End != llvm::StringRef::npos && IsContinued(End))
    End = Text.find('\n', End + 1);
  const size_t Begin = Before == llvm::StringRef::npos ? 0 : Before + 1;
  const llvm::StringRef Lines = Text.slice(Begin, End);
  return Lines.take_front(At - Begin).ltrim().starts_with("#") ? Lines : llvm::StringRef();
}

bool isLiteral(llvm::StringRef Value) {
  while (!(Value = Value.ltrim()).empty()) {
    const char First = Value.front();
    if (First == '"' || First == '\'') {
      size_t End = 1;
      while (End < Value.size() && Value[End] != First)
        End += Value[End] == '\\' ? 2 : 1;
      if (End >= Value.size())
        return false;
      Value = Value.drop_front(End + 1);
    } else if (llvm::isDigit(First) ||
               (First == '.' && Value.size() > 1 && llvm::isDigit(Value[1]))) {
      size_t End = 1;
      while (End < Value.size() &&
             (llvm::isAlnum(Value[End]) || Value[End] == '.' || Value[End] == '\'' ||
              (llvm::StringRef("+-").contains(Value[End]) &&
               llvm::StringRef("eEpP").contains(Value[End - 1]) && !Value.starts_with("0x"))))
        ++End;
      Value = Value.drop_front(End);
    } else if (llvm::isAlpha(First) || First == '_') {
      const llvm::StringRef Word =
          Value.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
      if (Word != "true" && Word != "false" && Word != "nullptr")
        return false;
      Value = Value.drop_front(Word.size());
    } else if (llvm::StringRef("+-*/%()<>&|^~!?:").contains(First)) {
      Value = Value.drop_front();
    } else {
      return false;
    }
  }
  return true;
}

} // namespace graphprof::instrument
