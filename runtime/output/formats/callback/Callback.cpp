// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/callback/Callback.h"

#include <exception>

namespace graphprof {

std::string Callback::write(const Batch &batch) {
  if (!function_)
    return {};
  view_.take(batch);
  try {
    for (const Batch::Launch &launch : batch.launches)
      for (const Batch::Timing &timing : batch.timingsOf(launch)) {
        if (stopped_)
          return {};
        function_(view_.record(launch.replay, timing));
      }
    return {};
  } catch (const std::exception &error) {
    return std::string("it threw: ") + error.what();
  } catch (...) {
    return "it threw something other than a std::exception";
  }
}

std::string Callback::close(const Losses & /*losses*/) { return {}; }

} // namespace graphprof
