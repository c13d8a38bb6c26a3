// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Messages on standard error, or for a program to take, each text once. Does not know who reports.

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

  /// From now on messages wait until they are taken. Each is told of by `wake(take, user)`, on the
  /// thread that reports and perhaps under its locks: so `wake` must not wait for another thread,
  /// and call nothing of graphprof. Python's Py_AddPendingCall is such a function. Without `wake`
  /// those that still wait, and all further ones, are printed; no call of the earlier one is
  /// running then.
  using Take = int (*)(void *user);
  using Wake = int (*)(Take take, void *user);
  void keep(Wake wake, Take take, void *user) noexcept EXCLUDES(mutex_);
  /// The next that waits, with its prefix. Empty: none.
  [[nodiscard]] std::string taken() EXCLUDES(mutex_);

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
  Mutex mutex_; // nothing but wake_ is called while it is held
  std::vector<std::string> said_ GUARDED_BY(mutex_);
  std::vector<std::string> waiting_ GUARDED_BY(mutex_); // at most as many as said_
  Wake wake_ GUARDED_BY(mutex_) = nullptr;
  Take take_ GUARDED_BY(mutex_) = nullptr;
  void *user_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_MESSAGELOG_H
