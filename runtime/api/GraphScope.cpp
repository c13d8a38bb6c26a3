// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/graph_scope.h.

#include "graphprof/graph_scope.h"

#include <utility>
#include <vector>

#include "Edge.h"
#include "graph/registry/OpenGraphNames.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "services/Name.h"
#include "services/SiteTable.h"
#include "session/Session.h"

namespace graphprof {

namespace {

// Texts among the values are as long as names may be: a value must not make a name endless.
Value kept(Value value, Session &session) {
  const char *const key = value.key().data(); // NOLINT(bugprone-suspicious-stringview-data-usage)
  const char *const ours = *key ? internText(key) : "";
  if (value.kind() != Value::Kind::Text)
    return std::move(value).with_key(ours);
  std::string text = value.as_text();
  session.shorten(text);
  return Value(text).with_key(ours);
}

} // namespace

void GraphScope::begin(const char *name, const ValueRef *values, std::size_t size) noexcept {
  const Edge edge;
  try {
    const std::vector<Value> all(values, values + size);
    begin(name, all.data(), size);
  } catch (...) { // no memory: the graph has its number only
    ++process().session.counters.namesCut;
  }
}

void GraphScope::begin(const char *name, const Value *values, std::size_t size) noexcept {
  if (!active())
    return;
  const Edge edge;
  try {
    used();
    Session &session = process().session;
    bool fits = true;
    std::string text = formatName(name ? name : "", {values, size}, &fits);
    if (!fits)
      session.say("the name of a graph, '" + text + "',",
                  " does not fit its values, and is shown as it is written; correct it");
    session.shorten(text);
    std::vector<Value> all;
    all.reserve(size);
    for (std::size_t i = 0; i < size; ++i)
      all.push_back(kept(values[i], session));
    open_ = new OpenGraphName(graphNameOf(std::move(text), std::move(all)));
  } catch (...) { // no memory: the graph has its number only
    ++process().session.counters.namesCut;
  }
}

void GraphScope::end() noexcept {
  OpenGraphName::end(static_cast<OpenGraphName *>(std::exchange(open_, nullptr)));
}

} // namespace graphprof
