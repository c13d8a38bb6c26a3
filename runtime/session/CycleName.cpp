// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/CycleName.h"

#include <algorithm>

namespace graphprof {

namespace {

constexpr std::string_view placeholder = "{cycle}";
constexpr std::string_view compressed = ".gz";

// Where the extension begins: of the last part of the path, not of a placeholder's.
std::size_t extensionOf(std::string_view item) {
  std::string_view whole = item;
  if (whole.ends_with(compressed))
    whole.remove_suffix(compressed.size());
  const std::size_t slash = whole.find_last_of("/:");
  const std::size_t first = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = whole.rfind('.');
  return dot == std::string_view::npos || dot <= first ? whole.size() : dot;
}

} // namespace

std::string withCycle(std::string_view item, std::uint64_t cycle) {
  const std::string number = std::to_string(cycle);
  std::string result(item);
  for (std::size_t at = result.find(placeholder); at != std::string::npos;
       at = result.find(placeholder, at + number.size()))
    result.replace(at, placeholder.size(), number);
  return result;
}

std::string nameOfCycle(std::string_view item, std::uint64_t cycle) {
  if (item.find(placeholder) != std::string_view::npos)
    return withCycle(item, cycle);
  if (item.find_first_of(".:/") == std::string_view::npos) // "table"
    return std::string(item);
  std::string result(item);
  return result.insert(extensionOf(item), "." + std::to_string(cycle));
}

} // namespace graphprof
