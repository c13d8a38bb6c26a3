#include "layer.h"

__global__ void add(__half *x) { x[threadIdx.x] = __hadd(x[threadIdx.x], __float2half(1)); }

void layer(__half *x, cudaStream_t stream) {
  timed(stream, [](__half *x, cudaStream_t stream) { add<<<1, 32, 0, stream>>>(x); }, x);
}
