// RUN: %instrument %s -o %t.cpp -- %cxx 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: grep -v '^ *// \(CHECK\|RUN\)' %t.cpp | FileCheck %s --match-full-lines --implicit-check-not=::graphprof
// RUN: %instrument %t.cpp -o %t.again.cpp -- %cxx
// RUN: cmp %t.cpp %t.again.cpp
// RUN: clang++ -std=c++17 -Wall -Wextra -Wno-unused -Wno-dangling-else -Werror -fsyntax-only -I%S/../../../include -isystem %S/../../cudasim/include %t.cpp
// RUN: g++ -std=c++17 -Wall -Wextra -Wno-unused -Wno-dangling-else -pedantic -Werror -fsyntax-only -I%S/../../../include -isystem %S/../../cudasim/include %t.cpp
//
// A macro that makes text or another name of its argument gets the program's own spelling. The name is redirected where it
// becomes code: at the parameter in the macro's body, or, if that is no place of the project's, in the use of the macro,
// which is then written out.

// CHECK-DAG: #define GRAPHPROF_NAME_cudaGraphLaunch (),
// CHECK-DAG: #define GRAPHPROF_WITH_cudaGraphLaunch ::graphprof::cuda::cudaGraphLaunch
// CHECK-DAG: #define GRAPHPROF_WITH_cudaGraphUpload ::graphprof::cuda::cudaGraphUpload
// CHECK-DAG: #define GRAPHPROF_WITH_cudaFree ::graphprof::cuda::cudaFree
// CHECK-DAG: #define GRAPHPROF_WITH_cudaGraphDestroy ::graphprof::cuda::cudaGraphDestroy
// CHECK-DAG: #define GRAPHPROF_WITH_cudaGraphExecDestroy ::graphprof::cuda::cudaGraphExecDestroy
// CHECK:     #include <graphprof/cuda.h>
// CHECK:     #include <graphprof/detail/named.h>

#include <cuda_runtime_api.h>

void *symbol(const char *);
void fail(const char *, int, cudaError_t);

// A loader only asks for the type.
#define LOAD(f) reinterpret_cast<decltype(&f)>(symbol(#f))
// CHECK: #define LOAD(f) reinterpret_cast<decltype(&f)>(symbol(#f))
static decltype(&cudaGraphLaunch) loaded = LOAD(cudaGraphLaunch);
// CHECK: static decltype(&cudaGraphLaunch) loaded = LOAD(cudaGraphLaunch);

