// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Sites.h"

#include <map>
#include <memory>

#include "Mutex.h"
#include "services/Name.h"

namespace graphprof::bench_detail {

const Site &siteOf(const std::string &name) {
  static Mutex mutex;
  // Leaked: records may refer to them until the process ends.
  static auto *const sites PT_GUARDED_BY(mutex) =
      new std::map<std::string, std::unique_ptr<const Site>>;
  const MutexLock lock(mutex);
  const auto [known, isNew] = sites->try_emplace(asFormat(name));
  if (isNew)
    known->second = std::make_unique<const Site>(known->first.c_str(), siteFile, 0, "bench");
  return *known->second;
}

} // namespace graphprof::bench_detail
