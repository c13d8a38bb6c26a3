// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Inputs.h"

namespace graphprof::instrument {

namespace fs = llvm::sys::fs;

void Inputs::add(llvm::StringRef Path) {
  fs::UniqueID Id;
  if (!fs::getUniqueID(Path, Id))
    Names.try_emplace(Id, Path);
}

void Inputs::add(const clang::FileManager &Files) {
  llvm::SmallVector<clang::OptionalFileEntryRef> Seen;
  Files.GetUniqueIDMapping(Seen);
  for (const clang::OptionalFileEntryRef &Each : Seen)
    if (Each)
      Names.try_emplace(Each->getUniqueID(), Each->getName());
}

std::string Inputs::at(llvm::StringRef Path, llvm::StringRef Itself) const {
  // Output to a device or a pipe changes no file.
  fs::UniqueID Id, Allowed;
  if (Path == "-" || !fs::is_regular_file(Path) || fs::getUniqueID(Path, Id))
    return {};
  if (!Itself.empty() && !fs::getUniqueID(Itself, Allowed) && Allowed == Id)
    return {};
  const auto Found = Names.find(Id);
  return Found == Names.end() ? std::string() : Found->second;
}

} // namespace graphprof::instrument
