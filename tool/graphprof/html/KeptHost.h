// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the program's threads did while the replays that a page shows were launched and ran. Which
// replays these are is known when all was read, so this reads the recordings again. Bounded, and
// says what was left out.

#ifndef GRAPHPROF_TOOL_HTML_KEPTHOST_H
#define GRAPHPROF_TOOL_HTML_KEPTHOST_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "KeptReplays.h"
#include "graphprof/host_span.h"
#include "output/data/ById.h"
#include "recordings/Recordings.h"

namespace graphprof {

class KeptHost : public RecordingsListener {
public:
  /// What equal spans share.
  struct Act {
    HostKind kind;
    bool captured;
    std::string name, source;
  };
  struct Thread {
    std::size_t run; ///< in the order in which runs were read
    std::uint64_t number;
    std::string name;
  };
  struct Span {
    std::size_t act, thread;     ///< places in acts() and threads()
    std::int64_t beginNs, endNs; ///< since the Unix epoch
    std::ptrdiff_t replay;       ///< whose launch it is, a place in `kept`; -1: none of these
    std::uint64_t bytes;         ///< of a copy
  };

  /// `kept`: in the order in which the page has them. Keeps `mostSpans`, shared out among them, and
  /// the launch of each besides.
  KeptHost(const std::vector<const KeptReplays::Kept *> &kept, std::size_t mostSpans);

  void file(const std::string & /*path*/) override {}
  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  void end(const RecordedEnd & /*end*/) override {}

  [[nodiscard]] const std::vector<Act> &acts() const { return acts_; }
  [[nodiscard]] const std::vector<Thread> &threads() const { return threads_; }
  [[nodiscard]] const std::vector<Span> &spans() const { return spans_; }
  /// Spans for which there was no room.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }

private:
  // A stretch of time in which kept replays were launched or ran.
  struct Stretch {
    std::int64_t fromNs, toNs;
    std::size_t room;
  };
  struct Named {
    Act as;
    std::size_t place = SIZE_MAX; // SIZE_MAX: not kept yet
  };
  struct Numbered {
    Thread as;
    std::size_t place = SIZE_MAX; // likewise
  };

  [[nodiscard]] bool hasRoom(const Batch::Span &span);
  void keep(const Batch::Span &span, std::ptrdiff_t replay);

  std::map<std::size_t, std::vector<Stretch>> stretches_; // by run: apart, in their order
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint64_t>, std::size_t>
      launches_; // by run, exec and number
  std::size_t run_ = SIZE_MAX;
  ById<Named> knownActs_;
  ById<Numbered> knownThreads_;
  std::map<std::tuple<HostKind, bool, std::string, std::string>, std::size_t> actPlaces_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> threadPlaces_; // by run and number
  std::vector<Act> acts_;
  std::vector<Thread> threads_;
  std::vector<Span> spans_;
  std::uint64_t leftOut_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_HTML_KEPTHOST_H
