// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Host spans that are kept, with what they point to: as Collection keeps records.

#ifndef GRAPHPROF_OUTPUT_HOSTCOLLECTION_H
#define GRAPHPROF_OUTPUT_HOSTCOLLECTION_H

#include <cstddef>
#include <span>
#include <vector>

#include "graphprof/host_span.h"
#include "output/data/Texts.h"

namespace graphprof {

/// One thread at a time adds; seal() comes behind the last add(), and then any thread may look.
class HostCollection {
public:
  void add(std::span<const HostSpan> spans);
  void add(const HostCollection &other) { add(other.spans()); }
  /// Puts the spans in order. Nothing is added afterwards.
  void seal();

  [[nodiscard]] std::size_t size() const { return spans_.size(); }
  /// Sealed: thread by thread, each thread's by their begin, of those that begin together the
  /// longest first: what contains a span stands before it.
  [[nodiscard]] const std::vector<HostSpan> &spans() const { return spans_; }

private:
  std::vector<HostSpan> spans_;
  Texts texts_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_HOSTCOLLECTION_H