// A registry of names and functions; other functions than CUDA's pass through it, too.
struct Entry {
  const char *name;
  void *function;
};
void own();
namespace mine {
void other();
}
#define ENTRY(f)                                                                                                       \
  { #f, reinterpret_cast<void *>(&f) }
// CHECK:   { #f, reinterpret_cast<void *>(&GRAPHPROF_NAMED(f)) }
static const Entry entries[] = {ENTRY(cudaGraphLaunch), ENTRY(own), ENTRY(mine::other)};
// CHECK: static const Entry entries[] = {ENTRY(cudaGraphLaunch), ENTRY(own), ENTRY(mine::other)};

// A list whose entries become names, text and calls.
#define CALLS(X) X(cudaGraphDestroy, g) X(cudaGraphExecDestroy, e)
// CHECK: #define CALLS(X) X(cudaGraphDestroy, g) X(cudaGraphExecDestroy, e)
enum class Op {
#define X(f, a) f##_op,
  CALLS(X)
#undef X
};
const char *const names[] = {
#define X(f, a) #f,
    CALLS(X)
#undef X
};
cudaError_t all(cudaGraph_t g, cudaGraphExec_t e) {
#define X(f, a)                                                                                                        \
  if (cudaError_t r = f(a))                                                                                            \
    return r;
  // CHECK:   if (cudaError_t r = GRAPHPROF_NAMED(f)(a)){{.*}}
  CALLS(X)
#undef X
  return cudaSuccess;
}

// A check that shows the call, at the first level or below.
#define CHECK_AT(call, line)                                                                                           \
  if (cudaError_t r = (call))                                                                                          \
  fail(#call, line, r)
// CHECK:   if (cudaError_t r = (GRAPHPROF_NAMED(call))){{.*}}
#define CHECK_CUDA(call) CHECK_AT(call, __LINE__)
// CHECK: #define CHECK_CUDA(call) CHECK_AT(call, __LINE__)
void checked(cudaGraphExec_t e, cudaStream_t s) {
  CHECK_CUDA(cudaGraphLaunch(e, s));
  // CHECK:   CHECK_CUDA(cudaGraphLaunch(e, s));
  CHECK_CUDA(cudaStreamSynchronize(s));
}

// What begins with something else than a name leaves no place in the body, so the use is written out.
#define EXPECT(condition)                                                                                              \
  if (!(condition))                                                                                                    \
  fail(#condition, __LINE__, cudaSuccess)
#line 1000
void expected(cudaGraphExec_t e, cudaStream_t s) {
  EXPECT((cudaGraphLaunch(e, s)) == cudaSuccess);
  // CHECK:   if ( ! ( ( ::graphprof::cuda::cudaGraphLaunch ( e , s ) ) == cudaSuccess ) ) fail ( "(cudaGraphLaunch(e, s)) == cudaSuccess" , 1001 , cudaSuccess );
  EXPECT(cudaSuccess ==
         cudaGraphUpload(e, s));
  // CHECK:      {{ *}}if ( ! ( cudaSuccess == ::graphprof::cuda::cudaGraphUpload ( e , s ) ) ) fail ( "cudaSuccess == cudaGraphUpload(e, s)" , 1003 , cudaSuccess )
  // CHECK-NEXT: ;
}

// The body has the qualifier.
#define GLOBAL(f) ::f
// CHECK: #define GLOBAL(f) GRAPHPROF_NAMED_GLOBALLY(f)
cudaError_t global(cudaGraphExec_t e, cudaStream_t s) { return GLOBAL(own)(), GLOBAL(cudaGraphUpload)(e, s); }
// CHECK: cudaError_t global(cudaGraphExec_t e, cudaStream_t s) { return GLOBAL(own)(), GLOBAL(cudaGraphUpload)(e, s); }

// Counted by name, and called.
static int count_cudaGraphUpload;
#define COUNTED(f, ...) (++count_##f, f(__VA_ARGS__))
// CHECK: #define COUNTED(f, ...) (++count_##f, GRAPHPROF_NAMED(f)(__VA_ARGS__))
cudaError_t counted(cudaGraphExec_t e, cudaStream_t s) { return COUNTED(cudaGraphUpload, e, s); }
// CHECK: cudaError_t counted(cudaGraphExec_t e, cudaStream_t s) { return COUNTED(cudaGraphUpload, e, s); }

// So are functions of memory.
static int count_cudaFree;
cudaError_t freed(void *p) { return COUNTED(cudaFree, p); }
// CHECK: cudaError_t freed(void *p) { return COUNTED(cudaFree, p); }

// Without text, a name in an argument is redirected where it is spelled. `, ##__VA_ARGS__` is no pasting.
#define PASS(call) call
#define LOG(format, ...) fail(format, 0, ##__VA_ARGS__)
void plain(cudaGraphExec_t e, cudaStream_t s) {
  PASS(cudaGraphUpload(e, s));
  // CHECK:   PASS(::graphprof::cuda::cudaGraphUpload(e, s));
  LOG("upload", cudaGraphUpload(e, s));
  // CHECK:   LOG("upload", ::graphprof::cuda::cudaGraphUpload(e, s));
}

// A weak function may be missing, its wrapper never is.
extern "C" cudaError_t cudaGraphUpload(cudaGraphExec_t e, cudaStream_t s) __attribute__((weak));
cudaError_t uploaded(cudaGraphExec_t e, cudaStream_t s) {
  if (cudaGraphUpload && nullptr != &cudaGraphUpload)
    // CHECK:   if (cudaGraphUpload && nullptr != &cudaGraphUpload)
    return cudaGraphUpload(e, s);
  // CHECK:     return ::graphprof::cuda::cudaGraphUpload(e, s);
  return cudaSuccess;
}
// SAID-NOT: warning
// SAID: 12 redirected calls
