// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Name.h"

#include <array>
#include <charconv>
#include <exception>
#include <string_view>

#include <fmt/args.h>
#include <fmt/format.h>

#include "Edge.h"

namespace graphprof {

namespace {

constexpr std::string_view noName = "(no name)"; // a row without one would look like no row

using Arguments = fmt::dynamic_format_arg_store<fmt::format_context>;

void push(Arguments &arguments, const Value &value) {
  switch (value.kind()) {
  case Value::Kind::Signed:
    return arguments.push_back(value.as_signed());
  case Value::Kind::Unsigned:
    return arguments.push_back(value.as_unsigned());
  case Value::Kind::Real:
    return arguments.push_back(value.as_real());
  case Value::Kind::Boolean:
    return arguments.push_back(value.as_boolean());
  case Value::Kind::Character:
    return arguments.push_back(value.as_character());
  case Value::Kind::Text:
    return arguments.push_back(std::string_view(value.as_text()));
  case Value::Kind::Address:
    return arguments.push_back(value.as_address());
  }
}

} // namespace

// The shortest decimal that no other float has.
double detail::asWritten(float value) noexcept {
  const OwnFloats inHere;
  constexpr std::size_t longest = 32;
  std::array<char, longest> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double number = 0;
  const auto read = std::from_chars(text.data(), written.ptr, number);
  return written.ec == std::errc() && read.ec == std::errc() ? number : static_cast<double>(value);
}

std::string formatName(const char *format, std::span<const Value> values, bool *fits) {
  if (fits)
    *fits = true;
  if (!format)
    return {};
  try {
    Arguments arguments;
    for (const Value &value : values)
      if (value.key().empty())
        push(arguments, value);
    std::string name = fmt::vformat(format, arguments);
    return name.empty() ? std::string(noName) : name;
  } catch (const std::exception &) {
    if (fits)
      *fits = false;
    return format; // better an unfilled name than no region
  }
}

std::string asFormat(std::string_view name) {
  std::string format;
  for (const char character : name) {
    format += character;
    if (character == '{' || character == '}')
      format += character;
  }
  return format;
}

bool shortenName(std::string &name, std::size_t most) {
  constexpr std::string_view ellipsis = "...";
  if (name.size() <= most)
    return false;
  std::size_t end = most - ellipsis.size();
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U)
    --end; // the cut would divide a UTF-8 sequence
  name.replace(end, std::string::npos, ellipsis);
  return true;
}

} // namespace graphprof
