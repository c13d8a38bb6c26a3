// A header of the project that allocates; as long as nobody chooses it, it stays as it is.
#pragma once

#include "cuda_runtime.h"

#define IN_HEADER(pointer) cudaFree(pointer)
inline cudaError_t allocateInHeader(int **p) { return cudaMalloc(p, 4); }
