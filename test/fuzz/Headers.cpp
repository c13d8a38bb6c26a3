// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Headers.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace graphprof::fuzz {

void HeaderFiles::addDirectory(llvm::StringRef Directory, llvm::StringRef As) {
  std::error_code Problem;
  for (llvm::sys::fs::recursive_directory_iterator At(Directory, Problem), End;
       At != End && !Problem; At.increment(Problem)) {
    if (At->type() == llvm::sys::fs::file_type::directory_file)
      continue;
    const auto Buffer = llvm::MemoryBuffer::getFile(At->path());
    if (!Buffer)
      llvm::report_fatal_error(llvm::Twine("cannot read ") + At->path());
    addFile((As + llvm::StringRef(At->path()).drop_front(Directory.size())).str(),
            (*Buffer)->getBuffer());
  }
  if (Problem)
    llvm::report_fatal_error("cannot read " + Directory + ": " + Problem.message());
}

void HeaderFiles::addFile(llvm::StringRef Path, llvm::StringRef Text) {
  Own->addFile(Path, 0, llvm::MemoryBuffer::getMemBufferCopy(Text, Path));
}

void HeaderFiles::addAll(const HeaderFiles &Others) {
  Shared.push_back(Others.Own);
  Shared.insert(Shared.end(), Others.Shared.begin(), Others.Shared.end());
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> HeaderFiles::with(llvm::StringRef Source) const {
  auto Case = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  Case->addFile(CasePath, 0, llvm::MemoryBuffer::getMemBufferCopy(Source, CasePath));
  auto Both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(Own);
  for (const Layer &Each : Shared)
    Both->pushOverlay(Each);
  Both->pushOverlay(Case);
  return Both;
}

} // namespace graphprof::fuzz
