// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Outputs.h"

#include "nvcc/Paths.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace graphprof::instrument {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string outputPath(llvm::StringRef Source, llvm::StringRef OutDir, llvm::StringRef Root) {
  const std::string From = nvcc::absolute(Root);
  const std::string Whole = nvcc::absolute(Source);
  llvm::StringRef Below = Whole;
  llvm::SmallString<256> Result(OutDir);
  if (!Below.consume_front(From) || (!Below.empty() && !Below.starts_with("/") && From != "/"))
    path::append(Result, "outside", path::relative_path(Whole));
  else
    path::append(Result, path::relative_path(Below));
  return Result.str().str();
}

namespace {

std::error_code writeTo(int Descriptor, llvm::StringRef Text) {
  llvm::raw_fd_ostream Out(Descriptor, /*shouldClose=*/false);
  Out << Text;
  Out.flush();
  const std::error_code Code = Out.error();
  Out.clear_error();
  return Code;
}

/// Makes directories with the permissions that the umask allows.
std::error_code makeDirectories(llvm::StringRef Path) {
  return fs::create_directories(Path, /*IgnoreExisting=*/true, fs::all_all);
}

std::error_code lastError() { return {errno, std::generic_category()}; }

std::error_code replaceText(int Descriptor, llvm::StringRef Text) {
  for (size_t At = 0; At < Text.size();) {
    const ssize_t Written =
        pwrite(Descriptor, Text.data() + At, Text.size() - At, static_cast<off_t>(At));
    if (Written < 0 && errno != EINTR)
      return lastError();
    At += Written > 0 ? static_cast<size_t>(Written) : 0;
  }
  return ftruncate(Descriptor, static_cast<off_t>(Text.size())) == 0 ? std::error_code()
                                                                     : lastError();
}

/// Overwrites a file in place, so that its links, owner and attributes stay. Allocates the space
/// first. If writing fails all the same, restores the old text.
std::error_code overwrite(llvm::StringRef Path, llvm::StringRef Text) {
  auto Old = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                         /*IsVolatile=*/true); // read, not mapped
  if (!Old)
    return Old.getError();
  const llvm::StringRef Before = (*Old)->getBuffer();
  const int Descriptor = open(Path.str().c_str(), O_WRONLY | O_CLOEXEC);
  if (Descriptor < 0)
    return lastError();
  std::error_code Code;
  if (Text.size() > Before.size()) {
    const int Problem = posix_fallocate(Descriptor, 0, static_cast<off_t>(Text.size()));
    if (Problem == ENOSPC || Problem == EFBIG || Problem == EDQUOT)
      Code = {Problem, std::generic_category()};
  }
  if (!Code)
    Code = replaceText(Descriptor, Text);
  if (Code)
    (void)replaceText(Descriptor, Before);
  const bool Closed = close(Descriptor) == 0;
  return Code || Closed ? Code : lastError();
}

/// Whether a new file can replace the existing one, which is safer than overwriting it: the file
/// has no other links, and the new one can get its owner.
bool canBeReplaced(const struct stat &Now, int By) {
  struct stat New = {};
  if (Now.st_nlink > 1 || fstat(By, &New) != 0)
    return false;
  return (New.st_uid == Now.st_uid && New.st_gid == Now.st_gid) ||
         fchown(By, Now.st_uid, Now.st_gid) == 0;
}

} // namespace

llvm::Error writeFile(llvm::StringRef Path, llvm::StringRef Text, llvm::StringRef Model) {
  const auto Fail = [&](std::error_code Code) {
    return llvm::createStringError(Code, "cannot write '%s': %s", Path.str().c_str(),
                                   Code.message().c_str());
  };
  if (Path == "-") {
    if (const std::error_code Code = writeTo(STDOUT_FILENO, Text))
      return Fail(Code);
    return llvm::Error::success();
  }
  llvm::SmallString<256> Target(Path);
  if (fs::is_symlink_file(Path))
    if (const std::error_code Code = fs::real_path(Path, Target))
      return Fail(Code);
  // Writes into devices and pipes such as /dev/null, instead of replacing them.
  if (fs::exists(Target) && !fs::is_regular_file(Target)) {
    auto Opened = fs::openNativeFileForWrite(Target, fs::CD_OpenExisting, fs::OF_None);
    if (!Opened)
      return Fail(llvm::errorToErrorCode(Opened.takeError()));
    const std::error_code Written = writeTo(*Opened, Text);
    const std::error_code Closed = fs::closeFile(*Opened);
    if (Written || Closed)
      return Fail(Written ? Written : Closed);
    return llvm::Error::success();
  }
  // Renaming would replace a read-only file, but users who rewrite in place may expect it to be
  // protected.
  if (Path == Model && !fs::can_write(Target))
    return Fail(std::make_error_code(std::errc::permission_denied));
  const llvm::StringRef Directory = path::parent_path(Target);
  if (const std::error_code Code =
          Directory.empty() ? std::error_code() : makeDirectories(Directory))
    return Fail(Code);

  auto Temporary = fs::TempFile::create(Target + ".%%%%%%%%.tmp");
  if (!Temporary)
    return Fail(llvm::errorToErrorCode(Temporary.takeError()));
  const auto Discard = [&](std::error_code Code) {
    llvm::consumeError(Temporary->discard());
    return Fail(Code);
  };
  if (const std::error_code Code = writeTo(Temporary->FD, Text))
    return Discard(Code);
  struct stat Now = {};
  const bool Rewritten = Path == Model && stat(Target.c_str(), &Now) == 0;
  if (Rewritten && !canBeReplaced(Now, Temporary->FD)) {
    // The temporary file stays until the text is written, in case this process is killed.
    const std::error_code Code = overwrite(Target, Text);
    if (Code)
      return Discard(Code);
    llvm::consumeError(Temporary->discard());
    return llvm::Error::success();
  }
  if (const auto Permissions = fs::getPermissions(Model))
    if (const std::error_code Code = fs::setPermissions(Temporary->TmpName, *Permissions))
      return Discard(Code);
  if (llvm::Error Problem = Temporary->keep(Target))
    return Fail(llvm::errorToErrorCode(std::move(Problem)));
  return llvm::Error::success();
}

std::string pathBetween(llvm::StringRef Directory, llvm::StringRef File) {
  // Goes up to the common parent, then down.
  llvm::SmallString<256> Result;
  auto From = path::begin(Directory), FromEnd = path::end(Directory);
  auto To = path::begin(File), ToEnd = path::end(File);
  for (; From != FromEnd && To != ToEnd && *From == *To; ++From, ++To)
    ;
  for (; From != FromEnd; ++From)
    path::append(Result, "..");
  for (; To != ToEnd; ++To)
    path::append(Result, *To);
  return Result.str().str();
}

llvm::Error writeLink(llvm::StringRef Path, llvm::StringRef Target) {
  const std::string Link = pathBetween(path::parent_path(Path), Target);
  std::error_code Code = makeDirectories(path::parent_path(Path));
  if (!Code)
    Code = fs::remove(Path);
  if (!Code)
    Code = fs::create_link(Link, Path);
  return Code ? llvm::createStringError(Code, "cannot write '%s': %s", Path.str().c_str(),
                                        Code.message().c_str())
              : llvm::Error::success();
}

} // namespace graphprof::instrument
