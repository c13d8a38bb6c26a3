// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Json.h"

#include <cstddef>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/io/JsonWriter.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

void appendEscaped(std::string &out, char character) {
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
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
  }
}

// All but printable ASCII without quotes and backslashes.
bool needsCare(unsigned char byte) {
  return byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\';
}

} // namespace

// The library takes a null character for the end.
bool isJson(std::string_view text) {
  return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

// Used instead of nlohmann's dump, which takes two to four times as long for a name, and which
// replaces several invalid bytes by one replacement character.
void appendJsonString(std::string &out, std::string_view text) {
  out += '"';
  appendWithCare(out, text, needsCare, [](std::string &to, std::string_view sequence) {
    if (sequence.empty())
      to += replacementCharacter;
    else if (sequence.size() == 1)
      appendEscaped(to, sequence.front());
    else
      to += sequence;
  });
  out += '"';
}

std::string jsonString(std::string_view text) {
  std::string out;
  appendJsonString(out, text);
  return out;
}

std::string jsonContext(std::span<const Value> context) {
  std::string out;
  JsonWriter(out).beginObject().members(context).endObject();
  return out;
}

} // namespace graphprof
