// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The settings from the environment: every GRAPHPROF_ variable, read in one place.

#ifndef GRAPHPROF_SERVICES_CONFIG_H
#define GRAPHPROF_SERVICES_CONFIG_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphprof/copies.h"
#include "graphprof/schedule.h"
#include "services/KernelRecording.h"
#include "services/Window.h"

namespace graphprof {

/// Which clock times graphs. Auto: stamps if the device's timer is fine enough, else events.
enum class ClockChoice : std::uint8_t { Auto, Stamp, Event };

/// What stamps wait for. Auto: for each boundary the cheapest edge with a true time.
enum class EdgeChoice : std::uint8_t { Auto, Completion };

struct Config {
  // Of GRAPHPROF_ENABLED and the others of options.def: enabled, outputs, ...
  // NOLINTBEGIN(*-redundant-member-init): each row has an initial value
#define GRAPHPROF_OPTION(NAME, type, field, initial, ...) type field = initial;
#include "services/options.def"
  // NOLINTEND(*-redundant-member-init)

  bool outputsGiven = false;   ///< GRAPHPROF_OUTPUT is set
  std::uint64_t stepGraph = 0; ///< steps are launches of this graph, by number; 0: of any graph
  /// Set by `graphprof run`, which reports itself if nothing was recorded, so that its children
  /// need not.
  bool underRun = false;
  /// Of a forked child, whose parent has said the complaints.
  bool forked = false;
  std::vector<std::string> complaints; ///< messages about wrong values, a line each, for stderr
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_CONFIG_H
