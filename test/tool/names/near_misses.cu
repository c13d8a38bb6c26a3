// RUN: not %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
//
// What is nearly one of our names: a warning where it has a meaning without us, an error where it has none.

#include <cuda_runtime.h>

void work(cudaStream_t);
[[clang::noinline, maybe_unused]] static int layerIndex(int layer) { return layer; }

void near(cudaStream_t s, int layer, const int *sizes) {
  // CHECK: :[[#@LINE+1]]:36: warning: 'strem' is carried along as a value; did you mean 'stream'?
  [[graphprof::time("a {}", layer, strem = s)]] work(s);
  // CHECK: :[[#@LINE+1]]:26: warning: 'flosp' is carried along as a value; did you mean 'flops'?
  [[graphprof::time("a", flosp = 1, types = 2, loops = 3, batch = 4)]] work(s);
  // CHECK: :[[#@LINE+1]]:5: warning: unknown annotation 'grapphprof::time'; did you mean 'graphprof::time'?
  [[grapphprof::time("b")]] work(s);
  // CHECK: :[[#@LINE+1]]:5: warning: unknown annotation 'graphrof::step'; did you mean 'graphprof::step'?
  [[graphrof::step]] { work(s); }
  // CHECK: :[[#@LINE+1]]:29: error: 'lyer' is not declared; did you mean 'layer'?
  [[graphprof::time("c {}", lyer)]] work(s);
  // CHECK: :[[#@LINE+1]]:48: error: 'nowhereAtAll' is not declared{{$}}
  [[graphprof::time("c {}", layerIndex(layer + nowhereAtAll))]] work(s);
  // CHECK: :[[#@LINE+1]]:44: error: 'laier' is not declared; did you mean 'layer'?
  [[graphprof::time("d", stream = s, key = laier)]] work(s);
  [[graphprof::time("e {} {}", layerIndex(sizes[layer]), [&] { auto inner = 1; return inner; }())]] work(s);
}
