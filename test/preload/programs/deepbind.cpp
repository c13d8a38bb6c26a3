// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// linked.cpp as a library that looks its symbols up in what it is linked with first.

#include <cstdio>

#include <dlfcn.h>

int main() {
  void *const plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_DEEPBIND);
  auto *const run = plugin ? reinterpret_cast<int (*)()>(dlsym(plugin, "run")) : nullptr;
  if (!run) {
    std::printf("%s\n", dlerror());
    return 97;
  }
  return run();
}
