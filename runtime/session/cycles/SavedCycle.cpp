// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/SavedCycle.h"

#include "output/io/Json.h"

namespace graphprof {

std::shared_ptr<const SavedCycle> SavedCycle::none() {
  auto nothing = std::make_shared<SavedCycle>();
  auto empty = std::make_shared<Collection>();
  empty->seal();
  nothing->own = nothing->all = std::move(empty);
  return nothing;
}

std::string SavedCycle::writeTo(Output &output) const {
  for (const MemoryEvent &event : own->memory())
    if (std::string failure = output.memory(event); !failure.empty())
      return failure;
  for (const Replay &replay : own->replays())
    if (std::string failure = output.write(replay); !failure.empty())
      return failure;
  if (output.wantsHostSpans() && !own->spans().empty())
    if (std::string failure = output.writeHost(own->spans()); !failure.empty())
      return failure;
  output.metadata("trace_id", jsonString(traceId));
  for (const auto &[key, json] : metadata)
    output.metadata(key, json);
  return {};
}

} // namespace graphprof
