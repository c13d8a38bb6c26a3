// An annotated header, which is rewritten with the sources.
#pragma once
#include <cuda_runtime_api.h>

void work(void *memory, cudaStream_t stream);

inline void prepare(void *memory, cudaStream_t stream) {
  [[graphprof::time("prepare")]] { work(memory, stream); }
}
