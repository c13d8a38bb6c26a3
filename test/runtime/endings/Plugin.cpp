// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A library that its program loads, uses and closes. What its regions are named by goes with it.

#include "Program.h"

using graphprof::test::Replayed;

extern "C" void pluginRun(int launches) {
  const Replayed replayed;
  replayed.launch(launches);
  {
    REGION(5, "outside", replayed.stream());
    WITH_TEXT(6, "with a {}", replayed.stream(), "text");
    replayed.launch(launches);
  }
  replayed.show();
  replayed.launch(launches);
  replayed.destroy();
}
