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
      value(each.as_signed());
      break;
    case Value::Kind::Unsigned:
      value(each.as_unsigned());
      break;
    case Value::Kind::Real:
      if (std::isfinite(each.as_real()))
        raw(fmt::format("{}", each.as_real()));
      else
        plain(fmt::format("{}", each.as_real()));
      break;
    case Value::Kind::Boolean:
      value(each.as_boolean());
      break;
    case Value::Kind::Character: {
      const char character = each.as_character();
      value(std::string_view(&character, 1));
      break;
    }
    case Value::Kind::Text:
      value(each.as_text());
      break;
    case Value::Kind::Address:
      plain(fmt::format("{}", each.as_address()));
      break;
    }
  }
  return *this;
}

} // namespace graphprof
