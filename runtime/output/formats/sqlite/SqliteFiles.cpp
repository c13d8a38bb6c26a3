// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteFiles.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <map>

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include "Mutex.h"
#include "NoDeadlySignal.h"
#include "output/io/Descriptor.h"

namespace graphprof::sqlite {

namespace {

// The files that SQLite has open. Leaked: databases are written until the process ends.
struct OpenFiles {
  Mutex mutex;
  std::map<int, FileId> files GUARDED_BY(mutex);
};
OpenFiles &openFiles() {
  static auto *const open = new OpenFiles;
  return *open;
}

bool isOurs(int descriptor) {
  OpenFiles &open = openFiles();
  const MutexLock lock(open.mutex);
  const auto known = open.files.find(descriptor);
  return known != open.files.end() && fileOf(descriptor) == known->second;
}

// Closing any descriptor of a file drops all locks that the process has on it. So a descriptor is
// moved only if it is the file's first.
int openFile(const char *path, int flags, int mode) {
  int descriptor = ::open(path, flags, mode);
  const std::optional<FileId> file = fileOf(descriptor);
  if (!file)
    return descriptor;
  OpenFiles &open = openFiles();
  const MutexLock lock(open.mutex);
  const bool isFirst = std::none_of(open.files.begin(), open.files.end(),
                                    [&](const auto &known) { return known.second == *file; });
  if (isFirst)
    descriptor = outOfTheWay(descriptor);
  open.files.insert_or_assign(descriptor, *file);
  return descriptor;
}

int closeFile(int descriptor) {
  const bool ours = isOurs(descriptor);
  {
    OpenFiles &open = openFiles();
    const MutexLock lock(open.mutex);
    open.files.erase(descriptor);
  }
  return ours ? ::close(descriptor) : 0;
}

// Returns the result of `write` if the descriptor is still graphprof's. Beyond the file size limit
// that is an error.
template <class Write> auto ifOurs(int descriptor, Write write) -> decltype(write()) {
  const NoDeadlySignal guard;
  if (isOurs(descriptor))
    return write();
  errno = EBADF;
  return -1;
}

ssize_t writeFile(int descriptor, const void *bytes, std::size_t size) {
  return ifOurs(descriptor, [&] { return ::write(descriptor, bytes, size); });
}
ssize_t writeFileAt(int descriptor, const void *bytes, std::size_t size, off_t offset) {
  return ifOurs(descriptor, [&] { return ::pwrite(descriptor, bytes, size, offset); });
}
ssize_t writeFileAt64(int descriptor, const void *bytes, std::size_t size, off64_t offset) {
  return ifOurs(descriptor, [&] { return ::pwrite64(descriptor, bytes, size, offset); });
}
int truncateFile(int descriptor, off_t size) {
  return ifOurs(descriptor, [&] { return ::ftruncate(descriptor, size); });
}

template <class Call> void replace(::sqlite3_vfs &files, const char *name, Call *call) {
  if (files.xGetSystemCall(&files, name)) // only what this SQLite was built with
    files.xSetSystemCall(&files, name, reinterpret_cast<sqlite3_syscall_ptr>(call));
}

} // namespace

void keepFilesOutOfTheWay() {
  ::sqlite3_vfs *const files = ::sqlite3_vfs_find(nullptr);
  if (!files || files->iVersion < 3 || !files->xSetSystemCall)
    return;
  replace(*files, "open", openFile);
  replace(*files, "close", closeFile);
  replace(*files, "write", writeFile);
  replace(*files, "pwrite", writeFileAt);
  replace(*files, "pwrite64", writeFileAt64);
  replace(*files, "ftruncate", truncateFile);
}

} // namespace graphprof::sqlite
