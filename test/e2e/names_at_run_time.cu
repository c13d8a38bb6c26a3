// RUN: %simcc %s -o %t
// RUN: env GRAPHPROF_OUTPUT=table:%t.table %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=TABLE < %t.table
// RUN: not %simcc -DREFUSED %s -o %t.refused 2>&1 | FileCheck %s --check-prefix=REFUSED
//
// The compiler checks the names that it knows. One that is made while the program runs is checked when it is filled in: that
// it does not fit its values is said once, and the region is shown by the name as it is written.

#include <cuda_runtime.h>
#include <graphprof/cuda.h>
#include <string>

__global__ void kernel() {}

int main() {
  static const std::string name = std::string("layer ") + "{:d}";
  static const graphprof::Site site(name.c_str(), __FILE__, 4321, __func__);
  for (int i = 0; i < 3; ++i) {
    const graphprof::Scope scope(site, graphprof::on_stream(nullptr), 1.5);
    kernel<<<1, 1>>>();
  }
  // CHECK: graphprof: {{.*}}names_at_run_time.cu:4321: the name 'layer {:d}' does not fit its values, and is shown as it is written
  // CHECK-NOT: does not fit
  // TABLE: layer {:d}
#ifdef REFUSED
  // REFUSED: error: static assertion failed{{.*}}: graphprof: the region's name formats a value as its type does not allow
  // REFUSED: names_at_run_time.cu:[[#@LINE+1]]
  GRAPHPROF_SCOPE(1, "layer {:d}", graphprof::on_stream(nullptr), 1.5);
#endif
  cudaDeviceSynchronize();
}
