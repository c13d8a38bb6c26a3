// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/SiteTable.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "Mutex.h"

namespace graphprof {

namespace {

// The nodes of both containers keep their addresses. Leaked: used until the process ends.
struct Interned {
  Mutex mutex;
  std::set<std::string, std::less<>> texts GUARDED_BY(mutex);
  // The keys are kept texts.
  std::map<std::tuple<const char *, const char *, int, const char *>, Site> sites GUARDED_BY(mutex);
};

Interned &interned() {
  static auto *const kept = new Interned;
  return *kept;
}

bool same(const char *one, const char *other) {
  return one == other || (one && other && std::strcmp(one, other) == 0);
}

bool same(const Site &one, const Site &other) {
  return one.line == other.line && same(one.name_format, other.name_format) &&
         same(one.file, other.file) && same(one.function, other.function);
}

// What this thread has recently asked for, by address. Another library may be at that address now,
// so the contents are compared. Has no destructor, so that it works until the thread is gone.
template <class Thing> struct Recent {
  struct Entry {
    const Thing *asked;
    const Thing *kept;
  };
  std::array<Entry, 64> entries;

  Entry &of(const Thing *thing) {
    const auto address = reinterpret_cast<std::uintptr_t>(thing);
    return entries[(address >> 3 ^ address >> 9) % entries.size()];
  }
};

const char *inserted(Interned &kept, const char *text) REQUIRES(kept.mutex) {
  return text ? kept.texts.emplace(text).first->c_str() : nullptr;
}

} // namespace

const Site &internSite(const Site &site) {
  thread_local Recent<Site> recent{};
  auto &entry = recent.of(&site);
  if (entry.asked == &site && same(*entry.kept, site))
    return *entry.kept;
  Interned &kept = interned();
  const MutexLock lock(kept.mutex);
  const Site copy(inserted(kept, site.name_format), inserted(kept, site.file), site.line,
                  inserted(kept, site.function));
  const auto key = std::make_tuple(copy.name_format, copy.file, copy.line, copy.function);
  entry = {&site, &kept.sites.try_emplace(key, copy).first->second};
  return *entry.kept;
}

const char *internText(const char *text) {
  thread_local Recent<char> recent{};
  auto &entry = recent.of(text);
  if (entry.asked == text && text && same(entry.kept, text))
    return entry.kept;
  Interned &kept = interned();
  const MutexLock lock(kept.mutex);
  entry = {text, inserted(kept, text)};
  return entry.kept;
}

} // namespace graphprof
