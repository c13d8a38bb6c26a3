// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads what Binary wrote back into replays and host spans, as an output would have got them.
// Trusts nothing in the file: a damaged one gives a message, or wrong numbers, and harms nobody.

#ifndef GRAPHPROF_OUTPUT_BINARYREADER_H
#define GRAPHPROF_OUTPUT_BINARYREADER_H

#include <cstddef>
#include <functional>
#include <istream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "output/Output.h"
#include "output/data/Run.h"

namespace graphprof {

/// Who is told what stands in a file, in its order. A function that is empty is not called.
struct BinaryListener {
  /// First; and whether host spans were asked for: where not, there are none.
  std::function<void(const Run &, bool hostSpans)> run;
  std::function<void(const Replay &)>
      replay; ///< valid during the call, but for what the reader owns
  std::function<void(std::span<const HostSpan>)> hostSpans; ///< likewise; of one thread
  std::function<void(const MemoryEvent &)> memory;          ///< likewise
  std::function<void(const std::string &key, const std::string &json)> metadata;
  std::function<void(const std::string &sentence)> remark;
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

#endif // GRAPHPROF_OUTPUT_BINARYREADER_H
