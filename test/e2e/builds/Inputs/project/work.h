// An annotated header, which --header-filter has rewritten.
#pragma once
#include <cuda_runtime_api.h>

void work(void *memory, cudaStream_t stream);

inline void prepare(void *memory, cudaStream_t stream) {
  [[graphprof::time("prepare")]] { work(memory, stream); }
}
