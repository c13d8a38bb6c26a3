// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The grammar of declarations outside functions.

#include "Grammar.h"

namespace graphprof::fuzz {
namespace {

constexpr const char *PatternPrologue = R"(#include <cuda_runtime.h>
#define CHECK(call) do { if ((call) != cudaSuccess) check(cudaSuccess, #call, 1); } while (0)
#define TWICE(x) ((void)(x), (x))
#define RUN(...) __VA_ARGS__
#define EMPTY
#define SEMI ;
#define OPEN {
#define CLOSE }
#define HALF(x) work(s); work(
#define NAME(x) "name " #x
#define BOTH n, n
#define PASTE(a, b) a##b
#define STREAM s
#define BLOCK(x) { x }
#define TWICE_OVER(x) { x } { x }
#define TIMED(...) [[graphprof::time(__VA_ARGS__)]]
#define TIMED_CALL(x) [[graphprof::time("macro")]] x
#define TIMED_BLOCK(x) [[graphprof::time]] { x }
#define TIMED_CHECK(x) [[graphprof::time(#x)]] CHECK(x)
#define FOR(i) for (int i = 0; i < n; ++i)
#define IF_OK(x) if ((x) == cudaSuccess)
#define KERNEL(k, ...) k<<<1, 32, 0, s>>>(__VA_ARGS__)
#define API(f, ...) f(__VA_ARGS__)
#define LOG(f, ...) ((void)#f, f(__VA_ARGS__))
#define GRAPH(name, ...) cudaGraph##name(__VA_ARGS__)
#define LAUNCH cudaGraphLaunch(e, s)
#define TRY try {
#define CATCH } catch (...) { }
#define SIGNATURE(name) int name(cudaStream_t s, int n, cudaGraphExec_t e, cudaGraph_t g, float *x)

struct Holder { cudaStream_t stream; int field; void go(cudaStream_t) const; };
struct Pair { int first, second; };
extern Holder holder;
extern cudaStream_t streams[4];
extern cudaGraphExec_t global;
extern int numbers[2];
void work(cudaStream_t);
int rank();
Pair pair();
cudaStream_t next(cudaStream_t);
void check(cudaError_t, const char *, int);
template <class T> T identity(T value) { return value; }
template <class T> T *pointer(T *function) { return function; }
template <auto F, class... T> cudaError_t tryCuda(T... t) { return F(t...); }
template <class E, class S> cudaError_t generic(E e, S s) { return cudaGraphLaunch(e, s); }
cudaError_t defaulted(cudaError_t error = cudaGraphLaunch(global, streams[0]));
__global__ void kernel(float *, int) {}
template <class T> __global__ void generics(T *) {}
__global__ void timedKernel() {}
namespace rt {
using ::cudaGraphLaunch;
namespace inner { using ::cudaGraphUpload; }
}
)";

constexpr const char *Parameters =
    "(cudaStream_t s, int n, cudaGraphExec_t e, cudaGraph_t g, float *x)";

} // namespace

Node Grammar::unit() {
  std::vector<Node> Nodes;
  std::string Pattern = PatternPrologue;
  for (size_t I = 1 + Pick.below(3); I > 0; --I) {
    Nodes.push_back(item());
    Pattern += "$\n";
  }
  return node(Part::Unit, Pattern, std::move(Nodes));
}

Node Grammar::item() { return wild(35) ? oddItem() : function(); }

Node Grammar::function() {
  const std::string Front = maybeAnnotation(25), Behind = maybeAnnotation(4),
                    Last = maybeAnnotation(4);
  const std::string Name = fresh("f");
  switch (Pick.below(8)) {
  case 0:
    return node(Part::Item,
                "template <class T> " + Front + "int " + Name + Parameters +
                    " {\n$return 0; }\ntemplate int " + Name + "<int>" + Parameters + ";",
                {statements(3, 4)});
  case 1:
    return node(Part::Item,
                "struct " + fresh("C") + " {\n" + Front + "static int " + Name + Parameters +
                    " {\n$return 0; }\n};",
                {statements(3, 4)});
  case 2: {
    const std::string Class = fresh("C");
    return node(Part::Item,
                "struct " + Class + " {\nint " + Name + Parameters + ";\nint member = 0;\n};\n" +
                    Front + "int " + Class + "::" + Name + Parameters + " {\n$return member; }",
                {statements(3, 4)});
  }
  case 3: {
    const std::string Class = fresh("C");
    return node(Part::Item,
                "struct " + Class + " {\n" + Front + Class + Parameters +
                    " : member(n), other{int($)} {\n[&]() -> int {\n$return 0; }();\n}\nint "
                    "member; int other;\n};",
                {expression(1), statements(3, 4)});
  }
  case 4:
    return node(Part::Item,
                Front + "int " + Name + Parameters +
                    " try {\n$return 0; } catch (...) {\n$return 1; }",
                {statements(3, 3), statements(1, 1)});
  case 5:
    return node(Part::Item,
                Front + "auto " + Name + Behind + Parameters + Last + " -> int\n{\n$return 0;\n}",
                {statements(3, 4)});
  case 6:
    return node(Part::Item, Front + "SIGNATURE(" + Name + ") {\n$return 0; }", {statements(3, 4)});
  default:
    return node(Part::Item, Front + "static inline int " + Name + Parameters + " {\n$return 0; }",
                {statements(4, 5)});
  }
}

