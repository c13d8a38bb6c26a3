// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one place that reads recordings: binary files, and the results of benchmark programs, told
// apart by their contents. Both become batches, as the outputs of a program get them, so what
// computes on them need not know which file they are from. Streams: the memory does not grow with
// the file, except for results of benchmarks.

#ifndef GRAPHPROF_TOOL_RECORDINGS_RECORDINGS_H
#define GRAPHPROF_TOOL_RECORDINGS_RECORDINGS_H

#include <string>
#include <string_view>
#include <vector>

#include "output/FileKind.h"
#include "output/RecordingListener.h"
#include "output/data/KeptSites.h"

namespace graphprof {

/// "a binary file", "results of benchmarks".
[[nodiscard]] std::string_view nameOf(RecordingKind kind);

/// Gets the runs of several files.
class RecordingsListener : public RecordingListener {
public:
  /// The runs that follow are from this file.
  virtual void file(const std::string &path, RecordingKind kind) = 0;
};

/// A file that cannot be read, or files that do not go together. The text names the file, says why,
/// and what to do.
struct UnreadableRecording {
  std::string why;
};

/// Owns what the batches refer to.
class Recordings {
public:
  /// Reads all files, one after the other. Throws UnreadableRecording if one cannot be read at all,
  /// holds no run, holds results of benchmarks while another holds recordings, or holds the same as
  /// another. A file that is
  /// damaged or cut off is read as far as it goes, and its last run says so.
  void read(const std::vector<std::string> &paths, RecordingsListener &listener);

private:
  void read(const std::string &path, RecordingKind kind, RecordingsListener &listener);
  KeptSites sites_;
};

/// What a file is. Throws UnreadableRecording if it is not a recording.
[[nodiscard]] RecordingKind kindOf(const std::string &path);

/// Throws UnreadableRecording if two files are one recording: under whatever names, a copy, or a
/// copy that is cut off. What is counted twice is neither more runs nor more processes.
void refuseRepeated(const std::vector<std::string> &paths);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_RECORDINGS_RECORDINGS_H
