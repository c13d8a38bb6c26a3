// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compresses text piece by piece into the gzip format. Does not know files.

#ifndef GRAPHPROF_OUTPUT_IO_GZIP_H
#define GRAPHPROF_OUTPUT_IO_GZIP_H

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace graphprof {

class Gzip {
public:
  /// Null if graphprof was built without zlib, or memory is short.
  [[nodiscard]] static std::unique_ptr<Gzip> make();
  /// Was graphprof built with zlib?
  [[nodiscard]] static bool builtIn();

  virtual ~Gzip() = default;
  /// Takes `text`. Appends the compressed bytes that are ready to `out`, often none.
  virtual void add(std::string_view text, std::string &out) = 0;
  /// Appends the rest. Called once, as the last function.
  virtual void finish(std::string &out) = 0;
};

/// The first bytes of a text, of which `compressed` is the beginning of the file; at most `most`.
/// Empty: it is not in the gzip format, or graphprof was built without zlib.
[[nodiscard]] std::string unzippedHead(std::string_view compressed, std::size_t most);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_GZIP_H
