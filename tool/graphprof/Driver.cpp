// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace graphprof::tool {
namespace {

constexpr int computeMajor = 75, computeMinor = 76, multiprocessors = 16; // CUdevice_attribute

// What a function of the driver returns (a CUresult); -1 where the driver lacks it.
template <class... Arguments> int call(void *library, const char *name, Arguments... arguments) {
  auto *const function =
      library ? reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name)) : nullptr;
  return function ? function(arguments...) : -1;
}

} // namespace

Driver::Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (!library_)
    whyMissing_ = dlerror();
  else if (call(library_, "cuDriverGetVersion", &version_) != 0)
    version_ = 0;
}

std::string Driver::versionText() const {
  return fmt::format("{}.{}", version_ / 1000, version_ % 1000 / 10);
}

int Driver::init() {
  int error = call(library_, "cuInit", 0U);
  if (error == 0)
    error = call(library_, "cuDeviceGetCount", &count_);
  if (error != 0)
    count_ = 0;
  return error;
}

Device Driver::device(int number) const {
  constexpr int size = 256;
  char name[size] = "";
  Device device;
  call(library_, "cuDeviceGetName", +name, size, number);
  call(library_, "cuDeviceGetAttribute", &device.major, computeMajor, number);
  call(library_, "cuDeviceGetAttribute", &device.minor, computeMinor, number);
  call(library_, "cuDeviceGetAttribute", &device.multiprocessors, multiprocessors, number);
  call(library_, "cuDeviceTotalMem_v2", &device.memory, number);
  device.name = name;
  return device;
}

bool Driver::enter(int device) const {
  void *context = nullptr;
  if (call(library_, "cuDevicePrimaryCtxRetain", &context, device) != 0)
    return false;
  if (call(library_, "cuCtxSetCurrent", context) == 0)
    return true;
  call(library_, "cuDevicePrimaryCtxRelease_v2", device);
  return false;
}

void Driver::leave(int device) const {
  call(library_, "cuCtxSetCurrent", static_cast<void *>(nullptr));
  call(library_, "cuDevicePrimaryCtxRelease_v2", device);
}

} // namespace graphprof::tool
