// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/SavedCycle.h"

#include "output/io/Json.h"

namespace graphprof {

std::shared_ptr<const SavedCycle> SavedCycle::none() {
  auto nothing = std::make_shared<SavedCycle>();
  auto records = std::make_shared<Collection>();
  records->seal();
  nothing->records = nothing->all = std::move(records);
  nothing->host = nothing->allHost = std::make_shared<HostCollection>();
  return nothing;
}

std::string SavedCycle::writeTo(Output &output) const {
  for (const MemoryEvent &event : records->memory())
    if (std::string failure = output.memory(event); !failure.empty())
      return failure;
  for (const Replay &replay : records->replays())
    if (std::string failure = output.write(replay); !failure.empty())
      return failure;
  if (output.wantsHostSpans() && host->size() > 0)
    if (std::string failure = output.writeHost(host->spans()); !failure.empty())
      return failure;
  output.metadata("trace_id", jsonString(traceId));
  for (const auto &[key, json] : metadata)
    output.metadata(key, json);
  return {};
}

} // namespace graphprof
