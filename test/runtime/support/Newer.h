// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Functions of newer drivers, for tests that also run where there are none.

#ifndef GRAPHPROF_TEST_SUPPORT_NEWER_H
#define GRAPHPROF_TEST_SUPPORT_NEWER_H

#include <dlfcn.h>

namespace graphprof::test {

/// The driver's function of this name, by its exported symbol; null: it has none.
template <class Function> Function *newer(const char *symbol) {
  void *found = dlsym(RTLD_DEFAULT, symbol);
  if (!found)
    if (void *const driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW)) // a GPU's
      found = dlsym(driver, symbol);
  return reinterpret_cast<Function *>(found);
}

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_NEWER_H
