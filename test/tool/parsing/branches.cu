// RUN: %instrument %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning: --implicit-check-not=error:
// RUN: %instrument --strict %s -o %t.cu -- %cuda 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning: --implicit-check-not=error:
// RUN: FileCheck %s --check-prefix=OUT < %t.cu
// RUN: %instrument %s -o %t.cu -- %cuda -DWRONG 2>&1 | FileCheck %s --check-prefix=SAID
//
// nvcc and gcc take `this->member` as the condition of an `if constexpr`. Clang does not, and then looks at the branch that is not
// taken. What it says of these is not said, and is no error; what it says of the rest is.

#include <cuda_runtime.h>

template <class T, bool Pair> struct Slot {
  static constexpr bool pair = Pair;
  constexpr auto key(const T &value) const {
    if constexpr (this->pair)
      return value.first;
    else
      return value;
  }
};
// SAID: :[[#@LINE+2]]:{{.*}} warning: use of undeclared identifier 'missing'
#ifdef WRONG
int wrong() { return missing; }
#endif
void run(cudaGraphExec_t exec, cudaStream_t stream) {
  Slot<int, false>{}.key(3);
  // OUT: ::graphprof::cuda::cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
}
