// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "calls/nvtx/Names.h"

#include <algorithm>
#include <utility>

#include <fnmatch.h>

#include "Thrown.h"
#include "process/Process.h"
#include "services/Name.h"
#include "services/SiteTable.h"
#include "session/Session.h"

namespace graphprof::nvtx {

bool matches(const std::vector<std::string> &globs, const std::string &text) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string &glob) {
           return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
         });
}

namespace {

constexpr const char *others = "[more than 10000 NVTX names]";

void tellOfOthers() {
  ++process().session.counters.namesCut;
  process().session.say("NVTX: more than 10000 different names; further ranges are shown as ",
                        others);
}

} // namespace

Text *Texts::of(const std::string &text) noexcept {
  Text *found = nullptr;
  (void)survived([&] {
    const MutexLock lock(mutex_);
    found = known(text);
  });
  return found;
}

Text *Texts::known(const std::string &text) {
  auto known = texts_.find(text);
  if (known != texts_.end())
    return known->second.get();
  const bool isNew = texts_.size() < mostNames;
  const std::string &kept = isNew ? text : others;
  if (!isNew)
    tellOfOthers();
  known = texts_.find(kept);
  if (known != texts_.end())
    return known->second.get();
  auto made =
      std::make_unique<Text>(Text{kept, matches(process().session.config().nvtxDomains, kept)});
  return texts_.emplace(kept, std::move(made)).first->second.get();
}

Texts &domains() {
  static Texts *const all = new Texts;
  return *all;
}
Texts &strings() {
  static Texts *const all = new Texts;
  return *all;
}

const Site &siteOf(const std::string &name) {
  static Mutex mutex;
  static auto *const sites = new std::map<std::string, Site>; // of kept texts
  const MutexLock lock(mutex);
  auto known = sites->find(name);
  if (known == sites->end()) {
    const bool isNew = sites->size() < mostNames;
    if (!isNew)
      tellOfOthers();
    const std::string kept = isNew ? name : others;
    known = sites->try_emplace(kept, internSite(Site(asFormat(kept).c_str(), "", 0, ""))).first;
  }
  return known->second;
}

std::string narrow(const wchar_t *wide) {
  std::string text;
  for (; wide && *wide; ++wide) {
    const auto c = static_cast<char32_t>(*wide);
    const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0 | c >> 6);
      put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      put(0xE0 | c >> 12);
      put(0x80 | (c >> 6 & 0x3F));
      put(0x80 | (c & 0x3F));
    } else {
      put(0xF0 | (c >> 18 & 7));
      put(0x80 | (c >> 12 & 0x3F));
      put(0x80 | (c >> 6 & 0x3F));
      put(0x80 | (c & 0x3F));
    }
  }
  return text;
}

std::string plain(const char *text) { return text ? text : ""; }

std::string nameOf(const nvtxEventAttributes_t *attributes) {
  if (!attributes)
    return {};
  switch (attributes->messageType) {
  case NVTX_MESSAGE_TYPE_ASCII:
    return plain(attributes->message.ascii);
  case NVTX_MESSAGE_TYPE_UNICODE:
    return narrow(attributes->message.unicode);
  case NVTX_MESSAGE_TYPE_REGISTERED:
    if (const auto *const registered =
            reinterpret_cast<const Text *>(attributes->message.registered))
      return registered->text;
    return {};
  default:
    return {};
  }
}

} // namespace graphprof::nvtx
