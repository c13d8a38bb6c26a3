// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a format says of itself: which items of GRAPHPROF_OUTPUT ask for it, when it is written,
// what it shows, and how it is made. Each format defines one in its folder of formats/, and has a
// line in formats/list.def. Knows no single format.

#ifndef GRAPHPROF_OUTPUT_FORMAT_H
#define GRAPHPROF_OUTPUT_FORMAT_H

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "output/BatchWriter.h"
#include "output/data/Run.h"

namespace graphprof {

struct Format;

/// Which outputs get host spans, of those that can show them.
enum class HostSpansFor : unsigned char {
  None,
  Whole, ///< traces and key averages; nothing that is written while the program runs, which is to
         ///< cost little
  All,   ///< the binary file, SQLite and JSON lines too
};

/// When what a writer is given reaches its file, and who writes it.
enum class WriteMode : unsigned char {
  Streaming, ///< while the program runs, on a thread of its own (Streamed)
  Immediate, ///< by who hands replays on, each at once (Direct)
  AtEnd,     ///< likewise, but nothing is shown before the end
};

/// When a format shows host spans.
enum class ShowsHostSpans : unsigned char {
  Never,
  OnRequest, ///< for HostSpansFor::All
  IfAny,     ///< for HostSpansFor::Whole too
  Always,    ///< for any
};

/// What an item of GRAPHPROF_OUTPUT asks for.
struct Request {
  const Format *format = nullptr;
  bool byWord = false; ///< else by the ending of its path
  std::string options; ///< between word and path: "+statistics+row_limit=10"
  std::string path;    ///< with its placeholders; empty: standard error
};

/// How a writer is made, beside what its request says.
struct WriterSettings {
  std::string path;       ///< the request's, its placeholders replaced
  std::size_t maxRecords; ///< the most that it keeps in memory, where it keeps any
  const Run &run;         ///< what it says was measured
  bool hostSpans;         ///< it gets host spans
};

/// Constants, one a format.
struct Format {
  /// Asks for it with a path, as WORD:PATH. Empty: paths are known by their endings alone.
  std::string_view word = {}; // NOLINT(*-redundant-member-init): so that it may be left out
  bool toStderr = false;      ///< the word alone asks for it on standard error
  /// Ask for it where a path ends so.
  std::span<const std::string_view> endings = {}; // NOLINT(*-redundant-member-init)
  /// The items that ask for it with a path, as messages show them: "PATH.json[.gz]".
  std::string_view items;

  /// With a schedule there is one for each cycle where it is written at the end, else one for all.
  WriteMode mode = WriteMode::Streaming;
  ShowsHostSpans hostSpans = ShowsHostSpans::Never;
  bool showsMemory = false; ///< allocations and frees
  bool drawsGraphs = false; ///< it shows what graphs are made of

  /// What is wrong with a request's options, as the predicate of a sentence, or an empty text.
  /// Null: it takes none.
  std::string (*checkOptions)(std::string_view options) = nullptr;
  /// Why it cannot be written at a path, likewise. Null: it always can.
  std::string (*checkPath)(std::string_view path) = nullptr;
  /// Null where either check fails.
  std::unique_ptr<BatchWriter> (*make)(const Request &request, const WriterSettings &settings);
};

/// All of them, as list.def has them: a format that is not there cannot be defined.
namespace formats {
#define GRAPHPROF_FORMAT(name) extern const Format name;
#include "output/formats/list.def"
#undef GRAPHPROF_FORMAT
} // namespace formats

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMAT_H
