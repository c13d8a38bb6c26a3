// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "facts/FormatString.h"

#include "facts/Counted.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace graphprof::instrument {
namespace {

using detail::FormatFault;
using detail::FormatType;

std::string nameOf(FormatType Type) {
  switch (Type) {
  case FormatType::Signed:
    return "an integer";
  case FormatType::Unsigned:
    return "an unsigned integer";
  case FormatType::Real:
    return "a floating-point number";
  case FormatType::Boolean:
    return "a bool";
  case FormatType::Character:
    return "a char";
  case FormatType::Text:
    return "a text";
  case FormatType::Address:
    return "a pointer";
  case FormatType::Unknown:
    break;
  }
  return "of an unknown type";
}

/// The replacement field around a byte: "{:d}".
std::string fieldAround(llvm::StringRef Format, size_t At) {
  size_t Begin = Format.take_front(At).rfind('{');
  Begin = Begin == llvm::StringRef::npos ? At : Begin;
  size_t End = Format.find('}', At);
  End = End == llvm::StringRef::npos ? Format.size() : End + 1;
  return "'" + Format.slice(Begin, End).str() + "'";
}

/// How many values a format needs that has too few of them: the place at `At` has none.
size_t placesIn(llvm::StringRef Format, size_t At) {
  size_t Number = 0;
  llvm::StringRef Numbered = Format.drop_front(At);
  Numbered.consume_front("{");
  if (!Numbered.consumeInteger(10, Number)) // as `{1}`
    return Number + 1;
  size_t Places = 0;
  for (size_t I = 0; I < Format.size(); ++I) {
    if (Format.drop_front(I).starts_with("{{"))
      ++I;
    else
      Places += Format[I] == '{';
  }
  return Places;
}

std::string message(llvm::StringRef Format, const detail::FormatResult &Found,
                    llvm::ArrayRef<FormatValue> Values) {
  switch (Found.fault) {
  case FormatFault::UnopenedBrace:
    return "'}' without a '{' before it; write '}}' for a brace";
  case FormatFault::UnclosedBrace:
    return "'{' without a '}' behind it; write '{{' for a brace";
  case FormatFault::ExpectedEnd:
    return "expected '}' or ':'";
  case FormatFault::NamedValue:
    return "'" +
           Format.drop_front(Found.at)
               .take_while([](char C) { return llvm::isAlnum(C) || C == '_'; })
               .str() +
           "': values are named by their place, '{}' or '{0}'";
  case FormatFault::MixedNumbering:
    return "'{}' and '{0}' cannot be mixed in one format";
  case FormatFault::NoValue:
    return counted(placesIn(Format, Found.at), "place") + ", " + counted(Values.size(), "value") +
           "; add a value, or remove a place";
  case FormatFault::WrongType:
    return fieldAround(Format, Found.at) + " cannot show '" + Values[Found.value].Text +
           "', which is " + nameOf(Values[Found.value].Type);
  case FormatFault::NoInteger:
    return "a width or precision is an integer, and '" + Values[Found.value].Text + "' is " +
           nameOf(Values[Found.value].Type);
  case FormatFault::NoSpecification:
    return "no value can be shown as " + fieldAround(Format, Found.at) +
           "; see https://fmt.dev/latest/syntax.html";
  case FormatFault::None:
    break;
  }
  return {};
}

} // namespace

std::string withoutFields(llvm::StringRef Format) {
  std::string Text;
  for (size_t I = 0; I < Format.size(); ++I) {
    Text += Format[I];
    if ((Format[I] == '{' || Format[I] == '}') && I + 1 < Format.size() &&
        Format[I + 1] == Format[I])
      ++I;
  }
  return Text;
}

FormatCheck checkFormat(llvm::StringRef Format, llvm::ArrayRef<FormatValue> Values) {
  const auto Types = llvm::map_to_vector(Values, [](const FormatValue &V) { return V.Type; });
  llvm::SmallVector<bool> Used(Values.size());
  const detail::FormatResult Found = detail::FormatCheck(Format.data(), Format.size(), Types.data(),
                                                         Types.size(), /*open=*/false, Used.data())
                                         .check();
  FormatCheck Result;
  Result.Used.assign(Used.begin(), Used.end());
  if (Found.fault != FormatFault::None)
    Result.Problem = FormatProblem{Found.at, message(Format, Found, Values)};
  return Result;
}

} // namespace graphprof::instrument
