// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What reading variables needs of their texts.

#ifndef GRAPHPROF_OUTPUT_IO_READTEXT_H
#define GRAPHPROF_OUTPUT_IO_READTEXT_H

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace graphprof {

/// Without blanks around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// Removes the first item from a list with commas and returns it without surrounding blanks.
inline std::string_view takeItem(std::string_view &list) {
  const std::size_t comma = std::min(list.find(','), list.size());
  const std::string_view item = trimmed(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return item;
}

/// Returns whether all of the text is a number.
template <class Number> bool readWhole(std::string_view text, Number &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_READTEXT_H
