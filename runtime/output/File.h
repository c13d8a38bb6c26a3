// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where outputs write: a stream of text, and a file that appears when it is whole. Each call
// returns an empty text, or why it failed with the path and the system's reason. Writing never
// raises SIGPIPE or SIGXFSZ in the program.

#ifndef GRAPHPROF_OUTPUT_FILE_H
#define GRAPHPROF_OUTPUT_FILE_H

#include <memory>
#include <string>
#include <string_view>

#include "output/Gzip.h"

namespace graphprof {

/// A text that is written piece by piece. What was written is in the file at once: it survives a
/// crash of the program.
class TextStream {
public:
  /// Standard error when `path` is empty. /dev/stdout and /dev/stderr are the program's own.
  explicit TextStream(std::string path) : path_(std::move(path)) {}
  ~TextStream();
  TextStream(const TextStream &) = delete;
  TextStream &operator=(const TextStream &) = delete;

  /// The file is made, or emptied, at the first call.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string close();

private:
  const std::string path_;
  int descriptor_ = -1; // owned, but for the standard ones
};

/// A file that is written beside its place under a temporary name, and renamed when it is whole:
/// nobody ever reads half of it. What already stands there as a device or pipe is written in place.
/// Where the path ends in ".gz", what is written is compressed.
class WholeFile {
public:
  explicit WholeFile(std::string path) : path_(std::move(path)) {}
  ~WholeFile(); ///< without commit(): removes what was written
  WholeFile(const WholeFile &) = delete;
  WholeFile &operator=(const WholeFile &) = delete;

  /// Could a file be made at this place? Writes nothing.
  [[nodiscard]] std::string check() const;
  [[nodiscard]] std::string open();
  /// Buffered; a failure may show at a later call.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string commit();

private:
  [[nodiscard]] std::string flush();

  const std::string path_;
  std::string temporary_; // empty: written in place
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_; // null: as it is
  int descriptor_ = -1;
};

/// Writes `text` as a WholeFile. Returns why it failed, or nothing.
[[nodiscard]] std::string writeWhole(std::string path, std::string_view text);

/// Writes `text` on standard error, as far as possible.
void writeError(std::string_view text) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FILE_H
