// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/callback/Callback.h"

#include <exception>

namespace graphprof {

std::string Callback::write(const Batch &batch) {
  if (!function_ || !batch.source.replay)
    return {};
  try {
    for (const Record &record : batch.source.replay->records) {
      if (stopped_)
        break;
      function_(record);
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
