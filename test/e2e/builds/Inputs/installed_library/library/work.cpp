#include "mylib/work.h"

void mylib::work(void *memory, cudaStream_t stream) {
  [[graphprof::time("in the library", stream = stream)]] {
    cudaMemsetAsync(memory, 0, 1 << 20, stream);
  }
}
