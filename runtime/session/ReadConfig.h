// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads the configuration from environment variables.

#ifndef GRAPHPROF_SESSION_READCONFIG_H
#define GRAPHPROF_SESSION_READCONFIG_H

#include <functional>

#include "services/Config.h"

namespace graphprof {

/// Reads the configuration. `variable(name)` returns the value or nullptr, as getenv does.
/// `environment`, if given, is searched for unknown names; it has the form of environ.
Config readConfig(const std::function<const char *(const char *)> &variable,
                  const char *const *environment = nullptr);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_READCONFIG_H
