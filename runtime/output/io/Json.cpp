// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Json.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/io/Text.h"

namespace graphprof {

namespace {

// Used instead of nlohmann's dump, which takes two to four times as long for a name, and which
// replaces several invalid bytes by one replacement character.
void appendAscii(std::string &out, char character) {
  switch (character) {
  case '"':
    out += "\\\"";
    return;
  case '\\':
    out += "\\\\";
    return;
  case '\n':
    out += "\\n";
    return;
  case '\t':
    out += "\\t";
    return;
  default:
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
    else
      out += character;
  }
}

} // namespace

// The library takes a null character for the end.
bool isJson(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

std::string jsonString(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8Sequence(text);
    if (length == 0)
      out += replacementCharacter;
    else if (length == 1)
      appendAscii(out, text.front());
    else
      out += text.substr(0, length);
    text.remove_prefix(length ? length : 1);
  }
  out += '"';
  return out;
}

std::string jsonValue(const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Signed:
    return fmt::format("{}", value.asSigned());
  case Value::Kind::Unsigned:
    return fmt::format("{}", value.asUnsigned());
  case Value::Kind::Real:
    return std::isfinite(value.asReal()) ? fmt::format("{}", value.asReal())
                                         : fmt::format("\"{}\"", value.asReal());
  case Value::Kind::Boolean:
    return value.asBoolean() ? "true" : "false";
  case Value::Kind::Character: {
    const char character = value.asCharacter();
    return jsonString({&character, 1});
  }
  case Value::Kind::Text:
    return jsonString(value.asText());
  case Value::Kind::Address:
    return fmt::format("\"{}\"", value.asAddress());
  }
  return "null";
}

std::string jsonContext(std::span<const Value> context) {
  std::string text = "{";
  std::size_t position = 0;
  for (const Value &value : context) {
    if (text.size() > 1)
      text += ',';
    text += value.key().empty() ? fmt::format("\"{}\"", position++) : jsonString(value.key());
    text += ':' + jsonValue(value);
  }
  return text += '}';
}

std::string jsonMicroseconds(std::int64_t ns) {
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

} // namespace graphprof
