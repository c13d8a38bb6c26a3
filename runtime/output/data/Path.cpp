// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Path.h"

namespace graphprof {

std::string pathInside(std::string_view around, std::string_view name, char separator) {
  constexpr std::string_view leftOut = "...";
  std::string path(around);
  if (path.size() > mostPathBytes - leftOut.size() - 1) {
    // Whole names, if there are any: those that come first stay the same at each further depth.
    constexpr std::size_t first = mostPathBytes / 2;
    std::size_t end = path.rfind(separator, first);
    for (end = end == std::string::npos ? first : end;
         end > 0 && (static_cast<unsigned char>(path[end]) & 0xc0U) == 0x80U;)
      --end; // the cut would divide a UTF-8 sequence
    path.resize(end);
    if (path.ends_with(std::string(1, separator).append(leftOut))) // of an earlier cut
      path.resize(end - leftOut.size() - 1);
    path += separator;
    path += leftOut;
  }
  path += separator;
  path += name;
  return path;
}

} // namespace graphprof
