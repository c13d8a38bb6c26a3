// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Redirects a name where a macro's parameter becomes code. C11 and C++. Not for programs to call.
//
// A macro may also turn its argument into text, or paste it: `#define ENTRY(f) {#f, (void *)&f}`.
// There the program's spelling of the name must stay, so graphprof-instrument changes the macro's
// body instead:
//
//     #define ENTRY(f) {#f, (void *)&GRAPHPROF_NAMED(f)}
//
// and defines two macros for each name that it redirects there:
//
//     #define GRAPHPROF_NAME_cudaFree (),
//     #define GRAPHPROF_WITH_cudaFree ::graphprof::cuda::cudaFree
//
// GRAPHPROF_NAMED(code) is the code; if it begins with such a name, then with that name replaced.
// The code begins with a word.

#ifndef GRAPHPROF_DETAIL_NAMED_H
#define GRAPHPROF_DETAIL_NAMED_H

#define GRAPHPROF_NAMED(...) GRAPHPROF_NAMED_HOW(GRAPHPROF_NAME_##__VA_ARGS__, ~)(__VA_ARGS__)
// For `::` and the code
#define GRAPHPROF_NAMED_GLOBALLY(...)                                                              \
  GRAPHPROF_NAMED_HOW_GLOBALLY(GRAPHPROF_NAME_##__VA_ARGS__, ~)(__VA_ARGS__)

// `first` is `()` if the name is known: then the argument list grows by one, in front.
#define GRAPHPROF_NAMED_HOW(first, ...)                                                            \
  GRAPHPROF_NAMED_SECOND(GRAPHPROF_NAMED_KNOWN first, GRAPHPROF_NAMED_KEPT, ~)
#define GRAPHPROF_NAMED_HOW_GLOBALLY(first, ...)                                                   \
  GRAPHPROF_NAMED_SECOND(GRAPHPROF_NAMED_KNOWN first, GRAPHPROF_NAMED_KEPT_GLOBALLY, ~)
#define GRAPHPROF_NAMED_KNOWN() ~, GRAPHPROF_NAMED_REPLACED
#define GRAPHPROF_NAMED_SECOND(...) GRAPHPROF_NAMED_SECOND_OF(__VA_ARGS__)
#define GRAPHPROF_NAMED_SECOND_OF(first, second, ...) second

#define GRAPHPROF_NAMED_REPLACED(...) GRAPHPROF_WITH_##__VA_ARGS__
#define GRAPHPROF_NAMED_KEPT(...) __VA_ARGS__
#define GRAPHPROF_NAMED_KEPT_GLOBALLY(...) ::__VA_ARGS__

#endif // GRAPHPROF_DETAIL_NAMED_H
