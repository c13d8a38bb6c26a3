// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The functions of layers.cu. Each returns a cudaError_t as an int, because binding.cpp is compiled
// without a toolkit.

#ifndef EXAMPLES_TORCH_EXTENSION_LAYERS_H
#define EXAMPLES_TORCH_EXTENSION_LAYERS_H

struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;

extern "C" {
/// `layers` times, in place: adds 1 to each of the `n` numbers at `x`, then takes the maximum of it
/// and 0.
int layersForward(float *x, long n, int layers, CUstream_st *stream);

/// The extension's own exec of a graph that PyTorch has captured: instantiation, launch,
/// destruction.
int layersInstantiate(CUgraph_st *graph, CUgraphExec_st **exec);
int layersReplay(CUgraphExec_st *exec, CUstream_st *stream);
int layersDestroy(CUgraphExec_st *exec);
}

#endif // EXAMPLES_TORCH_EXTENSION_LAYERS_H
