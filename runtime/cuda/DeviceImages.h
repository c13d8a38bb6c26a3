// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Our own device code as the library carries it: machine code for the common architectures and PTX,
// or PTX alone where the build had no nvcc.

#ifndef GRAPHPROF_CUDA_DEVICEIMAGES_H
#define GRAPHPROF_CUDA_DEVICEIMAGES_H

extern "C" const char graphprofStampImage[]; // DeviceImages.S
extern "C" const char graphprofBenchImage[];

namespace graphprof {

/// What cuLibraryLoadData takes: the kernels of clock/StampKernels.cu, of bench/BenchKernels.cu.
inline const void *stampImage() { return graphprofStampImage; }
inline const void *benchImage() { return graphprofBenchImage; }

} // namespace graphprof

#endif // GRAPHPROF_CUDA_DEVICEIMAGES_H
