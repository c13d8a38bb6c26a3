// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Keeps the sites of a program, their texts and the keys of its values. They lie in a library that
// may be closed while replays run, and before the outputs are written. Does not know regions or
// records.

#ifndef GRAPHPROF_SERVICES_SITETABLE_H
#define GRAPHPROF_SERVICES_SITETABLE_H

#include "graphprof/site.h"

namespace graphprof {

/// A copy of `site`, one object for all equal sites, never freed. Thread-safe. For a site that this
/// thread has recently asked for, this only compares its texts.
const Site &internSite(const Site &site);
/// The same for a text.
const char *internText(const char *text);

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_SITETABLE_H
