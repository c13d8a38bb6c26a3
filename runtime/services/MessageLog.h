// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Messages on standard error, each text once. Does not know who reports.

#ifndef GRAPHPROF_SERVICES_MESSAGELOG_H
#define GRAPHPROF_SERVICES_MESSAGELOG_H

#include <string>
#include <string_view>
#include <vector>

#include "Mutex.h"

namespace graphprof {

/// Thread-safe.
class MessageLog {
public:
  /// Prints `text` with the prefix "graphprof: ", once for each distinct text. After 100 texts it
  /// prints that the others are left out. `more` continues the text: a caller that handles a
  /// failure may have no memory to join the two.
  void say(std::string_view text, std::string_view more = {}) noexcept EXCLUDES(mutex_);

  /// While it lives, messages of its thread are kept here instead, for a caller that throws them as
  /// an exception. One at a time in each thread.
  class Kept {
  public:
    Kept() noexcept { ofThread = this; }
    ~Kept() { ofThread = nullptr; }
    Kept(const Kept &) = delete;
    Kept &operator=(const Kept &) = delete;
    /// The messages, with "; " between them. Empty: none.
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    friend class MessageLog;
    static thread_local Kept *ofThread;
    std::string text_;
  };

private:
  Mutex mutex_; // nothing is called while it is held
  std::vector<std::string> said_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_MESSAGELOG_H
