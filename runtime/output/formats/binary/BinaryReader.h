// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads what Binary wrote back into batches, as a writer would have got them. Trusts nothing in the
// file: a damaged one gives a message, or wrong numbers, and harms nobody.

#ifndef GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADER_H
#define GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADER_H

#include <cstddef>
#include <functional>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "graphprof/control.h"
#include "output/data/Batch.h"
#include "output/data/Run.h"

namespace graphprof {

/// Who is told what stands in a file. A function that is empty is not called.
struct BinaryListener {
  /// First; and whether host spans were asked for: where not, there are none.
  std::function<void(const Run &, bool hostSpans)> run;
  /// What was recorded, piece by piece, of one Batcher.
  std::function<void(Batch batch)> batch;
};

struct BinaryResult {
  std::string failed;  ///< why nothing further was read; empty: all of it was
  Losses losses{};     ///< as they were when the program ended
  bool ended = false;  ///< the program ended in order; else the file ends with what it had come to
  std::size_t cut = 0; ///< bytes of a last message that is not whole: of a crash
};

/// Owns the sites of what it has read, and the keys of its values: what a program's own are to the
/// program.
class BinaryReader {
public:
  [[nodiscard]] BinaryResult read(std::istream &stream, const BinaryListener &listener);

  [[nodiscard]] const char *keep(std::string_view text) {
    return texts_.emplace(text).first->c_str();
  }
  [[nodiscard]] const Site *keep(std::string_view format, std::string_view file, int line,
                                 std::string_view function);

private:
  std::set<std::string, std::less<>> texts_; // nodes stay where they are, of both
  std::map<std::tuple<const char *, const char *, int, const char *>, Site> sites_; // of texts kept
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_BINARY_BINARYREADER_H
