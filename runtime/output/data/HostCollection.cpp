// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/HostCollection.h"

#include <algorithm>
#include <tuple>

namespace graphprof {

void HostCollection::add(std::span<const HostSpan> spans) {
  for (const HostSpan &span : spans) {
    const Texts::Text *const text = texts_.of(span.name, {span.context, span.contextSize});
    HostSpan &copy = spans_.emplace_back(span);
    copy.name = text->name;
    copy.context = text->context.data();
    copy.threadName = texts_.of(span.threadName, {})->name;
  }
}

void HostCollection::seal() {
  std::sort(spans_.begin(), spans_.end(), [](const HostSpan &left, const HostSpan &right) {
    return std::tuple(left.thread, left.beginNs, -left.endNs) <
           std::tuple(right.thread, right.beginNs, -right.endNs);
  });
}

} // namespace graphprof
