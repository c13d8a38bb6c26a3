// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The description of a format: the items of GRAPHPROF_OUTPUT that ask for it, when it is written,
// what it shows, and how it is made. Each format defines one in its folder of formats/ and has a
// line in formats/list.def. Does not know any particular format.

#ifndef GRAPHPROF_OUTPUT_FORMAT_H
#define GRAPHPROF_OUTPUT_FORMAT_H

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "output/BatchWriter.h"
#include "output/data/Run.h"

namespace graphprof {

struct Format;

/// Does a text begin with a line that says whose it is?
[[nodiscard]] inline bool beginsAsLine(std::string_view head) {
  return head.starts_with("graphprof: ");
}

/// Which outputs get host spans, of those that can show them.
enum class HostSpansFor : unsigned char {
  None,
  Whole, ///< traces and key averages; not outputs that are written while the program
         ///< runs, because these must cost little
  All,   ///< also the binary file, SQLite and JSON lines
};

/// When data reaches the file, and which thread writes it.
enum class WriteMode : unsigned char {
  Streaming, ///< while the program runs, on its own thread (Streamed)
  Immediate, ///< at once, on the thread that hands on replays (InlineOutput)
  AtEnd,     ///< on the same thread, but nothing is shown before the end
};

/// When a format shows host spans.
enum class ShowsHostSpans : unsigned char {
  Never,
  OnRequest, ///< with HostSpansFor::All
  IfAny,     ///< also with HostSpansFor::Whole
  Always,    ///< with any setting
};

/// A parsed item of GRAPHPROF_OUTPUT.
struct Request {
  const Format *format = nullptr;
  bool byWord = false; ///< otherwise by the ending of its path
  std::string options; ///< between the word and the path: "+statistics+row_limit=10"
  std::string path;    ///< with placeholders; empty: standard error
};

/// What a writer needs in addition to its request.
struct WriterSettings {
  std::string path;       ///< the request's path, with placeholders replaced
  std::size_t maxRecords; ///< how many records it may keep in memory, if it keeps any
  const Run &run;         ///< described in the output
  bool hostSpans;         ///< host spans are handed to it
  bool settled;           ///< it is told of which steps everything has come
};

/// Each format is a constant of this type.
struct Format {
  /// WORD:PATH asks for the format. Empty: only the path's ending does.
  std::string_view word = {}; // NOLINT(*-redundant-member-init): may be left out
  bool toStderr = false;      ///< the word alone asks for it on standard error
  /// WORD:THIS asks for it on standard error with the option THIS, like WORD+THIS. A file of this
  /// name is ./THIS. Empty: there is no such option.
  std::string_view optionAsPath = {}; // NOLINT(*-redundant-member-init)
  /// A path with one of these endings asks for it; the rest is empty.
  std::array<std::string_view, 3> endings = {}; // NOLINT(*-redundant-member-init)
  /// The items with a path that ask for it, as messages show them: "PATH.json[.gz]".
  std::string_view items;

  /// With a schedule, a format that is written at the end has an output for each cycle, any other
  /// one for all.
  WriteMode mode = WriteMode::Streaming;
  ShowsHostSpans hostSpans = ShowsHostSpans::Never;
  bool showsMemory = false;    ///< it shows allocations and frees
  bool showsWarpSpans = false; ///< it shows when warps were in which region inside a kernel
  bool drawsGraphs = false;    ///< it shows the structure of graphs, and nothing else
  bool keepsGraphs = false;    ///< it keeps or uses the structure of graphs whose nodes are timed
  bool sumsSteps = false;      ///< it shows what steps took, once everything of them has come
  bool showsSteps = false;     ///< it shows steps and nothing else
  bool addsToFile = false;     ///< its file takes several runs and outputs

  /// Does a file that begins like this hold what the format writes? Null: the format never empties
  /// a file, and refuses one that it did not make.
  bool (*wrote)(std::string_view head) = nullptr;
  /// Returns what is wrong with a request's options, as the predicate of a sentence, or an empty
  /// text. Null: it has no options.
  std::string (*checkOptions)(std::string_view options) = nullptr;
  /// Returns likewise why it cannot write to a path. Null: it always can.
  std::string (*checkPath)(std::string_view path) = nullptr;
  /// Returns null if either check fails.
  std::unique_ptr<BatchWriter> (*make)(const Request &request, const WriterSettings &settings);
};

/// All formats of list.def. A format that is not listed there cannot be defined.
namespace formats {
#define GRAPHPROF_FORMAT(name) extern const Format name;
#include "output/formats/list.def"
#undef GRAPHPROF_FORMAT
} // namespace formats

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMAT_H
