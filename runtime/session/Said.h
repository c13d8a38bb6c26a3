// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What graphprof says on standard error: each text once. Knows nobody who says something.

#ifndef GRAPHPROF_SESSION_SAID_H
#define GRAPHPROF_SESSION_SAID_H

#include <string>
#include <string_view>
#include <vector>

#include "Mutex.h"

namespace graphprof {

/// Thread-safe.
class Said {
public:
  /// Says `text`, once for each distinct text, with the prefix "graphprof: ". After 100 texts it
  /// says that it stops. `more` is the rest of the text: who catches a failure may have no memory
  /// to put the two together.
  void say(std::string_view text, std::string_view more = {}) noexcept EXCLUDES(mutex_);

private:
  Mutex mutex_; // nothing is called while it is held
  std::vector<std::string> said_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_SAID_H
