// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a command may write over. Shells put files in any order behind a command, so a name in an
// output's place may be that of a recording, or of anything else: `html -o *.gprof`. A command
// replaces only what an earlier one wrote there: a file that begins as the new one will. Recordings
// are replaced by recordings only, since nothing brings them back. --force overwrites the rest, but
// never what the command itself reads.

#ifndef GRAPHPROF_OUTPUT_OVERWRITING_H
#define GRAPHPROF_OUTPUT_OVERWRITING_H

#include <string>
#include <string_view>
#include <vector>

namespace graphprof {

struct Overwriting {
  /// What the command reads.
  std::vector<std::string> inputs = {}; // NOLINT(*-redundant-member-init): may be left out
  bool force = false;
  bool records = false; ///< it records, and so replaces the recordings of earlier runs

  /// Why the command must not write to `path`, as the predicate of a sentence; empty: it may.
  /// `wrote`: does a file that begins like this hold what is written now? Null: nothing says so.
  [[nodiscard]] std::string whyNot(const std::string &path,
                                   bool (*wrote)(std::string_view head)) const;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_OVERWRITING_H
