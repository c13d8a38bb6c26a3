// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/CycleName.h"

#include "output/io/FileName.h"

namespace graphprof {

namespace {

constexpr std::string_view placeholder = "{cycle}";

} // namespace

std::string withCycle(std::string_view item, std::uint64_t cycle) {
  const std::string number = std::to_string(cycle);
  std::string result(item);
  for (std::size_t at = result.find(placeholder); at != std::string::npos;
       at = result.find(placeholder, at + number.size()))
    result.replace(at, placeholder.size(), number);
  return result;
}

bool namesCycle(std::string_view item) { return item.find(placeholder) != std::string_view::npos; }

std::string nameOfCycle(std::string_view item, std::uint64_t cycle) {
  if (namesCycle(item))
    return withCycle(item, cycle);
  if (item.find_first_of(".:/") == std::string_view::npos) // a format without a path: "table"
    return std::string(item);
  return beforeExtension(item, std::to_string(cycle));
}

} // namespace graphprof
