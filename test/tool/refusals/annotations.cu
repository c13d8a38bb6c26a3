// RUN: rm -f %t.cu
// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s
// RUN: not test -e %t.cu
//
// Annotations that say something the tool does not understand.

void work();

void annotations(int n) {
  // CHECK: :[[#@LINE+1]]:16: error: unknown annotation 'graphprof::tiem'; did you mean 'graphprof::time'?
  [[graphprof::tiem]] work();
  // CHECK: :[[#@LINE+1]]:22: error: unknown annotation 'graphprof::ignored'; did you mean 'graphprof::ignore'?
  [[using graphprof: ignored]] work();
  // CHECK: :[[#@LINE+1]]:21: error: expected the region's name, a string literal, or 'key = value'
  [[graphprof::time(n)]] work();
  // CHECK: :[[#@LINE+1]]:33: error: expected a value for 'flops'
  [[graphprof::time("no value", flops = )]] work();
  // CHECK: :[[#@LINE+1]]:41: error: 'flops' is given twice; remove one
  [[graphprof::time("twice", flops = 1, flops = 2)]] work();
  // CHECK: :[[#@LINE+1]]:30: error: expected an argument
  [[graphprof::time("empty", , n)]] work();
  // CHECK: :[[#@LINE+1]]:5: error: 'graphprof::ignore' takes no arguments
  [[graphprof::ignore("why")]] work();
  // CHECK: :[[#@LINE+1]]:22: error: write 'graphprof::ignore' in brackets of its own
  [[graphprof::time, graphprof::ignore]] work();
  // CHECK: :[[#@LINE+1]]:33: error: this value appears in no name; give the region a name with a '{}' for it
  [[graphprof::time(stream = 0, n)]] work();
  // CHECK: :[[#@LINE+1]]:3: error: the brackets of this annotation do not match
  [[graphprof::time("{}", { ))]] work();
}
