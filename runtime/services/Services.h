// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What everything in the library uses, and nothing in it may have of its own: the configuration,
// the recording switch, the counters of what was lost, the messages. Whoever needs one of these
// gets the services through its constructor. Knows no CUDA, no graphs and no outputs.

#ifndef GRAPHPROF_SERVICES_SERVICES_H
#define GRAPHPROF_SERVICES_SERVICES_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "graphprof/site.h"
#include "graphprof/value.h"
#include "services/Config.h"
#include "services/Counters.h"
#include "services/Findings.h"
#include "services/LaunchCounts.h"
#include "services/MessageLog.h"
#include "services/Recording.h"
#include "services/RecordingBudget.h"
#include "services/Seen.h"

namespace graphprof {

/// Any thread may call any member.
class Services {
  // First, because the other members use them.
  const Config config_;

protected:
  MessageLog messages;

public:
  explicit Services(Config config);
  Services(const Services &) = delete;
  Services &operator=(const Services &) = delete;

  /// What the environment asked for, read once. Wrong values were reported on stderr and replaced
  /// by the default.
  [[nodiscard]] const Config &config() const { return config_; }

  /// Is it recording what runs on the device? Asked at every launch.
  [[nodiscard]] bool recording() const noexcept { return recordingSwitch.device(); }
  /// Decides that.
  Recording recordingSwitch;

  /// What recording may cost.
  RecordingBudget recordingBudget;

  /// What was lost. Each count is raised where the loss happens.
  Counters counters;
  [[nodiscard]] Losses losses() const noexcept { return counters.losses(); }
  /// Counts `count` of a loss, and prints why on stderr, once. Does nothing if `count` is 0.
  void lose(Counters::Count Counters::*loss, std::size_t count, std::string_view why,
            std::string_view more = {}) noexcept;

  /// What GRAPHPROF_CHECK found.
  Findings findings;
  /// What of the program was seen and not recorded.
  Seen seen;
  /// How often graphs were launched.
  LaunchCounts launches;
  /// How many outputs want pictures of graphs. If any, captured graphs are described for them.
  std::atomic<int> drawings{0};
  /// How many outputs keep the structure of graphs whose nodes are timed.
  std::atomic<int> structures{0};
  [[nodiscard]] bool wantsDrawings() const noexcept {
    return drawings > 0 || (config_.nodes && structures > 0);
  }

  /// The name of a region, cut to the configured length.
  [[nodiscard]] std::string nameOf(const Site &site, std::span<const Value> context);
  /// Cuts a name to the configured length, and counts it if it was longer.
  void shorten(std::string &name);

  /// Prints `text` on stderr, once (MessageLog).
  void say(std::string_view text, std::string_view more = {}) noexcept { messages.say(text, more); }
  /// Of MessageLog.
  void keepMessages(MessageLog::Wake wake, MessageLog::Take take, void *user) noexcept {
    messages.keep(wake, take, user);
  }
  [[nodiscard]] std::string takenMessage() { return messages.taken(); }
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_SERVICES_H
