// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/LaunchNames.h"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "Mutex.h"
#include "Thrown.h"

namespace graphprof {

namespace {

// Leaked: used until the process ends. The names do not move.
struct Kept {
  Mutex mutex;
  std::deque<std::shared_ptr<const GraphName>> names GUARDED_BY(mutex); // of number 1, 2, ...
  std::map<std::string_view, std::uint32_t> numbers GUARDED_BY(mutex);  // by text, of `names`
};

Kept &kept() {
  static auto *const all = new Kept;
  return *all;
}

std::uint32_t added(Kept &all, std::shared_ptr<const GraphName> name) REQUIRES(all.mutex) {
  all.names.push_back(std::move(name));
  const auto number = static_cast<std::uint32_t>(all.names.size());
  if (!survived([&] {
        all.mutex.assertHeld();
        all.numbers.emplace(all.names.back()->text, number);
      })) {
    all.names.pop_back();
    return LaunchNames::none;
  }
  return number;
}

} // namespace

std::uint32_t LaunchNames::numberOf(const std::shared_ptr<const GraphName> &name) noexcept try {
  Kept &all = kept();
  const MutexLock lock(all.mutex);
  if (const auto known = all.numbers.find(name->text); known != all.numbers.end())
    return known->second;
  if (all.names.size() > most)
    return most + 1;
  return added(all, all.names.size() < most
                        ? name
                        : graphNameOf(fmt::format("[more than {} names]", most), {}));
} catch (...) { // no memory: the launch goes by its graph's name
  return none;
}

const std::shared_ptr<const GraphName> &LaunchNames::with(std::uint32_t number) {
  Kept &all = kept();
  const MutexLock lock(all.mutex);
  return all.names[number - 1];
}

} // namespace graphprof
