// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// cudaUserObject: references of the program and of graphs. The program's references share one entry
// in the device's table. Each reference of a graph is one entry in the graph, which clones and
// execs copy.

#include "Device.h"
#include "Graph.h"

#include <algorithm>

CUuserObject_st::~CUuserObject_st() {
  device.effects.push_back([destroy = destroy, pointer = pointer] { destroy(pointer); });
}

namespace cudasim {

cudaError_t userObjectCreate(Device &device, cudaUserObject_t *object, void *pointer,
                             cudaHostFn_t destroy, unsigned count, unsigned flags) {
  if (!object || !destroy || !count || flags != cudaUserObjectNoDestructorSync)
    return cudaErrorInvalidValue;
  auto created = std::make_shared<CUuserObject_st>(device, pointer, destroy);
  created->callerCount = count;
  *object = device.userObjects.add(std::move(created));
  return cudaSuccess;
}

cudaError_t userObjectRetain(Device &device, cudaUserObject_t handle, unsigned count) {
  auto object = device.userObjects.find(handle);
  if (!object || !count)
    return cudaErrorInvalidValue;
  object->callerCount += count;
  return cudaSuccess;
}

cudaError_t userObjectRelease(Device &device, cudaUserObject_t handle, unsigned count) {
  auto object = device.userObjects.find(handle);
  if (!object || !count || count > object->callerCount)
    return cudaErrorInvalidValue;
  object->callerCount -= count;
  if (!object->callerCount)
    device.userObjects.remove(handle);
  return cudaSuccess;
}

cudaError_t graphRetainUserObject(Device &device, cudaGraph_t graphHandle, cudaUserObject_t handle,
                                  unsigned count, unsigned flags) {
  CUgraph_st *graph = findGraph(device, graphHandle);
  auto object = device.userObjects.find(handle);
  if (!graph || !object || !count || (flags & ~cudaGraphUserObjectMove))
    return cudaErrorInvalidValue;
  graph->userObjects.insert(graph->userObjects.end(), count, object);
  return flags & cudaGraphUserObjectMove ? userObjectRelease(device, handle, count) : cudaSuccess;
}

cudaError_t graphReleaseUserObject(Device &device, cudaGraph_t graphHandle, cudaUserObject_t handle,
                                   unsigned count) {
  CUgraph_st *graph = findGraph(device, graphHandle);
  if (!graph || !count)
    return cudaErrorInvalidValue;
  auto &held = graph->userObjects;
  auto isIt = [&](const auto &object) { return object.get() == handle; };
  if (std::count_if(held.begin(), held.end(), isIt) < static_cast<std::ptrdiff_t>(count))
    return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i)
    held.erase(std::find_if(held.begin(), held.end(), isIt));
  return cudaSuccess;
}

} // namespace cudasim
