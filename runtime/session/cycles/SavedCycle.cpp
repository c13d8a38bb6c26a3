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

std::string SavedCycle::writeTo(BatchWriter &writer, Output::Interest wants,
                                Batching &batching) const {
  if (wants.memory)
    for (const MemoryEvent &event : own->memory())
      if (std::string failure = batching.write(event, writer); !failure.empty())
        return failure;
  for (const Replay &replay : own->replays())
    if (std::string failure = batching.write(replay, writer); !failure.empty())
      return failure;
  if (wants.hostSpans && !own->spans().empty())
    if (std::string failure = batching.write(own->spans(), writer); !failure.empty())
      return failure;
  Batch said;
  said.notes.push_back({"trace_id", jsonString(traceId)});
  for (const auto &[key, json] : metadata)
    said.notes.push_back({key, json});
  return writer.write(said);
}

} // namespace graphprof
