// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which of the project's files a translation unit includes, and how it finds them.
//
// Copies of headers are in other directories than the headers, and no unit may see both. From these
// facts, Mirror decides what must be copied and where the compiler must look first.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_INCLUDES_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_INCLUDES_H

#include "facts/Facts.h"
#include "source/HeaderCache.h"
#include "source/UnitTokens.h"

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace graphprof::instrument {

/// The project's files are those outside system directories. Paths are absolute, without `.` and
/// `..`. Symbolic links stay.
struct IncludeGraph {
  struct File {
    std::string Name; ///< as the compiler names it in messages and in `__FILE__`
    std::string Real; ///< without symbolic links, so equal for all paths of a file
    bool InC = false; ///< a C source includes it
  };
  struct Edge {
    std::string From;
    std::string To;
    bool Beside; ///< `#include "..."`, found in the including file's directory
  };

  /// An `#include` that a copy must spell otherwise: by an absolute path it would lead to the
  /// original, `#include_next` would find the original of the copy itself, and a path with `..` may
  /// go through a directory that holds no copies.
  struct Directive {
    std::string In;    ///< a path
    TextRange Text;    ///< the file's name, with `include_next` if that is there
    std::string Given; ///< the file's name as written, without quotes
    std::string To;    ///< a path; empty: not the same one each time
    bool Next = false;
    bool IsAngled = false;
  };

  /// A header that the command line includes before the source.
  struct Forced {
    std::string Given; ///< as the command names it
    std::string To;    ///< a path
  };

  llvm::StringMap<File> Files;         ///< by path
  std::vector<Edge> Edges;             ///< between paths
  std::vector<Forced> ForcedIn;        ///< each once
  std::vector<Directive> Directives;   ///< each once
  std::vector<std::string> SearchPath; ///< the directories of -I, in order
  std::vector<std::string> QuotePath;  ///< those of -iquote

  /// Adds another unit's graph. If the orders of search paths differ, the first unit's order stays.
  void merge(IncludeGraph Other);
};

/// Converts the compiler's name of a file to a path of the graph. As nvcc::absolute.
std::string pathOf(const clang::FileManager &Files, llvm::StringRef Name);

/// Fills the graph while the unit is preprocessed.
std::unique_ptr<clang::PPCallbacks> recordIncludes(const clang::Preprocessor &PP,
                                                   const UnitTokens &Tokens, IncludeGraph &Into);

/// Finds a header that the unit includes as `<name>` and that a file of this name beside the source
/// would hide if the source's directory were searched with -I. `Before`: of the headers that came
/// precompiled.
std::unique_ptr<clang::PPCallbacks> findHidden(const clang::Preprocessor &PP,
                                               const HeaderFacts &Before, std::string &Name);

} // namespace graphprof::instrument

#endif
