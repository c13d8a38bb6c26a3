// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that knows nothing of graphprof: it loads a library that may, closes it with replays in
// flight, and loads it again. Arguments: the library, how often.

#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

#include <cuda_runtime_api.h>

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  std::printf("%s\n", cudaGetErrorName(cudaFree(nullptr)));
  const long times = std::strtol(argv[2], nullptr, 10);
  for (int i = 0; i < times; ++i) {
    void *const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return 2;
    reinterpret_cast<void (*)(int)>(dlsym(library, "pluginRun"))(i + 1);
    std::printf("closed: %d\n", dlclose(library));
    std::printf("gone: %d\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == nullptr);
  }
  return 3;
}
