// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/JsonWriter.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "output/io/Json.h"

namespace graphprof {

JsonWriter &JsonWriter::value(std::string_view text) {
  separate();
  appendJsonString(out_, text);
  return *this;
}

JsonWriter &JsonWriter::value(AsMicroseconds time) {
  separate();
  append(out_, time.ns / 1000);
  const auto rest = static_cast<int>(time.ns % 1000);
  out_ += '.';
  out_ += static_cast<char>('0' + rest / 100);
  out_ += static_cast<char>('0' + rest / 10 % 10);
  out_ += static_cast<char>('0' + rest % 10);
  return *this;
}

JsonWriter &JsonWriter::members(std::span<const Value> context) {
  std::size_t position = 0;
  for (const Value &each : context) {
    if (each.key().empty())
      key(std::to_string(position++));
    else
      key(each.key());
    switch (each.kind()) {
    case Value::Kind::Signed:
      value(each.asSigned());
      break;
    case Value::Kind::Unsigned:
      value(each.asUnsigned());
      break;
    case Value::Kind::Real:
      if (std::isfinite(each.asReal()))
        raw(fmt::format("{}", each.asReal()));
      else
        plain(fmt::format("{}", each.asReal()));
      break;
    case Value::Kind::Boolean:
      value(each.asBoolean());
      break;
    case Value::Kind::Character: {
      const char character = each.asCharacter();
      value(std::string_view(&character, 1));
      break;
    }
    case Value::Kind::Text:
      value(each.asText());
      break;
    case Value::Kind::Address:
      plain(fmt::format("{}", each.asAddress()));
      break;
    }
  }
  return *this;
}

} // namespace graphprof
