// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof-convert; `graphprof convert` is the same.

#include "convert/Convert.h"

int main(int argc, char **argv) {
  return graphprof::convertCommand("graphprof-convert", {argv + 1, argv + argc});
}
