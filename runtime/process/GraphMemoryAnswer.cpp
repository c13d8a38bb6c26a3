// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/GraphMemoryAnswer.h"

#include "output/io/JsonWriter.h"
#include "process/Process.h"

namespace graphprof {

std::string graphMemoryAnswer() {
  const GraphMemory &memory = process().graphMemory;
  std::string text;
  if (!memory.isOn())
    return text;
  const GraphMemoryTotals totals = memory.totals();
  JsonWriter(text)
      .beginObject()
      .member<"captures">(totals.captures)
      .member<"execs">(totals.execs)
      .member<"capture_bytes">(totals.captureBytes)
      .member<"instantiate_bytes">(totals.instantiateBytes)
      .member<"first_launch_bytes">(totals.firstLaunchBytes)
      .member<"update_and_upload_bytes">(totals.otherBytes)
      .member<"total_bytes">(totals.captureBytes + totals.instantiateBytes +
                             totals.firstLaunchBytes + totals.otherBytes)
      .member<"graph_pool_bytes">(totals.poolBytes)
      .member<"graphprof_bytes">(totals.ownBytes)
      .endObject();
  return text;
}

} // namespace graphprof
