# Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
#
# The C++ standard library inside what users run, so that it runs where theirs is older, and beside any other. libgcc_s stays
# shared: exceptions pass between the library and programs (bench_error), so all must have one unwinder; and the static one of
# today's compilers needs a newer C library (_dl_find_object, glibc 2.35) than anything else here. Whatever has glibc has it.

# A sanitizer must see the standard library of the program.
set(GRAPHPROF_OWN_STANDARD_LIBRARY FALSE)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(target)
  if(CMAKE_CXX_COMPILER_TARGET)
    set(target --target=${CMAKE_CXX_COMPILER_TARGET} --sysroot=${CMAKE_SYSROOT})
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${target} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE standard_library OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(IS_ABSOLUTE "${standard_library}")
    set(GRAPHPROF_OWN_STANDARD_LIBRARY TRUE)
  endif()
endif()

# graphprof_own_standard_library(<target>): links it into the target, where that is possible. What nobody calls of it is left out (--gc-sections):
# std::random_device would need a newer C library, too (arc4random, glibc 2.36).
function(graphprof_own_standard_library target)
  if(GRAPHPROF_OWN_STANDARD_LIBRARY)
    target_link_options(${target} PRIVATE -static-libstdc++)
    graphprof_old_glibc(${target} libpthread.so.0 libdl.so.2)
  endif()
endfunction()

# graphprof_old_glibc(<target> [<library>...] [WITHOUT <function>...]): also runs where glibc is older than the one that it is built
# with, from 2.28 on (glibc/CMakeLists.txt). The libraries are empty in a new glibc, and hold what the target calls in an old one.
# WITHOUT: the target has these functions itself.
function(graphprof_old_glibc target)
  if(NOT TARGET graphprof_glibc)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 given "" "" "WITHOUT")
  get_property(moved GLOBAL PROPERTY GRAPHPROF_MOVED)
  list(REMOVE_ITEM moved ${given_WITHOUT})
  list(TRANSFORM moved PREPEND "LINKER:--wrap=")
  list(TRANSFORM given_UNPARSED_ARGUMENTS PREPEND "-l:")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    list(APPEND moved "LINKER:--wrap=__libc_start_main")
  endif()
  target_link_options(${target} PRIVATE ${moved} -Wl,--gc-sections)
  # GNU ld looks into archives in their order, and the standard library comes last of itself.
  target_link_libraries(${target} PRIVATE ${standard_library} graphprof_glibc
    -Wl,--push-state,--no-as-needed ${given_UNPARSED_ARGUMENTS} -Wl,--pop-state)
endfunction()
