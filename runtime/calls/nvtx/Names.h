// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the program's NVTX ranges are called. Programs number their steps in names, so there may be
// more names than memory: how many are kept is bounded.

#ifndef GRAPHPROF_CALLS_NVTX_NAMES_H
#define GRAPHPROF_CALLS_NVTX_NAMES_H

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nvtx3/nvToolsExt.h>

#include "Mutex.h"
#include "graphprof/site.h"

namespace graphprof::nvtx {

/// So many names of ranges have a site, and so many strings can be registered. Further ones share
/// one, which says so. A name takes about a kilobyte for ever, because records refer to its site.
inline constexpr std::size_t mostNames = 10'000;

/// A domain, or a registered string. One object for each text, never freed, because programs keep
/// handles.
struct Text {
  std::string text;
  bool isTaken = true; // of a domain
};

class Texts {
public:
  /// Null without memory.
  Text *of(const std::string &text) noexcept;

  /// Held around a fork, because libraries name their domains when they are loaded, on any thread.
  void lock() NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  void unlock() NO_THREAD_SAFETY_ANALYSIS { mutex_.unlock(); }

private:
  Text *known(const std::string &text) REQUIRES(mutex_);

  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Text>, std::less<>> texts_ GUARDED_BY(mutex_);
};

[[nodiscard]] Texts &domains();
[[nodiscard]] Texts &strings();

/// Does `text` match one of the globs? True if there are none.
[[nodiscard]] bool matches(const std::vector<std::string> &globs, const std::string &text);

/// The site of a range with this name. Braces in the name do not stand for values.
[[nodiscard]] const Site &siteOf(const std::string &name);

[[nodiscard]] std::string narrow(const wchar_t *wide);
[[nodiscard]] std::string plain(const char *text);
[[nodiscard]] std::string nameOf(const nvtxEventAttributes_t *attributes);

} // namespace graphprof::nvtx

#endif // GRAPHPROF_CALLS_NVTX_NAMES_H
