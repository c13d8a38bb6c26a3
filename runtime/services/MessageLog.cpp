// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/MessageLog.h"

#include <algorithm>
#include <cstddef>

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
    }
    writeError(line + '\n');
  } catch (...) {
    writeError("graphprof: a message was lost: no memory\n");
  }
}

} // namespace graphprof
