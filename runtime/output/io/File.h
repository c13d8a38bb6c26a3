// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where outputs write: a stream of text, and a file that appears when it is whole. Each call
// returns an empty text, or why it failed with the path and the system's reason. Writing never
// raises SIGPIPE or SIGXFSZ in the program, waits for nobody without end, and writes no file of the
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

/// What becomes of a file that another process is writing, or has written since this one began.
enum class OfOthers : bool {
  Replaced, ///< the program itself says what is written where
  Spared    ///< several processes may have the same environment: this one writes another file, with
            ///< its process id in the name, and says so on standard error
};

/// How long a pipe that nobody reads is waited for.
inline constexpr std::chrono::milliseconds pipePatience{1'000};
/// By what is written on a thread of its own: shorter than the end of the program waits for that.
inline constexpr std::chrono::milliseconds streamPatience{3'000};

/// A text that is written piece by piece. What was written is in the file at once: it survives a
/// crash of the program. A file of another process's is spared.
class TextStream {
public:
  /// Standard error when `path` is empty. /dev/stdout and /dev/stderr are the program's own.
  explicit TextStream(std::string path, std::chrono::milliseconds patience = pipePatience)
      : path_(std::move(path)), patience_(patience) {}
  ~TextStream();
  TextStream(const TextStream &) = delete;
  TextStream &operator=(const TextStream &) = delete;

  /// The file is made, or emptied, at the first call.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string close();

private:
  [[nodiscard]] std::string open();

  const std::string path_;
  const std::chrono::milliseconds patience_;
  std::string opened_;    // path_, or the name that was taken instead
  Descriptor descriptor_; // none for the standard streams
};

/// A file that is written beside its place under a temporary name, and renamed when it is whole:
/// nobody ever reads half of it, and where it fails nothing is left behind. What already stands
/// there as a device or pipe is written in place; where a symbolic link stands there, it stays, and
/// the file is the one that it leads to. Where the path ends in ".gz", what is written is
/// compressed.
class WholeFile {
public:
  explicit WholeFile(std::string path, OfOthers others = OfOthers::Replaced)
      : path_(std::move(path)), others_(others) {}
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
  [[nodiscard]] std::string openTemporary();
  [[nodiscard]] std::string flush();
  [[nodiscard]] std::string rename();
  void discard() noexcept;
  [[nodiscard]] std::string fail(int error);

  const std::string path_;
  const OfOthers others_;
  std::string target_;    // where path_ leads to
  std::string temporary_; // empty: written in place
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_; // null: as it is
  Descriptor descriptor_;
  FileId written_{};
};

/// Writes `text` as a WholeFile. Returns why it failed, or nothing.
[[nodiscard]] std::string writeWhole(std::string path, std::string_view text,
                                     OfOthers others = OfOthers::Replaced);

/// Writes `text` on standard error, as far as possible.
void writeError(std::string_view text) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_FILE_H
