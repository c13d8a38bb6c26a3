// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof's device code inside the library: machine code for the common architectures and PTX, or
// PTX alone if the build had no nvcc.

#ifndef GRAPHPROF_CUDA_DEVICEIMAGES_H
#define GRAPHPROF_CUDA_DEVICEIMAGES_H

extern "C" const char graphprofStampImage[]; // in DeviceImages.S
extern "C" const char graphprofBenchImage[];

namespace graphprof {

/// For cuLibraryLoadData: the kernels of clock/StampKernels.cu and of bench/BenchKernels.cu.
inline const void *stampImage() { return graphprofStampImage; }
inline const void *benchImage() { return graphprofBenchImage; }

} // namespace graphprof

#endif // GRAPHPROF_CUDA_DEVICEIMAGES_H
