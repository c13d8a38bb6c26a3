// A copy that has no time of the device has the time that its call took, and is counted as lost.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %instrument --strict -o %t/program.cu %s -- %simflags
// RUN: %simcc %t/program.cu -o %t/program
// RUN: env GRAPHPROF_OUTPUT=steps:%t/steps.db %t/program
// RUN: %python -c 'import json,sqlite3,sys; [print(step, device, e["is_gpu"], e["n_calls"], e["gpu_ms"], e["duration_ms"] == e["cpu_ms"] > 0) for step, j in sqlite3.connect(sys.argv[1]).execute("SELECT step, events_json FROM step_time_samples ORDER BY id") for device, e in json.loads(j)["_traceml_internal:h2d_time"].items()]' %t/steps.db | FileCheck %s
// RUN: %python -c 'import sqlite3,sys; print(*sqlite3.connect(sys.argv[1]).execute("SELECT * FROM graphprof_losses"))' %t/steps.db | FileCheck %s --check-prefix=LOST

#include <thread>

int main() {
  char host[64] = {}, *device = nullptr;
  if (cudaMalloc(&device, sizeof host))
    return 1;
  int failed = 1;
  std::thread([&] { // whose first call makes its context current: before it there is no device
    [[graphprof::step]] { failed = cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice); }
  })
      .join();
  return failed || cudaFree(device);
}

// CHECK: {{^}}0 cpu False 1 None True{{$}}
// LOST:  {{^}}(0, 'eager', 1, '1 region outside graphs not measured{{.*}}')
