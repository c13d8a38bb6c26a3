// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which headers are copied, and where the compiler looks first, so that no unit sees a header and
// its copy.

#include "run/Mirror.h"

#include <gtest/gtest.h>

namespace graphprof::instrument {
namespace {

class MirrorTest : public testing::Test {
protected:
  void add(const std::string &Path) { Graph.Files[Path] = {Path, Path}; }
  void includes(const std::string &From, const std::string &To, bool Beside) {
    for (const std::string &Path : {From, To})
      if (!Graph.Files.contains(Path))
        add(Path);
    Graph.Edges.push_back({From, To, Beside});
  }
  /// What is copied if `Changed` is rewritten; links as `path -> path`.
  std::vector<std::string> copies(const std::string &Changed) {
    llvm::StringSet<> Rewritten, Sources;
    Rewritten.insert(Changed);
    Sources.insert("/p/main.cu");
    Found = mirror(Graph, Rewritten, Sources);
    std::vector<std::string> Result;
    Result.reserve(Found.size());
    for (const MirroredFile &Each : Found)
      Result.push_back(Each.Path + (Each.LinkTo.empty() ? "" : " -> " + Each.LinkTo));
    return Result;
  }
  std::vector<std::string> searched() {
    std::vector<std::string> Result;
    for (const SearchDirectory &Each : searchFirst(Graph.SearchPath, Found))
      Result.push_back((Each.OfCopies ? "copies of " : "") + Each.Path);
    return Result;
  }

  using Paths = std::vector<std::string>;
  IncludeGraph Graph;
  std::vector<MirroredFile> Found;
};

TEST_F(MirrorTest, IncludersAreCopied) {
  // What includes a copy is copied, up to the source.
  includes("/p/main.cu", "/p/a.h", true);
  includes("/p/a.h", "/p/b.h", false);
  includes("/p/b.h", "/p/c.h", false);
  includes("/p/main.cu", "/p/other.h", true);
  EXPECT_EQ(copies("/p/c.h"), (Paths{"/p/a.h", "/p/b.h", "/p/c.h"}));
}

TEST_F(MirrorTest, FilesBesideCopyAreCopied) {
  includes("/p/main.cu", "/p/i/a.h", false);
  includes("/p/i/a.h", "/p/i/beside.h", true);
  includes("/p/i/a.h", "/p/i/searched.h", false);
  EXPECT_EQ(copies("/p/i/a.h"), (Paths{"/p/i/a.h", "/p/i/beside.h"}));
}

TEST_F(MirrorTest, OtherIncluderIsCopied) {
  // Another includer of a copy is copied too.
  includes("/p/main.cu", "/p/i/a.h", false);
  includes("/p/i/a.h", "/p/i/shared.h", true);
  includes("/p/main.cu", "/p/i/z.h", false);
  includes("/p/i/z.h", "/p/i/shared.h", true);
  EXPECT_EQ(copies("/p/i/a.h"), (Paths{"/p/i/a.h", "/p/i/shared.h", "/p/i/z.h"}));
}

TEST_F(MirrorTest, IncludedSourceIsThere) {
  // A source that is included is there already.
  includes("/p/other.cu", "/p/main.cu", true);
  includes("/p/main.cu", "/p/a.h", true);
  EXPECT_EQ(copies("/p/a.h"), (Paths{"/p/a.h"}));
}

TEST_F(MirrorTest, PathsOfOneFileStay) {
  includes("/p/main.cu", "/p/i/a.h", false);
  Graph.Files["/p/link/a.h"] = {"link/a.h", "/p/i/a.h"};
  Graph.Edges.push_back({"/p/main.cu", "/p/link/a.h", false});
  EXPECT_EQ(copies("/p/i/a.h"), (Paths{"/p/i/a.h", "/p/link/a.h -> /p/i/a.h"}));
}

TEST_F(MirrorTest, DirectoryComesBehindItsCopies) {
  Graph.SearchPath = {"/p/first", "/p/i", "/p/last"};
  includes("/p/main.cu", "/p/i/a.h", false);
  copies("/p/i/a.h");
  EXPECT_EQ(searched(), (Paths{"/p/first", "copies of /p/i", "/p/i"}));
}

TEST_F(MirrorTest, CopiesBesideSourceNeedNoSearch) {
  // Nothing is searched first where copies lie beside the source.
  Graph.SearchPath = {"/p/i"};
  includes("/p/main.cu", "/p/a.h", true);
  copies("/p/a.h");
  EXPECT_EQ(searched(), Paths{});
}

} // namespace
} // namespace graphprof::instrument
