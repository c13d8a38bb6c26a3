// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Files that graphprof holds open, out of the program's way. A program may close descriptors that
// it did not open (a daemon closes all up to some number), and what it opens next gets their
// numbers. So ours have high numbers, and each is looked at before it is written or closed: is it
// still the file that was opened?

#ifndef GRAPHPROF_OUTPUT_IO_DESCRIPTOR_H
#define GRAPHPROF_OUTPUT_IO_DESCRIPTOR_H

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace graphprof {

/// Which file it is, whatever it is called. An inode's number is given out again.
struct FileId {
  std::uint64_t device, inode;
  std::int64_t bornNs; ///< 0 where the file system does not know
  auto operator<=>(const FileId &) const = default;
};
/// Nothing where the descriptor is not open, or there is no such file. Symbolic links are followed.
[[nodiscard]] std::optional<FileId> fileOf(int descriptor);
[[nodiscard]] std::optional<FileId> fileAt(const std::string &path);

/// Moves a descriptor to a high number, closed at exec, and returns that; what it was where there
/// is no room.
[[nodiscard]] int outOfTheWay(int descriptor);

/// Owns a descriptor. One thread at a time.
class Descriptor {
public:
  Descriptor() = default;
  /// Takes `opened` over and moves it out of the way, closed at exec. Negative: none.
  explicit Descriptor(int opened);
  ~Descriptor() { (void)close(); }
  Descriptor(Descriptor &&other) noexcept
      : number_(std::exchange(other.number_, -1)), file_(other.file_) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    if (this != &other) {
      (void)close();
      number_ = std::exchange(other.number_, -1);
      file_ = other.file_;
    }
    return *this;
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  [[nodiscard]] bool isOpen() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] FileId file() const { return file_; }
  /// False: the program has closed it, and the number may be another file's by now.
  [[nodiscard]] bool isOurs() const;
  /// Opens the same file once more, for appending, where the program has closed it. False: it is
  /// not at `path` any more.
  [[nodiscard]] bool recover(const std::string &path);
  /// Returns errno, or 0. What is not ours any more is left alone.
  int close();

private:
  int number_ = -1;
  FileId file_{};
};

/// May graphprof write on descriptor 1 or 2? Yes where it is the file that it was when graphprof
/// was loaded. A program that has put another in its place may have meant to, or have closed the
/// number and opened a file of its own, which is not ours to write: no, but for a terminal,
/// /dev/null, a pipe, what is opened for appending, and the same file as the other of the two.
[[nodiscard]] bool mayWriteStandard(int descriptor);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_DESCRIPTOR_H
