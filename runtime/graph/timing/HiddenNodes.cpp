// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/HiddenNodes.h"

#include "clock/StampClock.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

bool HiddenNodes::has(Devices &devices, driver::Node node) {
  driver::NodeType type{};
  if (!ok(cu().graphNodeGetType(node, &type)))
    return false;
  driver::Event event = nullptr;
  if (type == driver::NodeType::EventRecord)
    return ok(cu().graphEventRecordNodeGetEvent(node, &event)) && devices.havePlaceholder(event);
  return type == driver::NodeType::Kernel && isStampKernel(node);
}

} // namespace graphprof
