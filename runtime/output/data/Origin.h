// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// When and where this process began, which decides what its outputs' paths mean and which files are
// of earlier runs. Noted when graphprof is loaded; under `graphprof run`, when the process begins.
//
// Processes that share an environment may share the paths of outputs. Those that one process starts
// are a family, and none of them replaces what another one wrote, even if the other one has ended.
// A family begins with `graphprof run`; otherwise with the process itself or the first of its
// parents, grandparents and so on that has graphprof, as long as the parents between them live.

#ifndef GRAPHPROF_OUTPUT_DATA_ORIGIN_H
#define GRAPHPROF_OUTPUT_DATA_ORIGIN_H

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace graphprof {

struct Origin {
  pid_t pid = 0;            ///< a forked child inherits its parent's origin
  std::int64_t beganNs = 0; ///< since the Unix epoch
  std::string folder;       ///< the working directory; empty: unknown
};

[[nodiscard]] const Origin &origin();

/// When the family began; never later than this process. Looks for parents once, at the first call.
[[nodiscard]] std::int64_t familyBeganNs();

/// From now on this process has no family: for a tool whose user names the files himself.
void leaveFamily() noexcept;

/// A variable of graphprof's, as secure_getenv() has it. Under `graphprof run` also one that the
/// program has taken out of its environment since it began.
const char *variableOf(const char *name) noexcept;

/// The time in a mark, as `/proc/PID/maps` shows it: the earliest in `maps`; 0 if there is none.
[[nodiscard]] std::int64_t markedNs(std::string_view maps);

/// `path` as a path from the root: what is relative begins in the origin's folder, wherever the
/// program's working directory is by now. An empty path stays empty.
[[nodiscard]] std::string fromOrigin(std::string path);

/// The reverse, for messages: without the origin's folder at its beginning.
[[nodiscard]] std::string asSeenFromOrigin(std::string_view path);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_DATA_ORIGIN_H
