// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/MessageLog.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "output/io/File.h"
#include "output/io/Text.h"

namespace graphprof {

namespace {

constexpr std::size_t maxSaid = 100;

} // namespace

thread_local MessageLog::Kept *MessageLog::Kept::ofThread = nullptr;

void MessageLog::say(std::string_view first, std::string_view more) noexcept {
  try {
    std::string text(first);
    text += more;
    text = printable(text); // a message may quote names, paths and variables
    if (Kept *const kept = Kept::ofThread) {
      kept->text_ += (kept->text_.empty() ? "" : "; ") + text;
      return;
    }
    std::string line;
    {
      const MutexLock lock(mutex_);
      if (said_.size() > maxSaid || std::find(said_.begin(), said_.end(), text) != said_.end())
        return;
      said_.push_back(text);
      line = "graphprof: " + (said_.size() > maxSaid ? "further messages are left out" : text);
      if (wake_) {
        waiting_.push_back(line);
        static_cast<void>(wake_(take_, user_)); // if it fails, the next one's takes this one along
        return;
      }
    }
    writeError(line + '\n');
  } catch (...) {
    writeError("graphprof: a message was lost: no memory\n");
  }
}

void MessageLog::keep(Wake wake, Take take, void *user) noexcept {
  std::vector<std::string> left;
  {
    const MutexLock lock(mutex_);
    wake_ = wake;
    take_ = take;
    user_ = user;
    if (!wake)
      left.swap(waiting_);
  }
  for (const std::string &line : left) {
    writeError(line);
    writeError("\n");
  }
}

std::string MessageLog::taken() {
  const MutexLock lock(mutex_);
  if (waiting_.empty())
    return {};
  std::string first = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  return first;
}

} // namespace graphprof
