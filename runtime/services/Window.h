// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_WINDOW: what opens a window of recording, and what closes it.

#ifndef GRAPHPROF_SERVICES_WINDOW_H
#define GRAPHPROF_SERVICES_WINDOW_H

#include <cstdint>
#include <string>

namespace graphprof {

struct WindowArguments {
  enum class Opener : std::uint8_t {
    Begin,        ///< the program's first CUDA call, and each window's end
    CudaProfiler, ///< cudaProfilerStart, cuProfilerStart
    NvtxRange,    ///< a range with a name that matches
    Signal,       ///< a signal; the next one closes the window
    Attach,       ///< `graphprof attach PID start`
  };
  Opener opener = Opener::Begin;
  std::string range = {};    // NOLINT(*-redundant-member-init): may be left out
  int signal = 0;            ///< its number
  std::int64_t afterNs = 0;  ///< how long after its opener a window opens
  std::uint64_t skip = 0;    ///< how many launches after that
  std::int64_t lastsNs = 0;  ///< 0: any time
  std::uint64_t replays = 0; ///< launches; 0: any number
  std::uint64_t repeat = 0;  ///< how many windows; 0: any number
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_WINDOW_H
