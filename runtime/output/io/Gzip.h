// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compresses a text piece by piece into the gzip format. Knows no files.

#ifndef GRAPHPROF_OUTPUT_IO_GZIP_H
#define GRAPHPROF_OUTPUT_IO_GZIP_H

#include <memory>
#include <string>
#include <string_view>

namespace graphprof {

class Gzip {
public:
  /// Null where this graphprof was built without zlib, or memory is short.
  [[nodiscard]] static std::unique_ptr<Gzip> make();
  /// Was it built with zlib?
  [[nodiscard]] static bool builtIn();

  virtual ~Gzip() = default;
  /// Takes `text`, and appends to `out` what is ready of the compressed one: nothing, often.
  virtual void add(std::string_view text, std::string &out) = 0;
  /// Appends the rest, once, last.
  virtual void finish(std::string &out) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_GZIP_H
