// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Loads linked.cpp as a library with FLAGS. With RTLD_DEEPBIND it looks up symbols in its own
// dependencies first.

#include <cstdio>

#include <dlfcn.h>

int main() {
  void *const plugin = dlopen(PLUGIN, RTLD_NOW | FLAGS);
  auto *const run = plugin ? reinterpret_cast<int (*)()>(dlsym(plugin, "run")) : nullptr;
  if (!run) {
    std::printf("%s\n", dlerror());
    return 97;
  }
  return run();
}
