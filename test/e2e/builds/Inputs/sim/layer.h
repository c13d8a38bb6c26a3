#pragma once
#include <cuda_fp16.h>

void layer(__half *x, cudaStream_t stream);
inline void timed(cudaStream_t stream, void (*launch)(__half *, cudaStream_t), __half *x) {
  [[graphprof::time("in the header", stream = stream)]] { launch(x, stream); }
}
