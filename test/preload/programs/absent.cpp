// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that looks for the driver, and must find neither it nor any of its functions.

#include <cstdio>

#include <dlfcn.h>

int main() {
  std::printf("%d %d %d\n", dlsym(RTLD_DEFAULT, "cuGraphLaunch") != nullptr,
              dlsym(dlopen(nullptr, RTLD_NOW), "cuGetProcAddress_v2") != nullptr,
              dlsym(RTLD_DEFAULT, "printf") != nullptr);
  return 5;
}
