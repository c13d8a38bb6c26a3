// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Sites.h"

#include <map>
#include <memory>
#include <mutex>

namespace graphprof::bench_detail {

namespace {

// A name's format: what formats to it.
std::string escaped(const std::string &name) {
  std::string format;
  for (const char c : name) {
    format += c;
    if (c == '{' || c == '}')
      format += c;
  }
  return format;
}

} // namespace

const Site &siteOf(const std::string &name) {
  static std::mutex mutex;
  // Leaked: records may still speak of them at the very end.
  static auto *const sites = new std::map<std::string, std::unique_ptr<const Site>>;
  const std::lock_guard lock(mutex);
  const auto [known, isNew] = sites->try_emplace(escaped(name));
  if (isNew)
    known->second = std::make_unique<const Site>(known->first.c_str(), siteFile, 0, "bench");
  return *known->second;
}

} // namespace graphprof::bench_detail
