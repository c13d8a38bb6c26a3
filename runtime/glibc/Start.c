// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How a program begins where glibc is older than 2.34: that one calls a function of the program's
// for its constructors, which today's crt1.o leaves to glibc. A newer one still does so if it is
// asked by the old version of its name.

typedef void (*Constructor)(int, char **, char **);

extern Constructor __preinit_array_start[] __attribute__((visibility("hidden")));
extern Constructor __preinit_array_end[] __attribute__((visibility("hidden")));
extern Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern Constructor __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

#if defined(__x86_64__)
__asm__(".symver old_start_main, __libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver old_start_main, __libc_start_main@GLIBC_2.17");
#endif
extern int old_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                          Constructor init, void (*fini)(void), void (*ldFini)(void), void *stack);

static void construct(int count, char **arguments, char **environment) {
  for (Constructor *each = __preinit_array_start; each != __preinit_array_end; ++each)
    (*each)(count, arguments, environment);
  _init();
  for (Constructor *each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, arguments, environment);
}

__attribute__((visibility("hidden"))) int
__wrap___libc_start_main(int (*main)(int, char **, char **), int count, char **arguments,
                         Constructor init, void (*fini)(void), void (*ldFini)(void), void *stack) {
  return old_start_main(main, count, arguments, init ? init : construct, fini, ldFini, stack);
}
