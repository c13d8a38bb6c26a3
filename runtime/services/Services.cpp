// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Services.h"

#include <utility>

#include "services/Name.h"

namespace graphprof {

Services::Services(Config config)
    : config_(std::move(config)),
      recordingBudget({.fraction = config_.budget,
                       .every = config_.sample,
                       .parts = static_cast<std::uint32_t>(config_.parts)}) {
  for (const std::string &complaint : config_.complaints)
    say(complaint);
}

void Services::lose(Counters::Count Counters::*loss, std::size_t count, std::string_view why,
                    std::string_view more) noexcept {
  if (count == 0)
    return;
  counters.*loss += count;
  say(why, more);
}

std::string Services::nameOf(const Site &site, std::span<const Value> context) {
  bool fits = true;
  std::string name = formatName(site.name_format, context, &fits);
  if (!fits)
    say(std::string(site.file ? site.file : "") + ":" + std::to_string(site.line) + ": the name '" +
            name + "'",
        " does not fit its values, and is shown as it is written; correct it");
  shorten(name);
  return name;
}

void Services::shorten(std::string &name) {
  if (shortenName(name, config_.maxName))
    ++counters.namesCut;
}

} // namespace graphprof
