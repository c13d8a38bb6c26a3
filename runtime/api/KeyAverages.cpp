// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/key_averages.h.

#include "graphprof/key_averages.h"

#include "Edge.h"
#include "output/statistics/AverageTable.h"
#include "output/statistics/Averages.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

std::string KeyAverages::table(const table_options &options) const {
  const OwnFloats inHere;
  if (!canSortBy(options.sort_by))
    process().session.say("a table cannot be sorted by " + options.sort_by +
                          ": its rows stay in their order; see graphprof/key_averages.h");
  if (!isTimeUnit(options.time_unit))
    process().session.say("a table's time_unit is s, ms or us, not " + options.time_unit +
                          ": each time is shown as it fits");
  return Averages::tableOf(*this, options);
}

} // namespace graphprof