Node Grammar::oddItem() {
  const std::string Front = maybeAnnotation(60);
  const std::string Name = fresh("f");
  switch (Pick.below(22)) {
  case 0:
    return node(Part::Item, Front + "constexpr int " + Name + "(int n) { " + maybeAnnotation(40) +
                                "return n; }");
  case 1:
    return node(Part::Item, Front + "consteval int " + Name + "(int n) { " + maybeAnnotation(40) +
                                "return n; }");
  case 2:
    return node(Part::Item, Front + "__global__ void " + Name + "(float *x) { " +
                                maybeAnnotation(40) + "{ } }");
  case 3:
    return node(Part::Item, Front + "__host__ __device__ int " + Name + Parameters + " {\n" +
                                maybeAnnotation(50) + "n++;\nreturn n; }");
  case 4:
    return node(Part::Item, Front + "__device__ int " + Name +
                                "(cudaGraphExec_t e, cudaStream_t s, int n) { " +
                                maybeAnnotation(40) +
                                "return cudaGraphLaunch(e, cudaStreamGraphFireAndForget); }");
  case 5:
    return node(Part::Item, Front + "int " + Name + " = $;", {expression(1)});
  case 6:
    return node(Part::Item, Front + "void " + Name + Parameters + ";");
  case 7:
    return node(Part::Item, "struct " + maybeAnnotation(70) + Name + " { " + maybeAnnotation(50) +
                                "int n; " + maybeAnnotation(50) + Name + "() = default; " +
                                maybeAnnotation(50) + "~" + Name + "() { work(nullptr); } };");
  case 8:
    return node(Part::Item, "enum " + maybeAnnotation(50) + Name + " { " + fresh("A") + " " +
                                maybeAnnotation(50) + " };");
  case 9:
    return node(Part::Item, "namespace " + maybeAnnotation(50) + Name + " {\n$\n}", {item()});
  case 10:
    return node(Part::Item, "void " + Name + "(" + maybeAnnotation(70) + "int n) { }");
  case 11:
    return node(Part::Item,
                "auto " + Name + " = []" + maybeAnnotation(40) +
                    "(cudaStream_t s, int n, cudaGraphExec_t e) " + maybeAnnotation(40) + " {\n$};",
                {call().Kind == Part::Call ? node(Part::Statement, "return n;")
                                           : node(Part::Statement, ";")});
  case 12:
    return node(Part::Item, "cudaError_t (*" + Name +
                                "[])(cudaGraphExec_t, cudaStream_t) = {cudaGraphLaunch, "
                                "&cudaGraphUpload, &::cudaGraphLaunch};");
  case 13:
    return node(Part::Item, "cudaError_t " + Name +
                                "(cudaGraphExec_t e, cudaStream_t s, cudaError_t error = "
                                "cudaGraphLaunch(global, nullptr)) { return error; }");
  case 14:
    return node(Part::Item, "template <class T> struct " + Name + " { T t; " + Front +
                                "void go(cudaStream_t s, int n) {\n" + maybeAnnotation(50) +
                                "cudaGraphLaunch(t, s);\n} };\ntemplate <> " + maybeAnnotation(50) +
                                "void " + Name + "<int>::go(cudaStream_t s, int n) { work(s); }");
  case 15:
    return node(
        Part::Item,
        "#include <coroutine>\nstruct " + Name + " { struct promise_type { " + Name +
            " get_return_object(); std::suspend_always initial_suspend(); std::suspend_always "
            "final_suspend() noexcept; void return_void(); void unhandled_exception(); }; };\n" +
            Front + Name + " coroutine(cudaStream_t s, int n) { " + maybeAnnotation(50) +
            "work(s);\n co_await std::suspend_always(); co_return; }");
  case 16:
    return node(Part::Item, Front + "int " + Name + Parameters + " OPEN $ return 0; CLOSE",
                {statement(1)});
  case 17:
    return node(Part::Item, "#if 0\n" + annotation() + "void " + Name +
                                "() { cudaGraphLaunch(e, s); }\n#endif");
  case 18:
    return node(Part::Item, "extern \"C\" {\n$\n}", {item()});
  case 19:
    return node(Part::Item, "// " + annotation() + "\n/* " + annotation() + " */\nconst char *" +
                                Name + " = R\"(" + "cudaGraphLaunch(e, s))\";");
  case 20:
    return node(Part::Item, "template <class T> concept " + Name +
                                " = requires(T t) { cudaGraphLaunch(t, nullptr); };");
  default:
    return node(Part::Item, "struct " + Name + " { " + Front +
                                "operator int() const { return 1; } " + maybeAnnotation(50) + Name +
                                " &operator=(const " + Name + " &) { return *this; } " +
                                maybeAnnotation(50) + "friend void friends(" + Name +
                                ") { work(nullptr); } };");
  }
}

} // namespace graphprof::fuzz
