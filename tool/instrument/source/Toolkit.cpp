// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "source/Toolkit.h"

#include "clang/AST/Decl.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace graphprof::instrument {

namespace path = llvm::sys::path;

Toolkit::Toolkit(ASTContext &Context) : Sources(Context.getSourceManager()) {
  for (const char *Name : {"cudaGraphLaunch", "cudaGraphLaunch_ptsz", "cudaMalloc", "cuGraphLaunch",
                           "cuGraphLaunch_ptsz", "cuMemAlloc_v2"})
    for (const NamedDecl *Found :
         Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(Name)))
      Declaring.insert(
          path::parent_path(Sources.getFilename(Sources.getExpansionLoc(Found->getLocation()))));
}

bool Toolkit::exists(const llvm::Twine &Path) const {
  return Sources.getFileManager().getVirtualFileSystem().exists(Path);
}

bool Toolkit::isBelowToolkit(llvm::StringRef Directory) {
  if (Directory.empty())
    return false;
  if (const auto Found = Known.find(Directory); Found != Known.end())
    return Found->second;
  const bool Result =
      exists(Directory + "/crt/host_defines.h") || isBelowToolkit(path::parent_path(Directory));
  return Known[Directory] = Result;
}

bool Toolkit::holds(llvm::StringRef Name) {
  const llvm::StringRef Directory = path::parent_path(Name);
  if (path::filename(Directory) == "graphprof" && exists(Directory + "/graphprof.h") &&
      exists(Directory + "/cuda.h"))
    return true;
  return declares(Name) || isBelowToolkit(Directory);
}

/// A replacement of the toolkit, such as a simulation, may share its directory with other headers.
bool Toolkit::declares(llvm::StringRef Name) const {
  const llvm::StringRef File = path::filename(Name);
  return (File == "cuda.h" || File == "cuda_runtime.h" || File == "cuda_runtime_api.h" ||
          File == "driver_types.h") && // it names them in comments
         Declaring.contains(path::parent_path(Name));
}

bool Toolkit::declares(SourceLocation Location) const {
  return declares(Sources.getFilename(Sources.getExpansionLoc(Location)));
}

bool Toolkit::holds(SourceLocation Location) {
  return holds(Sources.getFilename(Sources.getExpansionLoc(Location)));
}

} // namespace graphprof::instrument
