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
#include <optional>
#include <string>
#include <string_view>

#include "output/data/Origin.h"
#include "output/io/Descriptor.h"
#include "output/io/Gzip.h"

namespace graphprof {

/// What happens to a file that belongs to another process (Ownership.h).
enum class Existing : bool {
  Replaced,   ///< the program itself chose the path
  KeepForeign ///< several processes may share an environment: this one writes another file,
              ///< with its process id in the name, and reports that on standard error
};

/// How long to wait for a pipe without a reader.
inline constexpr std::chrono::milliseconds pipePatience{1'000};
/// The same for a thread of its own. Shorter than the wait for that thread at the program's end.
inline constexpr std::chrono::milliseconds streamPatience{3'000};

/// A path that names a file which the program has open: "/dev/stdout", "/dev/fd/7", a symbolic link
/// to it. It is written where it is: opened once more, it would be emptied, or overwritten from its
/// begin. Descriptors other than the standard streams are copied when the object is made, since the
/// program may close its own and open another file under the number.
class OpenFile {
public:
  /// Standard error if `path` is empty.
  explicit OpenFile(const std::string &path);
  /// Does the path name such a file?
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }
  /// `path`, for messages: as it was given.
  [[nodiscard]] std::string write(const std::string &path, std::string_view text);

private:
  [[nodiscard]] bool isStandard() const { return number_ == 1 || number_ == 2; }
  int number_;
  Descriptor copy_; // not of the standard streams
};

/// A text that is written piece by piece. Each piece is in the file at once, so it survives a crash
/// of the program. Does not write to another process's file.
class TextStream {
public:
  /// Standard error if `path` is empty. A path may also be an OpenFile's.
  explicit TextStream(std::string path, std::chrono::milliseconds patience = pipePatience);
  ~TextStream();
  TextStream(const TextStream &) = delete;
  TextStream &operator=(const TextStream &) = delete;

  /// The first call makes or empties the file.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string close();
  /// The file's name, as seen from where the process began, once it is written; empty: it is none,
  /// but a stream, a pipe or a device.
  [[nodiscard]] std::string written() const;

private:
  [[nodiscard]] std::string open();

  const std::string path_;
  const std::chrono::milliseconds patience_;
  OpenFile given_;                   // if the path names one; then the members below are not used
  std::optional<FileId> heldBefore_; // what another process wrote when this object was made
  std::string opened_;               // path_, or the name used instead
  Descriptor descriptor_;
};

/// A file that is written under a temporary name and renamed when it is complete, so that nobody
/// reads half of it, and a failure leaves nothing behind. A device, a pipe and an OpenFile are
/// written in place. A symbolic link stays, and its target is written. If the path ends in ".gz",
/// the file is compressed.
class WholeFile {
public:
  explicit WholeFile(std::string path, Existing others = Existing::Replaced)
      : path_(std::move(path)), others_(others),
        shown_(others == Existing::KeepForeign ? asSeenFromOrigin(path_) : path_), given_(path_) {}
  ~WholeFile(); ///< removes the temporary file unless commit() was called
  WholeFile(const WholeFile &) = delete;
  WholeFile &operator=(const WholeFile &) = delete;

  /// Could a file be made at the path? Writes nothing.
  [[nodiscard]] std::string check() const;
  [[nodiscard]] std::string open();
  /// Buffered, so a failure may show in a later call.
  [[nodiscard]] std::string write(std::string_view text);
  [[nodiscard]] std::string commit();
  /// All three, for a text that is complete.
  [[nodiscard]] std::string writeOnce(std::string_view text);
  /// Likewise, after commit().
  [[nodiscard]] const std::string &written() const { return renamed_; }

private:
  [[nodiscard]] std::string openTemporary();
  [[nodiscard]] std::string flush();
  [[nodiscard]] std::string rename();
  void discard() noexcept;
  [[nodiscard]] std::string fail(int error);

  const std::string path_;
  const Existing others_;
  const std::string shown_; // the path in messages
  OpenFile given_;          // if the path names one
  std::string target_;      // the target of path_
  std::string temporary_;   // empty: written in place
  std::string renamed_;     // what it is now
  std::string buffer_;
  std::unique_ptr<Gzip> gzip_; // null: not compressed
  Descriptor descriptor_;
  FileId written_{};
};

/// Writes `text` as a WholeFile. Returns why it failed, or an empty text; then fills `*written`, if
/// given.
[[nodiscard]] std::string writeWhole(std::string path, std::string_view text,
                                     Existing others = Existing::Replaced,
                                     std::string *written = nullptr);

/// Writes `text` to standard error, as far as possible.
void writeError(std::string_view text) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_FILE_H
