// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What reading variables needs of their texts.

#ifndef GRAPHPROF_OUTPUT_IO_READTEXT_H
#define GRAPHPROF_OUTPUT_IO_READTEXT_H

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

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

/// "10s", "500ms", "2m", "1h", or seconds, as seconds; nullopt if it is no time above 0.
inline std::optional<double> readSeconds(std::string_view text) {
  double factor = 1;
  for (const auto &[unit, each] :
       {std::pair<std::string_view, double>("ms", 1e-3), {"s", 1}, {"m", 60}, {"h", 3600}})
    if (text.ends_with(unit)) {
      text.remove_suffix(unit.size());
      factor = each;
      break;
    }
  double number = 0;
  return readWhole(text, number) && number > 0 ? std::optional(number * factor) : std::nullopt;
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_READTEXT_H
