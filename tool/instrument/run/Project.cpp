// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Project.h"

#include "nvcc/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <array>

namespace graphprof::instrument {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
using nvcc::absolute;
using nvcc::realPath;

bool isBelow(llvm::StringRef Path, llvm::StringRef Directory) {
  return Path.consume_front(Directory) && (Directory.ends_with("/") || Path.starts_with("/"));
}

bool isUnderVersionControl(llvm::StringRef Directory) {
  return llvm::any_of(std::array{"/.git", "/.hg", "/.svn", "/.jj"},
                      [&](const char *Each) { return fs::exists(Directory + Each); });
}

std::string directoryOf(llvm::StringRef Source) {
  const std::string Whole = absolute(Source);
  const llvm::StringRef Own = path::parent_path(Whole);
  for (llvm::StringRef Each = Own; !Each.empty(); Each = path::parent_path(Each))
    if (isUnderVersionControl(Each))
      return Each.str();
  const std::string Here = absolute(".");
  return isBelow(Whole, Here) || isBelow(realPath(Own) + "/", realPath(Here)) ? Here : Own.str();
}

} // namespace

Project::Project(const Options &Asked, llvm::ArrayRef<Job> Sources) : InPlace(Asked.InPlace) {
  if (!Asked.Project.empty())
    add(Asked.Project);
  else
    for (const Job &Each : Sources)
      add(directoryOf(Each.Given));
}

void Project::add(llvm::StringRef Path) {
  const std::string Whole = absolute(Path);
  if (llvm::none_of(Directories, [&](const Directory &Each) { return Each.Path == Whole; }))
    Directories.push_back({Whole, realPath(Whole)});
}

bool Project::holds(llvm::StringRef Path) const {
  if (!InPlace &&
      llvm::any_of(Directories, [&](const Directory &Each) { return isBelow(Path, Each.Path); }))
    return true;
  const std::string Real = realPath(Path);
  return llvm::any_of(Directories, [&](const Directory &Each) { return isBelow(Real, Each.Real); });
}

} // namespace graphprof::instrument
