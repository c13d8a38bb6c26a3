// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Writes JSON: puts the commas, the quotes and the escapes. Own code, because it writes millions of
// records: the name of a member is one piece of text that the compiler made.
//
//     JsonWriter json(text);
//     json.beginObject().member<"name">(name).member<"depth">(3).endObject();

#ifndef GRAPHPROF_OUTPUT_IO_JSONWRITER_H
#define GRAPHPROF_OUTPUT_IO_JSONWRITER_H

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graphprof/value.h"
#include "output/io/Words.h"

namespace graphprof {

/// The name of a member, as it is written behind another one: `,"name":`.
template <std::size_t size> struct JsonKey {
  // NOLINTNEXTLINE(*-explicit-*): member<"name">
  consteval JsonKey(const char (&name)[size]) {
    std::size_t end = 0;
    text[end++] = ',';
    text[end++] = '"';
    for (const char letter : std::string_view(name)) {
      if (letter < 0x20 || letter == 0x7f || letter == '"' || letter == '\\')
        throw "a name that needs escapes is for key(std::string_view)";
      text[end++] = letter;
    }
    text[end++] = '"';
    text[end++] = ':';
  }
  char text[size + 3]{};
};

/// Nanoseconds, not negative, that are written as microseconds with three decimals, so that nothing
/// is lost.
struct AsMicroseconds {
  std::int64_t ns;
};

/// Appends to a text, which others may append to in between.
class JsonWriter {
public:
  /// `between`: what separates two elements of an array.
  explicit JsonWriter(std::string &out, std::string_view between = ",")
      : out_(out), between_(between) {}

  JsonWriter &beginObject() { return open('{'); }
  JsonWriter &endObject() { return close('}'); }
  JsonWriter &beginArray() { return open('['); }
  JsonWriter &endArray() { return close(']'); }

  /// The name of the next value. The first form is the fast one.
  template <JsonKey name> JsonWriter &key() {
    const std::string_view text(name.text, sizeof name.text);
    out_ += first_ ? text.substr(1) : text;
    first_ = true;
    return *this;
  }
  JsonWriter &key(std::string_view name) {
    value(name);
    out_ += ':';
    first_ = true;
    return *this;
  }
  /// Both at once. Records consist of members with numbers, so each of those is appended as one
  /// piece.
  template <JsonKey name, class Type> JsonWriter &member(const Type &of) {
    if constexpr (std::same_as<Type, bool>)
      return piece<name>([of](char *to) { return copied(of ? "true" : "false", to); });
    else if constexpr (std::integral<Type>)
      return piece<name>([of](char *to) { return std::to_chars(to, to + mostDigits, of).ptr; });
    else
      return key<name>().value(of);
  }
  /// None: null.
  template <JsonKey name, class Type> JsonWriter &member(const std::optional<Type> &maybe) {
    return maybe ? member<name>(*maybe) : piece<name>([](char *to) { return copied("null", to); });
  }

  JsonWriter &value(std::integral auto number) {
    separate();
    append(out_, number);
    return *this;
  }
  JsonWriter &value(bool is) { return raw(is ? "true" : "false"); }
  /// A string. Control characters are escaped. Each byte that is not part of valid UTF-8 becomes
  /// U+FFFD.
  JsonWriter &value(std::string_view text);
  JsonWriter &value(const char *text) { return value(std::string_view(text)); }
  JsonWriter &value(AsMicroseconds time);
  /// None: null.
  template <class Type> JsonWriter &value(const std::optional<Type> &maybe) {
    return maybe ? value(*maybe) : raw("null");
  }
  /// A value that is JSON already.
  JsonWriter &raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }
  /// A string that needs no escapes.
  JsonWriter &plain(std::string_view word) {
    separate();
    out_ += '"';
    out_ += word;
    out_ += '"';
    return *this;
  }
  /// Each context value as a member of the open object: a number, true, false, or a string. Values
  /// that JSON lacks (nan, inf) become strings, and so do addresses, in hexadecimal. The key of a
  /// value without one is its position among those.
  JsonWriter &members(std::span<const Value> context);
  /// The next element is on a line of its own, behind `indent`.
  JsonWriter &line(std::string_view indent = {}) {
    if (!first_)
      out_ += ',';
    out_ += '\n';
    out_ += indent;
    first_ = true;
    return *this;
  }

private:
  static constexpr std::size_t mostDigits = 24;

  static char *copied(std::string_view text, char *to) {
    return std::copy(text.begin(), text.end(), to);
  }
  // A member with a short value: `put` writes it, and returns its end.
  template <JsonKey name, class Put> JsonWriter &piece(Put put) {
    constexpr std::size_t length = sizeof name.text;
    std::array<char, length + mostDigits> text; // NOLINT(*-member-init): written before it is read
    std::memcpy(text.data(), name.text, length);
    const char *const begin = text.data() + (first_ ? 1 : 0), *const end =
                                                                  put(text.data() + length);
    out_.append(begin, static_cast<std::size_t>(end - begin));
    first_ = false;
    return *this;
  }
  void separate() {
    if (!first_)
      out_ += between_;
    first_ = false;
  }
  JsonWriter &open(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
    return *this;
  }
  JsonWriter &close(char bracket) {
    out_ += bracket;
    first_ = false;
    return *this;
  }

  std::string &out_;
  const std::string_view between_;
  bool first_ = true; // nothing stands before the next element
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_JSONWRITER_H
