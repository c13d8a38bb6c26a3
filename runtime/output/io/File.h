// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Files that outputs write: a stream of text, and a file that appears when it is complete. Each
// call returns an empty text, or why it failed, with the path and the system's reason. Writing
// raises no SIGPIPE or SIGXFSZ in the program, always ends, and never writes to a file of the
// program's (Descriptor.h).

#ifndef GRAPHPROF_OUTPUT_IO_FILE_H
#define GRAPHPROF_OUTPUT_IO_FILE_H

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "output/io/Descriptor.h"
#include "output/io/Gzip.h"

namespace graphprof {

/// What happens to a file that another process is writing, or has written since this one began.
enum class OfOthers : bool {
  Replaced, ///< the program itself chose the path
  Spared    ///< several processes may share an environment: this one writes another file,
            ///< with its process id in the name, and reports that on standard error
};

/// How long to wait for a pipe without a reader.
inline constexpr std::chrono::milliseconds pipePatience{1'000};
/// The same for a thread of its own. Shorter than the wait for that thread at the program's end.
inline constexpr std::chrono::milliseconds streamPatience{3'000};

/// A text that is written piece by piece. Each piece is in the file at once, so it survives a crash
/// of the program. Does not write to another process's file.
class TextStream {
public:
  /// Standard error if `path` is empty. /dev/stdout and /dev/stderr are the program's own streams.
  explicit TextStream(std::string path, std::chrono::milliseconds patience = pipePatience)
      : path_(std::move(path)), patience_(patience) {}
  ~TextStream();
  TextStream(const TextStream &) = delete;
  TextStream &operator=(const TextStream &) = delete;

  /// The first call makes or empties the file.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string close();

private:
  [[nodiscard]] std::string open();

  const std::string path_;
  const std::chrono::milliseconds patience_;
  std::string opened_;    // path_, or the name used instead
  Descriptor descriptor_; // not used for the standard streams
};

/// A file that is written under a temporary name and renamed when it is complete, so that nobody
/// reads half of it, and a failure leaves nothing behind. A device or pipe is written in place. A
/// symbolic link stays, and its target is written. If the path ends in ".gz", the file is
/// compressed.
class WholeFile {
public:
  explicit WholeFile(std::string path, OfOthers others = OfOthers::Replaced)
      : path_(std::move(path)), others_(others) {}
  ~WholeFile(); ///< removes the temporary file unless commit() was called
  WholeFile(const WholeFile &) = delete;
  WholeFile &operator=(const WholeFile &) = delete;

  /// Could a file be made at the path? Writes nothing.
  [[nodiscard]] std::string check() const;
  [[nodiscard]] std::string open();
  /// Buffered, so a failure may show in a later call.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string commit();

private:
  [[nodiscard]] std::string openTemporary();
  [[nodiscard]] std::string flush();
  [[nodiscard]] std::string rename();
  void discard() noexcept;
  [[nodiscard]] std::string fail(int error);

  const std::string path_;
  const OfOthers others_;
  std::string target_;    // the target of path_
  std::string temporary_; // empty: written in place
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_; // null: not compressed
  Descriptor descriptor_;
  FileId written_{};
};

/// Writes `text` as a WholeFile. Returns why it failed, or an empty text.
[[nodiscard]] std::string writeWhole(std::string path, std::string_view text,
                                     OfOthers others = OfOthers::Replaced);

/// Writes `text` to standard error, as far as possible.
void writeError(std::string_view text) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_FILE_H
