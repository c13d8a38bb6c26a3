// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// Errors in a format point into the literal, at the character.

void work();
// CHECK: :[[#@LINE+1]]:26: error: '{' without a '}' behind it
#define NAME "in a macro {"

void formats(int n) {
  // CHECK: :[[#@LINE+1]]:28: error: 1 place, 0 values; add a value, or remove a place
  [[graphprof::time("layer {}")]] work();
  // CHECK: :[[#@LINE+1]]:31: error: 2 places, 1 value; add a value, or remove a place
  [[graphprof::time("layer {} {}", n)]] work();
  // CHECK: :[[#@LINE+1]]:30: error: the name has no '{}' for this value; add one, or remove the value
  [[graphprof::time("layer", n)]] work();
  // CHECK: :[[#@LINE+1]]:28: error: '{' without a '}' behind it; write '{{[{][{]}}' for a brace
  [[graphprof::time("layer {", n)]] work();
  // CHECK: :[[#@LINE+1]]:28: error: '}' without a '{' before it; write '}}' for a brace
  [[graphprof::time("layer }", n)]] work();
  // CHECK: :[[#@LINE+1]]:26: error: '{}' and '{0}' cannot be mixed in one format
  [[graphprof::time("{} {0}", n)]] work();
  // CHECK: :[[#@LINE+1]]:23: error: 'n': values are named by their place, '{}' or '{0}'
  [[graphprof::time("{n}", n)]] work();
  // CHECK: :[[#@LINE+1]]:24: error: expected '}' or ':'
  [[graphprof::time("{0!r}", n)]] work();
  // CHECK: :[[#@LINE+1]]:25: error: 2 places, 1 value
  [[graphprof::time("{:.{}f}", n)]] work();
  // CHECK: :[[#@LINE+1]]:36: error: 2 places, 1 value
  [[graphprof::time("\t\x41" "b {} {}", n)]] work();
  // CHECK: :[[#@LINE+1]]:26: error: 1 place, 0 values
  [[graphprof::time(R"(a {})")]] work();
  // CHECK: :[[#@LINE+1]]:27: error: 4 places, 1 value
  [[graphprof::time("{0} {3}", n)]] work();
  // CHECK: :[[#@LINE+1]]:25: error: 1 place, 0 values
  [[graphprof::time("{{ {}")]] work();
  [[graphprof::time(NAME)]] work();
  // CHECK: :[[#@LINE+1]]:21: error: expected the region's name, a string literal, or 'key = value'
  [[graphprof::time('c')]] work();
  // CHECK: :[[#@LINE+1]]:21: error: a region's name is an ordinary string literal, without a prefix
  [[graphprof::time(L"wide")]] work();
}
