// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The grammar of statements and expressions.

#include "Grammar.h"

namespace graphprof::fuzz {

Node Grammar::call() {
  static constexpr const char *Calls[] = {"cudaGraphLaunch(e, s)",
                                          "::cudaGraphLaunch(e, s)",
                                          "(cudaGraphLaunch)(e, s)",
                                          "(&cudaGraphLaunch)(e, s)",
                                          "cudaGraphUpload(e, s)",
                                          "cudaGraphInstantiate(&e, g)",
                                          "cudaGraphInstantiate(&e, g, nullptr, nullptr, 0)",
                                          "cudaGraphInstantiate(&e, g, 0)",
                                          "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)",
                                          "cudaStreamEndCapture(s, &g)",
                                          "cudaGraphExecDestroy(e)",
                                          "cudaGraphDestroy(g)",
                                          "cudaGraphExecUpdate(e, g, nullptr)",
                                          "tryCuda<cudaGraphLaunch>(e, s)",
                                          "tryCuda<&::cudaGraphUpload>(e, s)",
                                          "API(cudaGraphLaunch, e, s)",
                                          "LOG(cudaGraphLaunch, e, s)",
                                          "LAUNCH",
                                          "GRAPH(Launch, e, s)",
                                          "PASTE(cudaGraph, Upload)(e, s)",
                                          "pointer(cudaGraphLaunch)(e, s)",
                                          "(n ? cudaGraphLaunch : cudaGraphUpload)(e, s)",
                                          "(n?cudaGraphLaunch(e, s):cudaGraphUpload(e, s))",
                                          "rt::cudaGraphLaunch(e, s)",
                                          "rt::inner::cudaGraphUpload(e, s)",
                                          "cudaGraphLaunch /* c */ (e, s)",
                                          "cudaGraph\\\nLaunch(e, s)",
                                          ":: cudaGraphLaunch(e, s)",
                                          "cudaMemsetAsync(x, 0, 4, s)",
                                          "cudaMemcpyAsync(x, x, 4, cudaMemcpyHostToDevice, s)",
                                          "defaulted()",
                                          "generic(e, s)",
                                          "[&] { return cudaGraphLaunch(e, s); }()",
                                          "cudaError_t(cudaGraphLaunch(e, s))",
                                          "static_cast<cudaError_t>(cudaGraphLaunch(e, s))"};
  return node(Part::Call, Pick.of(Calls));
}

Node Grammar::launch() {
  static constexpr const char *Launches[] = {
      "kernel<<<1, 32>>>(x, n)",
      "kernel<<<1, 32, 0>>>(x, n)",
      "kernel<<<dim3(n), dim3(32, 1), n * sizeof(float), s>>>(x, n)",
      "kernel<<<1, 32, 0, s>>>(x, n)",
      "kernel<<<1, 32, 0, streams[0]>>>(x, n)",
      "generics<float><<<1, 32, 0, s>>>(x)",
      "timedKernel<<<1, 1, 0, s>>>()",
      "(n ? kernel : kernel)<<<1, 32, 0, s>>>(x, n)",
      "KERNEL(kernel, x, n)",
      "kernel<<<1, 32, 0, holder.stream>>>(x, n)",
      "cudaLaunchKernel((const void *)kernel, dim3(1), dim3(1), nullptr, 0, s)"};
  return node(Part::Expression, Pick.of(Launches));
}

Node Grammar::lambda(unsigned Depth) {
  const std::string First = maybeAnnotation(15), Second = maybeAnnotation(15),
                    Third = maybeAnnotation(8);
  const char *Capture = Pick.of({"[&]", "[&, copy = n]", "[&]"});
  switch (Pick.below(6)) {
  case 0:
    return node(Part::Expression, std::string(Capture) + Second + "{\n$}()",
                {statements(Depth, 2)});
  case 1:
    return node(Part::Expression,
                std::string(Capture) + First + "(int n) mutable " + Second +
                    "-> int {\n$ return n; }(n)",
                {statements(Depth, 2)});
  case 2:
    return node(Part::Expression,
                std::string(Capture) + "(auto n) noexcept(false) " + Second + "{\n$}(n)",
                {statements(Depth, 2)});
  case 3:
    return node(Part::Expression,
                std::string(Capture) + "<class U>" + Third + "(U m) " + Second + "{\n$}(n)",
                {statements(Depth, 2)});
  case 4:
    return node(Part::Expression,
                std::string(Capture) + "() constexpr " + Second + "{ return n; }()");
  default:
    return node(Part::Expression, std::string(Capture) + First + "() " + Second + "{\n$}()",
                {statements(Depth, 2)});
  }
}

Node Grammar::expression(unsigned Depth) {
  if (Depth == 0 || Pick.percent(40))
    return node(Part::Expression,
                Pick.of({"n", "0", "1", "rank()", "n + 1", "identity(n)", "n % 2", "sizeof(x)",
                         "TWICE(n)", "(n, n)", "n--", "holder.field", "'a'", "n < 1"}));
  switch (Pick.below(10)) {
  case 0:
    return node(Part::Expression, "($ + $)", {expression(Depth - 1), expression(Depth - 1)});
  case 1:
    return node(Part::Expression, "(rank() ? $ : $)",
                {expression(Depth - 1), expression(Depth - 1)});
  case 2:
    return node(Part::Expression, "identity<int>($)", {expression(Depth - 1)});
  case 3:
    return node(Part::Expression, "({\n$ n; })", {statements(Depth - 1, 2)});
  case 4:
    return node(Part::Expression, "(($), n)", {lambda(Depth - 1)});
  case 5:
    return node(Part::Expression, "int($ == cudaSuccess)", {call()});
  case 6:
    return node(Part::Expression, "(($), 1)", {launch()});
  case 7:
    return node(Part::Expression, "RUN($)", {expression(Depth - 1)});
  case 8:
    return node(Part::Expression, "!($)", {expression(Depth - 1)});
  default:
    return node(Part::Expression, "TWICE(($))", {expression(Depth - 1)});
  }
}

Node Grammar::statements(unsigned Depth, unsigned Most) {
  std::vector<Node> Nodes;
  std::string Pattern;
  for (size_t I = Pick.below(Most + 1); I > 0; --I) {
    Nodes.push_back(statement(Depth));
    Pattern += "$\n";
  }
  return node(Part::Unit, Pattern, std::move(Nodes));
}

Node Grammar::block(unsigned Depth) {
  return node(Part::Statement, Pick.percent(70) ? "{\n$}" : "{ $ }", {statements(Depth, 3)});
}

Node Grammar::body(unsigned Depth) {
  Node Inner = Pick.percent(60) ? block(Depth) : plainStatement(Depth);
  return node(Part::Statement, maybeAnnotation(25) + "$", {std::move(Inner)});
}

Node Grammar::statement(unsigned Depth) {
  Node Inner = wild(15) ? oddStatement(Depth) : plainStatement(Depth);
  const std::string Before = maybeAnnotation(Depth > 1 ? 30 : 20);
  const char *Label =
      Pick.percent(3) ? Pick.of({"label0:\n", "label1: ", "label2: ", "label0: label1: "}) : "";
  return node(Part::Statement, Label + Before + "$", {std::move(Inner)});
}

Node Grammar::plainStatement(unsigned Depth) {
  if (Depth == 0)
    switch (Pick.below(8)) {
    case 0:
      return node(Part::Statement, "$;", {expression(0)});
    case 1:
      return node(Part::Statement, "$;", {call()});
    case 2:
      return node(Part::Statement, "CHECK($);", {call()});
    case 3:
      return node(Part::Statement, "$;", {launch()});
    case 4:
      return node(Part::Statement, "n = $;", {expression(0)});
    case 5:
      return node(Part::Statement,
                  Pick.of({"work(s);", "holder.go(s);", "work(streams[n]);", "{}"}));
    case 6:
      return node(Part::Statement, "{ cudaError_t " + fresh("error") + " = $; }", {call()});
    default:
      return node(Part::Statement, "check($, __FILE__, __LINE__);", {call()});
    }
  --Depth;
  switch (Pick.below(22)) {
  case 0:
    return node(Part::Statement, "if ($) $", {expression(Depth), body(Depth)});
  case 1:
    return node(Part::Statement, "if ($) $ else $", {expression(Depth), body(Depth), body(Depth)});
  case 2:
    return node(Part::Statement, "if (int " + fresh("v") + " = $; n) $ else if ($) $",
                {expression(Depth), body(Depth), expression(Depth), body(Depth)});
  case 3:
    return node(Part::Statement, "if constexpr (sizeof(int) == 4) $ else $",
                {body(Depth), body(Depth)});
  case 4:
    return node(Part::Statement, "for (int i = 0; i < $; ++i) $", {expression(Depth), body(Depth)});
  case 5:
    return node(Part::Statement, "for (int v : numbers) $", {body(Depth)});
  case 6:
    return node(Part::Statement, "while ($) $", {expression(Depth), body(Depth)});
  case 7:
    return node(Part::Statement, "do $ while ($);", {body(Depth), expression(Depth)});
  case 8:
    return node(Part::Statement,
                "switch ($) {\ncase 0: $\ncase 1: case 2:\n$ break;\ndefault: $\n}",
                {expression(Depth), statement(Depth), statement(Depth), statement(Depth)});
  case 9:
    return node(Part::Statement, "try {\n$} catch (int) {\n$} catch (...) {\n$}",
                {statements(Depth, 2), statements(Depth, 1), statements(Depth, 1)});
  case 10:
    return node(Part::Statement, "return $;", {expression(Depth)});
  case 11:
    return node(Part::Statement, "($);", {lambda(Depth)});
  case 12:
    return node(Part::Statement, "\n#pragma unroll\nfor (;;) { $ break; }", {statement(Depth)});
  case 13:
    return node(Part::Statement, "RUN($)", {statement(Depth)});
  case 14:
    return node(Part::Statement, "CHECK($);", {call()});
  case 15:
    return node(Part::Statement, "RUN(RUN($))", {statement(Depth)});
  case 16:
    return node(Part::Statement, "\n#if 1\n$\n#else\n$\n#endif\n",
                {statement(Depth), statement(0)});
  case 17:
    return node(Part::Statement, "FOR(i) $", {body(Depth)});
  case 18:
    return node(Part::Statement, "IF_OK($) $ else $", {call(), body(Depth), body(Depth)});
  case 19:
    return node(Part::Statement, "$;", {expression(Depth)});
  default:
    return block(Depth);
  }
}

Node Grammar::oddStatement(unsigned Depth) {
  Depth = Depth > 0 ? Depth - 1 : 0;
  switch (Pick.below(28)) {
  case 0:
    return node(Part::Statement, "goto " + label() + ";");
  case 1:
    return node(Part::Statement, label() + ": $", {statement(Depth)});
  case 2:
    return node(Part::Statement, Pick.of({"break;", "continue;", ";", "return {};", "return;",
                                          "throw;", "throw 1;"}));
  case 3:
    return node(Part::Statement, "asm volatile(\"nop\");");
  case 4:
    return node(Part::Statement, "auto [" + fresh("a") + ", " + fresh("b") + "] = pair();");
  case 5:
    return node(Part::Statement, "int " + fresh("v") + " = $, " + fresh("w") + "[2];",
                {expression(Depth)});
  case 6:
    return node(Part::Statement, "static thread_local int " + fresh("v") + " = rank();");
  case 7:
    return node(Part::Statement, "struct " + fresh("Local") + " { void go(cudaStream_t s) {\n$} };",
                {node(Part::Statement, maybeAnnotation(60) + "work(s);")});
  case 8:
    return node(Part::Statement, "using " + fresh("Alias") + " = int;");
  case 9:
    return node(Part::Statement, "case 3: $", {statement(Depth)});
  case 10:
    return node(Part::Statement, "default: $", {statement(Depth)});
  case 11:
    return node(Part::Statement, "BLOCK($)", {statement(Depth)});
  case 12:
    return node(Part::Statement, "OPEN $ CLOSE", {statement(Depth)});
  case 13:
    return node(Part::Statement, "{ $ CLOSE", {statement(Depth)});
  case 14:
    return node(Part::Statement,
                Pick.of({"HALF(1) s);", "work(s) SEMI", "EMPTY work(s);", "work(s) EMPTY;"}));
  case 15:
    return node(Part::Statement, "TIMED_CALL($;)", {call()});
  case 16:
    return node(Part::Statement, "TIMED_BLOCK($)", {statement(Depth)});
  case 17:
    return node(Part::Statement, "TIMED_CHECK($);", {call()});
  case 18:
    return node(Part::Statement, "TRY $ CATCH", {statement(Depth)});
  case 19:
    return node(Part::Statement, "TWICE_OVER($)", {statement(Depth)});
  case 20:
    return node(Part::Statement, "\n#if n\n$\n#endif\n", {statement(Depth)});
  case 21:
    return node(Part::Statement, "\n#ifdef __CUDA_ARCH__\nif (n)\n#endif\n$", {statement(Depth)});
  case 22:
    return node(Part::Statement, "\n#if 1\nif (n) {\n#else\n{\n#endif\n$ }", {statement(Depth)});
  case 23:
    return node(Part::Statement,
                "\n#pragma " +
                    std::string(Pick.of({"omp parallel for", "GCC ivdep", "unroll 4",
                                         "clang loop vectorize(enable)", "nounroll", "once"})) +
                    "\n" + maybeAnnotation(30) + "for (int i = 0; i < n; ++i) $",
                {body(Depth)});
  case 24:
    return node(Part::Statement, "goto *&&" + label() + ";");
  case 25:
    return node(Part::Statement, "_Pragma(\"unroll\") for (;;) $", {body(Depth)});
  case 26:
    return node(Part::Statement, "if consteval { } else $", {block(Depth)});
  default:
    return node(Part::Statement, "static_assert(true, \"\");");
  }
}

} // namespace graphprof::fuzz
