// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Files that graphprof keeps open, out of the program's way. A program may close descriptors that
// it did not open (a daemon closes all up to some number), and its next files get their numbers. So
// graphprof's descriptors have high numbers, and each is checked before it is written or closed: is
// it still the same file?

#ifndef GRAPHPROF_OUTPUT_IO_DESCRIPTOR_H
#define GRAPHPROF_OUTPUT_IO_DESCRIPTOR_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace graphprof {

/// Identifies a file, whatever its name. (An inode's number may be reused.)
struct FileId {
  std::uint64_t device, inode;
  std::int64_t bornNs; ///< 0 if the file system does not tell, or a sandbox refuses the question
  bool operator==(const FileId &other) const {
    return device == other.device && inode == other.inode &&
           (bornNs == other.bornNs || bornNs == 0 || other.bornNs == 0);
  }
};
/// nullopt if the descriptor is not open, or the file does not exist. Follows symbolic links.
[[nodiscard]] std::optional<FileId> fileOf(int descriptor);
[[nodiscard]] std::optional<FileId> fileAt(const std::string &path);

/// Moves a descriptor to a high number that is closed at exec, and returns that; returns the old
/// number if there is no room.
[[nodiscard]] int outOfTheWay(int descriptor);

/// Owns a descriptor. One thread at a time.
class Descriptor {
public:
  Descriptor() = default;
  /// Takes over `opened` and moves it out of the way. Negative: none.
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
  /// Returns false if the program has closed it; then the number may belong to another file.
  [[nodiscard]] bool isOurs() const;
  /// If the program has closed it, opens the same file again, for appending. Returns false if the
  /// file is not at `path` any more.
  [[nodiscard]] bool recover(const std::string &path);
  /// Returns errno or 0. Does not close a descriptor that belongs to another file now.
  int close();

private:
  int number_ = -1;
  FileId file_{};
};

/// May graphprof write to descriptor 1 or 2? Yes if it is still the same file as when graphprof was
/// loaded. Otherwise the program may have redirected it, or may have closed it and opened a file of
/// its own. So the answer is no, except for a terminal, /dev/null, a pipe, a file opened for
/// appending, and the file of the other of the two.
[[nodiscard]] bool mayWriteStandard(int descriptor);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_IO_DESCRIPTOR_H
