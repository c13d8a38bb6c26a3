// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a program says of its regions, kept: its sites, their texts and the keys of its values lie
// in a library that may be closed while replays are out, and before the outputs are written. Knows
// no regions and no records.

#ifndef GRAPHPROF_SESSION_CYCLES_KEPT_H
#define GRAPHPROF_SESSION_CYCLES_KEPT_H

#include "graphprof/site.h"

namespace graphprof {

/// The same place, one object for all that say the same, never freed. Thread-safe; a place that
/// this thread has asked for lately costs a comparison of its texts.
const Site &keptSite(const Site &site);
/// The same text, likewise.
const char *keptText(const char *text);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_KEPT_H
