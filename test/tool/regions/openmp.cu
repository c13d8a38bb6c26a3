// RUN: %instrument %s -o %t.cu -- %cuda -fopenmp
// RUN: grep -v '^ *//' %t.cu | FileCheck %s --match-full-lines
// RUN: %instrument %t.cu -o %t.again.cu -- %cuda -fopenmp
// RUN: cmp %t.cu %t.again.cu
// RUN: %compile -fopenmp -Werror %t.cu
// RUN: %instrument %s -o %t.without.cu -- %cuda
// RUN: not %instrument %s -o %t.refused.cu -- %cuda -fopenmp -DREFUSED 2>&1 | FileCheck %s --check-prefix=REFUSED --implicit-check-not=error:
//
// An annotation above an OpenMP directive times the construct as a whole, in the thread that meets it; one on the block
// behind a directive times what each thread does.

#include <cuda_runtime.h>

void work(cudaStream_t, int = 0);
__global__ void kernel();

void regions(cudaStream_t s, cudaStream_t *streams, int n) {
  // CHECK-LABEL: void regions({{.*}}
  [[graphprof::time("all {}", n)]]
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < n; ++i)
    work(s, i);
  // CHECK-NEXT: { GRAPHPROF_SCOPE(1, "all {}", ::graphprof::on_stream(s), n);
  // CHECK-NEXT: #pragma omp parallel for num_threads(2)
  // CHECK-NEXT: for (int i = 0; i < n; ++i)
  // CHECK-NEXT: work(s, i); }
  [[graphprof::time("block")]]
#pragma omp parallel
  {
    kernel<<<1, 1, 0, s>>>();
#pragma omp for
    for (int i = 0; i < n; ++i) [[graphprof::time("turn {}", i, stream = streams[i])]] {
      work(streams[i]);
    }
  }
  // CHECK-NEXT: { GRAPHPROF_SCOPE({{[0-9]+}}, "block", {{.*}});
  // CHECK-NEXT: #pragma omp parallel
  // CHECK-NEXT: {
  // CHECK-NEXT: kernel<<<1, 1, 0, s>>>();
  // CHECK-NEXT: #pragma omp for
  // CHECK-NEXT: for (int i = 0; i < n; ++i) { GRAPHPROF_SCOPE({{[0-9]+}}, "turn {}", ::graphprof::on_stream(streams[i]), i);
  // CHECK-NEXT: work(streams[i]);
  // CHECK-NEXT: }
  // CHECK-NEXT: } }
#pragma omp parallel
  [[graphprof::time("each thread")]] { work(s); }
  // CHECK-NEXT: #pragma omp parallel
  // CHECK-NEXT: { GRAPHPROF_SCOPE({{[0-9]+}}, "each thread", ::graphprof::on_stream(s)); work(s); }
#pragma omp single
  [[graphprof::time]] work(s);
  // CHECK-NEXT: #pragma omp single
  // CHECK-NEXT: { GRAPHPROF_SCOPE({{[0-9]+}}, "work", ::graphprof::on_stream(s)); work(s); }
}

template <class T> void generic(T t, cudaStream_t s, int n) {
  [[graphprof::time("generic")]]
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    t(i, s);
  // CHECK: { GRAPHPROF_SCOPE({{[0-9]+}}, "generic", ::graphprof::on_stream(s));
}

#ifdef REFUSED
void refused(cudaStream_t s, int n) {
#pragma omp parallel for
  // REFUSED: :[[#@LINE+1]]:5: error: a pragma belongs to this statement, and no brace may come between them; put the annotation above the pragma
  [[graphprof::time("between")]] for (int i = 0; i < n; ++i) work(s, i);
#pragma omp atomic
  // REFUSED: :[[#@LINE+1]]:5: error: a pragma belongs to this statement
  [[graphprof::time("atomic")]] ++n;
  // REFUSED: :[[#@LINE+1]]:5: error: this OpenMP directive cannot be timed by itself; annotate a block around it
  [[graphprof::time("alone")]]
#pragma omp barrier
#pragma omp parallel sections
  {
    work(s);
    // REFUSED: :[[#@LINE+1]]:7: error: this OpenMP directive cannot be timed by itself
    [[graphprof::time("section")]]
#pragma omp section
    work(s);
  }
}
#endif
