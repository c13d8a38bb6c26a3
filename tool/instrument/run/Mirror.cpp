// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "run/Mirror.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace graphprof::instrument {
namespace {

bool isBelow(llvm::StringRef Path, llvm::StringRef Directory) {
  return Path.consume_front(Directory) && (Directory == "/" || Path.starts_with("/"));
}

} // namespace

std::vector<MirroredFile> mirror(const IncludeGraph &Graph, const llvm::StringSet<> &Changed,
                                 const llvm::StringSet<> &Sources) {
  // A file may have several paths through symbolic links. All of them are treated alike.
  const auto RealOf = [&](llvm::StringRef Path) {
    const auto Found = Graph.Files.find(Path);
    return Found == Graph.Files.end() ? Path : llvm::StringRef(Found->second.Real);
  };
  std::set<llvm::StringRef> Copied, AlreadyThere;
  for (const auto &Each : Changed)
    Copied.insert(RealOf(Each.getKey()));
  for (const auto &Each : Sources)
    AlreadyThere.insert(RealOf(Each.getKey()));

  for (bool Grew = !Copied.empty(); Grew;) {
    const size_t Before = Copied.size();
    for (const IncludeGraph::Edge &Each : Graph.Edges) {
      const llvm::StringRef From = RealOf(Each.From);
      const llvm::StringRef To = RealOf(Each.To);
      if (Copied.contains(To) && !AlreadyThere.contains(From))
        Copied.insert(From);
      if (Copied.contains(From) && Each.Beside && !AlreadyThere.contains(To))
        Copied.insert(To);
    }
    Grew = Copied.size() > Before;
  }

  std::map<llvm::StringRef, std::vector<llvm::StringRef>> Paths;
  for (const auto &[Path, File] : Graph.Files)
    if (Copied.contains(File.Real) && !AlreadyThere.contains(File.Real))
      Paths[File.Real].push_back(Path);
  std::vector<MirroredFile> Result;
  for (auto &[Real, All] : Paths) {
    llvm::sort(All);
    for (const llvm::StringRef Path : All)
      Result.push_back({Path.str(), Path == All.front() ? "" : All.front().str()});
  }
  return Result;
}

std::vector<SearchDirectory> searchFirst(llvm::ArrayRef<std::string> SearchPath,
                                         const std::vector<MirroredFile> &Mirrored) {
  std::vector<SearchDirectory> Result;
  size_t Needed = 0;
  for (const std::string &Directory : SearchPath) {
    const bool HoldsCopies = llvm::any_of(
        Mirrored, [&](const MirroredFile &File) { return isBelow(File.Path, Directory); });
    if (HoldsCopies)
      Result.push_back({Directory, true});
    Result.push_back({Directory, false});
    if (HoldsCopies)
      Needed = Result.size();
  }
  Result.resize(Needed, {}); // behind the last copy, the command's own flags are enough
  return Result;
}

} // namespace graphprof::instrument
