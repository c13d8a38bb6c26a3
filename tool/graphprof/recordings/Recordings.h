// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The one place that reads recordings, which are binary files. They become batches, as the outputs
// of a program get them. Streams: the memory does not grow with the file.

#ifndef GRAPHPROF_TOOL_RECORDINGS_RECORDINGS_H
#define GRAPHPROF_TOOL_RECORDINGS_RECORDINGS_H

#include <string>
#include <vector>

#include "output/RecordingListener.h"
#include "output/data/KeptSites.h"

namespace graphprof {

/// Gets the runs of several files.
class RecordingsListener : public RecordingListener {
public:
  /// The runs that follow are from this file.
  virtual void file(const std::string &path) = 0;
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
  /// holds no run, or holds the same as another. A file that is damaged or cut off is read as far
  /// as it goes, and its last run says so.
  void read(const std::vector<std::string> &paths, RecordingsListener &listener);

private:
  void readOne(const std::string &path, RecordingsListener &listener);
  KeptSites sites_;
};

/// Throws UnreadableRecording if two files are one recording: under whatever names, a copy, or a
/// copy that is cut off. What is counted twice is neither more runs nor more processes.
void refuseRepeated(const std::vector<std::string> &paths);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_RECORDINGS_RECORDINGS_H
